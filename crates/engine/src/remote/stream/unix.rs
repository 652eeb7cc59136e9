//! A Unix socket.

use std::io;
use std::os::unix::net::UnixStream;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::{RecvFlags, SendFlags, recv, send};

/// A connection.
pub type Stream = UnixStream;

/// Writes what fits now; 0 when nothing does.
pub fn send_now(stream: &UnixStream, bytes: &[u8]) -> io::Result<usize> {
    loop {
        match send(stream, bytes, SendFlags::DONTWAIT) {
            Ok(written) => return Ok(written),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) if error == rustix::io::Errno::AGAIN => return Ok(0),
            Err(error) => return Err(error.into()),
        }
    }
}

/// Whether something was sent that nobody has read yet.
pub fn has_input(stream: &UnixStream) -> bool {
    looked(stream).contains(PollFlags::IN)
}

/// Whether the other end is closed for good.
pub fn is_gone(stream: &UnixStream) -> bool {
    looked(stream).intersects(PollFlags::HUP | PollFlags::ERR)
}

/// Whether nothing waits to be read, and the other end is open.
pub fn is_quiet(stream: &UnixStream) -> bool {
    let nothing = recv(stream, &mut [0_u8; 1][..], RecvFlags::PEEK | RecvFlags::DONTWAIT);
    matches!(nothing, Err(rustix::io::Errno::AGAIN))
}

fn looked(stream: &UnixStream) -> PollFlags {
    let mut fds = [PollFd::new(stream, PollFlags::IN)];
    match poll(&mut fds, Some(&Timespec::default())) {
        Ok(_) => fds[0].revents(),
        Err(_) => PollFlags::empty(),
    }
}
