//! The files that a command line names, and whether they are what they were
//! when somebody last looked: what a process that outlives its event was
//! started from.

use std::path::PathBuf;

use super::pin::{self, Pinned};
use super::words::{self, Scope, Why};
use crate::read_file::{self, Glimpse};

/// A larger file is known by its stamp alone.
const HASHED: u64 = 4 * 1024 * 1024;

/// Files as they were.
#[derive(Debug, Clone)]
pub struct NamedFiles(Vec<Known>);

#[derive(Debug, Clone)]
enum Known {
    Contents(Box<Pinned>),
    Stamp(PathBuf, Glimpse),
}

impl NamedFiles {
    /// Looks at them, wherever they are, and at others beside them.
    pub fn look(command: &str, scope: &Scope<'_>, beside: impl Iterator<Item = PathBuf>) -> NamedFiles {
        let found = words::coverage(command, scope);
        let outside = found.uncovered.iter().filter(|word| word.why == Why::Outside);
        let outside = outside.filter_map(|word| super::expand(&word.word, scope)).map(PathBuf::from);
        let named = found.named.into_iter().map(|named| named.path);
        let outside = outside.filter(|path| path.is_absolute());
        NamedFiles(named.chain(outside).chain(beside).map(known).collect())
    }

    /// Whether all are what they were. What could have changed without getting
    /// another time is read again.
    pub fn are_unchanged(&mut self) -> bool {
        self.0.iter_mut().all(|known| match known {
            Known::Contents(pinned) => pinned.watch.holds() || is_same_again(pinned),
            Known::Stamp(path, glimpse) => glimpse.holds(path),
        })
    }
}

fn known(path: PathBuf) -> Known {
    match read_file::facts(&path) {
        Some(facts) if facts.stamp.size > HASHED => Known::Stamp(path, Glimpse::of(facts.stamp)),
        Some(_) | None => Known::Contents(Box::new(without_contents(pin::pin(&path, None)))),
    }
}

fn is_same_again(pinned: &mut Pinned) -> bool {
    let again = without_contents(pin::pin(&pinned.pin.path, Some(&pinned.pin)));
    let same = again.pin.equals(&pinned.pin);
    *pinned = again;
    same
}

fn without_contents(pinned: Pinned) -> Pinned {
    Pinned { bytes: None, ..pinned }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Os;
    use crate::testing::TempDir;

    #[test]
    fn a_change_of_any_named_file_is_seen() {
        let (dir, elsewhere) = (TempDir::new(), TempDir::new());
        let far = elsewhere.write("far.py", "one");
        let scope = Scope {
            os: Os::current(),
            run_dir: dir.path(),
            workspace: None,
            plugin: Some(dir.path()),
            home: dir.path(),
        };
        let command = format!("python3 near.py --with {}", far.display());
        let cases: [(&str, &dyn Fn(), bool); 5] = [
            ("nothing", &|| {}, true),
            ("the script, to the same length", &|| drop(dir.write("near.py", "two")), false),
            ("the same text again", &|| drop(dir.write("near.py", "one")), true),
            ("a file outside", &|| drop(elsewhere.write("far.py", "two")), false),
            ("a script that is gone", &|| drop(std::fs::remove_file(dir.path().join("near.py"))), false),
        ];
        for (name, change, unchanged) in cases {
            dir.write("near.py", "one");
            elsewhere.write("far.py", "one");
            let mut files = NamedFiles::look(&command, &scope, std::iter::empty());
            change();
            assert_eq!(files.are_unchanged(), unchanged, "{name}");
        }
    }
}
