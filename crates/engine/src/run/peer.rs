//! Who is at the other end of a socket, where `rustix` cannot tell.
#![allow(unsafe_code)]

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

/// The user of the process at the other end.
pub fn peer_uid(socket: BorrowedFd<'_>) -> io::Result<u32> {
    let (mut uid, mut gid) = (0, 0);
    // SAFETY: an open descriptor, and two numbers to write to.
    let done = unsafe { libc::getpeereid(socket.as_raw_fd(), &mut uid, &mut gid) };
    if done == 0 { Ok(uid) } else { Err(io::Error::last_os_error()) }
}
