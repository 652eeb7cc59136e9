//! Tables of what a settings file holds.
