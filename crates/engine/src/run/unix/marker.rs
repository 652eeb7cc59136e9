//! The name of a run, which its processes carry in their environment.
//!
//! A process that left its group and lost its parents is still found by it. A
//! hook that runs Boathook itself hands its own name on as the beginning of the
//! inner names, so that the outer run finds the inner one's processes too.

use std::ffi::{OsStr, OsString};
use std::hash::{BuildHasher, RandomState};

use super::super::MARKER;

/// A longer name from outside is none of ours.
const LONGEST: usize = 256;

/// The number of one call of the runner.
pub struct Marker(u64);

impl Marker {
    /// Random: a number would come again one day, while a process that a hook
    /// left behind on purpose still bears it. And our own number is in it: forks
    /// of one host have the same randomness.
    pub fn new() -> Marker {
        Marker(RandomState::new().hash_one(std::process::id()))
    }

    /// The name of one process of this run.
    pub fn of(&self, index: usize, env: &[(OsString, OsString)]) -> String {
        let outer = env.iter().find(|(name, _)| name == MARKER).and_then(|(_, value)| outer_name(value));
        match outer {
            Some(outer) => format!("{outer}/{:016x}.{index}", self.0),
            None => format!("{:016x}.{index}", self.0),
        }
    }

    /// What the environments of all processes of this run have in them.
    #[cfg(target_os = "linux")]
    pub fn in_environ(&self) -> String {
        format!("{:016x}.", self.0)
    }
}

/// Whether an environment, as the kernel shows it, has this name or one inside it.
#[cfg(target_os = "linux")]
pub fn is_in(environ: &[u8], marker: &str) -> bool {
    environ.split(|byte| *byte == 0).any(|entry| {
        let value = entry.strip_prefix(MARKER.as_bytes()).and_then(|rest| rest.strip_prefix(b"="));
        let rest = value.and_then(|value| value.strip_prefix(marker.as_bytes()));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
    })
}

fn outer_name(value: &OsStr) -> Option<&str> {
    let ours = |byte: u8| byte.is_ascii_hexdigit() || byte == b'.' || byte == b'/';
    value.to_str().filter(|name| !name.is_empty() && name.len() <= LONGEST && name.bytes().all(ours))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inner_run_is_part_of_the_outer_one() {
        let marker = Marker::new();
        let cases = [
            ("none outside", None, format!("{:016x}.7", marker.0)),
            ("inside another", Some("ab12.0"), format!("ab12.0/{:016x}.7", marker.0)),
            ("not one of ours", Some("x; rm"), format!("{:016x}.7", marker.0)),
            ("empty", Some(""), format!("{:016x}.7", marker.0)),
        ];
        for (name, outer, expected) in cases {
            let env: Vec<(OsString, OsString)> =
                outer.iter().map(|value| (MARKER.into(), value.into())).collect();
            assert_eq!(marker.of(7, &env), expected, "{name}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_name_is_found_whole_or_as_a_beginning() {
        let cases: [(&[u8], bool); 7] = [
            (b"A=1\0BOATHOOK_RUN=ab.1\0B=2\0", true),
            (b"BOATHOOK_RUN=ab.1/cd.0\0", true),
            (b"BOATHOOK_RUN=ab.12\0", false),
            (b"BOATHOOK_RUN=ab.0\0", false),
            (b"XBOATHOOK_RUN=ab.1\0", false),
            (b"OTHER=BOATHOOK_RUN=ab.1\0", false),
            (b"", false),
        ];
        for (environ, expected) in cases {
            assert_eq!(is_in(environ, "ab.1"), expected, "{:?}", String::from_utf8_lossy(environ));
        }
    }

    #[test]
    fn no_two_runs_have_one_name() {
        let names: std::collections::HashSet<u64> = (0..1000).map(|_| Marker::new().0).collect();
        assert_eq!(names.len(), 1000);
    }
}
