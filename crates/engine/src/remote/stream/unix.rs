//! A Unix socket.

use std::io;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

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

/// Reads what comes within this time, without falling asleep: to be woken on
/// another processor takes longer than many an answer. None when nothing came;
/// what is wrong with the connection is for a read that waits.
pub fn receive_awake(stream: &UnixStream, room: &mut [u8], patience: Duration) -> Option<usize> {
    let begun = Instant::now();
    loop {
        match recv(stream, &mut *room, RecvFlags::DONTWAIT) {
            Ok((length, _)) => return Some(length),
            Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => {}
            Err(_) => return None,
        }
        if begun.elapsed() >= patience {
            return None;
        }
        std::thread::yield_now();
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
