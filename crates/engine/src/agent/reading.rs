//! The content of a file that is about to be read: no agent sends it, and
//! hooks decide by it.

use std::path::Path;

use crate::read_file;

/// Hooks are given this much of a file; of a longer one the beginning, with
/// `content_truncated` and `content_bytes` beside it.
pub const CONTENT_LIMIT: u64 = 1024 * 1024;

/// What stands in a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Content {
    /// Its text; bytes that are no UTF-8 read as replacement characters.
    pub text: String,
    /// How many bytes it has, when that is more than hooks are given.
    pub cut_from: Option<u64>,
}

/// What stands in a file. Nothing when there is none, and when it is no
/// regular file: a pipe must not hold the agent.
pub fn content(path: &str) -> Content {
    let path = Path::new(path);
    if !path.is_absolute() {
        return Content::default();
    }
    match read_file::read_head(path, CONTENT_LIMIT) {
        Ok((bytes, size)) => Content {
            text: String::from_utf8_lossy(&bytes).into_owned(),
            cut_from: (size > CONTENT_LIMIT).then_some(size),
        },
        Err(_) => Content::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TempDir;

    #[test]
    fn hooks_are_given_what_stands_in_the_file() {
        let place = TempDir::new();
        let path = |name: &str| place.path().join(name).to_string_lossy().into_owned();
        place.write("plain", "a\nb");
        place.write("bytes", b"a\xffb");
        place.write("long", "x".repeat(CONTENT_LIMIT as usize + 7));
        let cases = [
            (path("plain"), "a\nb", None),
            (path("bytes"), "a\u{fffd}b", None),
            (path("none"), "", None),
            (path(""), "", None),
            ("plain".to_owned(), "", None),
            (String::new(), "", None),
        ];
        for (path, text, cut_from) in cases {
            assert_eq!(content(&path), Content { text: text.to_owned(), cut_from }, "{path}");
        }
        let long = content(&path("long"));
        assert_eq!((long.text.len() as u64, long.cut_from), (CONTENT_LIMIT, Some(CONTENT_LIMIT + 7)));
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_does_not_hold_the_agent() {
        let place = TempDir::new();
        let pipe = place.path().join("pipe");
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RWXU).expect("a pipe");
        assert_eq!(content(&pipe.to_string_lossy()), Content::default());
    }
}
