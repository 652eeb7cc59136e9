//! One connection, and what the standard library does not offer on it: to write
//! what fits without waiting, to wait awake, and to look without reading.

#[cfg_attr(unix, path = "stream/unix.rs")]
#[cfg_attr(windows, path = "stream/windows.rs")]
mod os; // both give: Stream, send_now, receive_awake, has_input, is_gone, is_quiet

pub use os::{Stream, has_input, is_gone, is_quiet, receive_awake, send_now};
