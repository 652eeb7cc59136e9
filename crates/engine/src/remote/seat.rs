//! The daemon's own side of its socket: one daemon for each state directory.
//!
//! A lock that is held for life decides who it is. Only its holder touches the
//! socket, so one that a dead daemon left behind is replaced and that of a
//! living one never is.

#[cfg_attr(unix, path = "seat/unix.rs")]
#[cfg_attr(windows, path = "seat/windows.rs")]
mod os; // both give: Seat, end_holder, make_room_for_files

pub use super::lock::holder;
pub use os::{Seat, end_holder, make_room_for_files};
