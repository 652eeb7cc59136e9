//! A pipe loses nothing, waits no longer than it is told, and is its user's own.

use std::io::{ErrorKind, Read, Write};
use std::net::Shutdown;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use super::{Pipe, PipeListener};
use crate::ids;

const PATIENCE: Duration = Duration::from_secs(30);
const MOMENT: Duration = Duration::from_millis(50);

/// The two ends of a new pipe: of whoever connected, and of whoever listens.
fn pair() -> (Pipe, Pipe) {
    let name = format!(r"\\.\pipe\boathook-test-{}", ids::uuid());
    let listener = PipeListener::bind(&name).expect("the name is free");
    let opened = Pipe::open(&name).expect("somebody listens");
    let taken = listener.accept(PATIENCE).expect("it works").expect("somebody came");
    (opened, taken)
}

#[test]
fn what_is_written_arrives_in_both_directions_whatever_its_size() {
    for size in [1, 4096, 65_536, 65_537, 3_000_000] {
        let (opened, taken) = pair();
        let bytes: Vec<u8> = (0..size).map(|at| (at % 251) as u8).collect();
        for (from, to) in [(&opened, &taken), (&taken, &opened)] {
            thread::scope(|scope| {
                scope.spawn(|| {
                    let mut from = from;
                    from.write_all(&bytes).and_then(|()| from.flush()).expect("it is read");
                });
                let mut read = vec![0; size];
                let mut to = to;
                to.read_exact(&mut read).expect("it comes");
                assert_eq!(read, bytes, "{size} bytes");
            });
        }
    }
}

#[test]
fn nobody_waits_longer_than_he_is_told_and_nothing_is_lost_by_it() {
    let (opened, taken) = pair();
    opened.set_read_timeout(Some(MOMENT)).expect("a timeout");
    let began = Instant::now();
    let waited = (&opened).read(&mut [0; 8]).expect_err("nothing is there");
    assert!(waited.kind() == ErrorKind::TimedOut && began.elapsed() >= MOMENT, "{waited}");
    // A writer whose reader does not read comes back, too.
    taken.set_write_timeout(Some(MOMENT)).expect("a timeout");
    let piece = [7_u8; 10_000];
    let mut written = 0;
    let full = loop {
        match (&taken).write(&piece) {
            Ok(count) => written += count,
            Err(error) => break error,
        }
        assert!(written < 10_000_000, "it is never full");
    };
    assert_eq!(full.kind(), ErrorKind::TimedOut);
    assert_eq!(taken.send_now(&piece).expect("it is open"), 0, "nothing fits");
    opened.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    let mut read = vec![0; written];
    (&opened).read_exact(&mut read).expect("all of it is there");
    assert!(read.iter().all(|byte| *byte == 7));
    assert_eq!(opened.waiting(), Some(0), "and nothing twice");
}

#[test]
fn an_end_that_is_closed_is_noticed_and_what_it_said_is_read() {
    let (opened, taken) = pair();
    (&taken).write_all(b"last words").expect("it is open");
    drop(taken);
    let mut said = Vec::new();
    (&opened).read_to_end(&mut said).expect("an end");
    assert_eq!((said.as_slice(), opened.waiting()), (&b"last words"[..], None));
    let mut written = (&opened).write(b"x").and_then(|_| (&opened).flush());
    if written.is_ok() {
        written = (&opened).write(b"x").map(drop);
    }
    assert_eq!(written.expect_err("nobody is there").kind(), ErrorKind::BrokenPipe);
}

#[test]
fn a_reader_comes_back_when_its_own_end_is_closed() {
    let (opened, _taken) = pair();
    let opened = Arc::new(opened);
    let reader = thread::spawn({
        let opened = Arc::clone(&opened);
        move || (&*opened).read(&mut [0; 8])
    });
    opened.shutdown(Shutdown::Both).expect("it closes");
    assert_eq!(reader.join().expect("it ends").expect("an end"), 0);
    assert_eq!((&*opened).write(b"x").expect_err("it is closed").kind(), ErrorKind::BrokenPipe);
}

#[test]
fn all_who_come_are_let_in_until_the_door_is_shut() {
    let name = format!(r"\\.\pipe\boathook-test-{}", ids::uuid());
    assert_eq!(Pipe::open(&name).expect_err("nobody listens").kind(), ErrorKind::NotFound);
    let listener = PipeListener::bind(&name).expect("the name is free");
    assert!(listener.accept(MOMENT).expect("it works").is_none(), "nobody came");
    let mut held = Vec::new();
    for _ in 0..20 {
        let opened = Pipe::open(&name).expect("there is a door");
        held.push((opened, listener.accept(PATIENCE).expect("it works").expect("somebody came")));
    }
    // Somebody who left before he was let in keeps nobody out.
    drop(Pipe::open(&name).expect("there is a door"));
    while listener.accept(MOMENT).expect("it works").is_some() {}
    let opened = Pipe::open(&name).expect("there is a door");
    assert!(opened.is_ours().expect("the system says"), "{opened:?}");
    drop(listener.accept(PATIENCE).expect("it works").expect("somebody came"));
    listener.close();
    drop((held, opened));
    assert!(Pipe::open(&name).is_err(), "the door is shut");
}
