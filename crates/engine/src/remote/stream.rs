//! One connection, and what the standard library does not offer on it: to write
//! what fits without waiting, and to look without reading.

#[cfg_attr(unix, path = "stream/unix.rs")]
#[cfg_attr(windows, path = "stream/windows.rs")]
mod os; // both give: Stream, send_now, has_input, is_gone, is_quiet

pub use os::{Stream, has_input, is_gone, is_quiet, send_now};
