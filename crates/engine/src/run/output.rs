//! What is kept of a process's output: stdout up to its limit, stderr as a
//! head and a tail with a line between them that says how much is missing.
//!
//! Memory stays within these limits however much is printed.

use super::{STDERR_KEPT, STDOUT_LIMIT};

/// Everything printed on stdout, until it is too much.
#[derive(Debug, Default)]
pub struct Stdout {
    kept: Vec<u8>,
    overflowed: bool,
}

impl Stdout {
    pub fn add(&mut self, bytes: &[u8]) {
        let room = STDOUT_LIMIT - self.kept.len();
        self.overflowed |= bytes.len() > room;
        let fitting = &bytes[..bytes.len().min(room)];
        self.grow_for(fitting.len());
        self.kept.extend_from_slice(fitting);
    }

    pub fn overflowed(&self) -> bool {
        self.overflowed
    }

    pub fn bytes(&self) -> &[u8] {
        &self.kept
    }

    pub fn into_bytes(self) -> Vec<u8> {
        self.kept
    }

    /// Takes off the last line if it is this word and an exit code.
    #[cfg(unix)]
    pub fn take_code(&mut self, word: &str) -> Option<i32> {
        let longest = word.len() + " 255\n".len();
        // One byte more: the end of the line before it.
        let from = self.kept.len().saturating_sub(longest + 1);
        let line = self.kept[from..].strip_suffix(b"\n")?;
        let begin = line.iter().rposition(|byte| *byte == b'\n').map_or(0, |place| place + 1);
        let code = str::from_utf8(&line[begin..]).ok()?.strip_prefix(word)?.strip_prefix(' ')?;
        let code: u8 = code.parse().ok()?;
        self.kept.truncate(from + begin);
        Some(code.into())
    }

    // `Vec` would double past the limit, and that memory would never be used.
    fn grow_for(&mut self, more: usize) {
        let needed = self.kept.len() + more;
        if needed > self.kept.capacity() && self.kept.capacity() > STDOUT_LIMIT / 2 {
            self.kept.reserve_exact(STDOUT_LIMIT - self.kept.len());
        }
    }
}

/// The first and the last of what was printed on stderr.
#[derive(Debug, Default)]
pub struct Stderr {
    head: Vec<u8>,
    tail: Vec<u8>,
    dropped: usize,
}

impl Stderr {
    pub fn add(&mut self, bytes: &[u8]) {
        let room = (STDERR_KEPT - self.head.len()).min(bytes.len());
        self.head.extend_from_slice(&bytes[..room]);
        self.add_to_tail(&bytes[room..]);
    }

    pub fn into_bytes(mut self) -> Vec<u8> {
        self.forget_all_but(STDERR_KEPT);
        if self.dropped > 0 {
            let mark = format!("\n[... {} bytes left out ...]\n", self.dropped);
            self.head.extend_from_slice(mark.as_bytes());
        }
        self.head.append(&mut self.tail);
        self.head
    }

    // The tail is cut only when it holds twice what is kept, so that a long
    // output in small pieces is not moved once per piece.
    fn add_to_tail(&mut self, bytes: &[u8]) {
        let skipped = bytes.len().saturating_sub(STDERR_KEPT);
        if skipped > 0 {
            self.dropped += skipped + self.tail.len();
            self.tail.clear();
        } else if self.tail.len() + bytes.len() > 2 * STDERR_KEPT {
            self.forget_all_but(STDERR_KEPT - bytes.len());
        }
        self.tail.extend_from_slice(&bytes[skipped..]);
    }

    fn forget_all_but(&mut self, kept: usize) {
        let excess = self.tail.len().saturating_sub(kept);
        self.tail.drain(..excess);
        self.dropped += excess;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stderr_of(pieces: &[&[u8]]) -> Vec<u8> {
        let mut stderr = Stderr::default();
        for piece in pieces {
            stderr.add(piece);
        }
        stderr.into_bytes()
    }

    #[test]
    fn stderr_keeps_its_head_and_its_tail() {
        let head = vec![b'h'; STDERR_KEPT];
        let tail = vec![b't'; STDERR_KEPT];
        let middle = vec![b'm'; 1000];
        let marked = [&head[..], b"\n[... 1000 bytes left out ...]\n", &tail].concat();
        let one_piece = [&head[..], &middle, &tail].concat();
        let no_pieces: [&[u8]; 0] = [];
        let cases = [
            ("nothing", no_pieces.to_vec(), vec![]),
            ("a little", vec![b"one ", b"two"], b"one two".to_vec()),
            ("exactly what is kept", vec![&head, &tail], [&head[..], &tail].concat()),
            ("a middle is left out", vec![&head, &middle, &tail], marked.clone()),
            ("in one piece", vec![&one_piece], marked.clone()),
            ("in two", vec![&head, &one_piece[STDERR_KEPT..]], marked),
        ];
        for (name, pieces, expected) in cases {
            assert_eq!(stderr_of(&pieces), expected, "{name}");
        }
    }

    #[test]
    fn stderr_in_small_pieces_is_the_same_as_in_one() {
        let all: Vec<u8> = (0..500_000u32).map(|n| (n % 251) as u8).collect();
        let whole = stderr_of(&[&all]);
        for size in [1, 7, 4096, STDERR_KEPT, STDERR_KEPT + 1, 3 * STDERR_KEPT] {
            let pieces: Vec<&[u8]> = all.chunks(size).collect();
            assert!(stderr_of(&pieces) == whole, "pieces of {size}");
        }
    }

    #[test]
    fn stdout_stops_at_its_limit() {
        let piece = vec![b'x'; 64 * 1024];
        let mut stdout = Stdout::default();
        for _ in 0..STDOUT_LIMIT / piece.len() {
            stdout.add(&piece);
        }
        assert!(!stdout.overflowed(), "exactly the limit is not too much");
        stdout.add(b"y");
        assert!(stdout.overflowed());
        assert_eq!(stdout.bytes().len(), STDOUT_LIMIT);
        assert!(stdout.kept.capacity() <= STDOUT_LIMIT);
    }

    #[cfg(unix)]
    #[test]
    fn the_last_line_names_an_exit_code_if_it_has_the_word() {
        let cases = [
            ("word 0\n", Some(0), ""),
            ("{}\nword 2\n", Some(2), "{}\n"),
            ("{}\nword 255\n", Some(255), "{}\n"),
            ("{}\nword 0", None, "{}\nword 0"),
            ("{}\nword 0\n\n", None, "{}\nword 0\n\n"),
            ("{}\nword 0\n{}\n", None, "{}\nword 0\n{}\n"),
            ("{} word 0\n", None, "{} word 0\n"),
            ("{}\nword 256\n", None, "{}\nword 256\n"),
            ("{}\nword\n", None, "{}\nword\n"),
            ("{}\nword0\n", None, "{}\nword0\n"),
            ("{}\nother 0\n", None, "{}\nother 0\n"),
            ("\n", None, "\n"),
            ("", None, ""),
        ];
        for (printed, code, rest) in cases {
            let mut stdout = Stdout::default();
            stdout.add(printed.as_bytes());
            assert_eq!(stdout.take_code("word"), code, "{printed:?}");
            assert_eq!(stdout.into_bytes(), rest.as_bytes(), "{printed:?}");
        }
    }
}
