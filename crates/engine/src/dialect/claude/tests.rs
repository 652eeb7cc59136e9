//! Tables of what is sent and what is understood.
