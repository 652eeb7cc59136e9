//! The files that a command line names, and whether they are what they were
//! when somebody last looked: what a process that outlives its event was
//! started from.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::coverage::{Scope, Why};
use super::pin::{self, Pinned};
use super::words;
use crate::read_file::{self, Glimpse};
use crate::run::{DONE, HELPER, Origin, PERSISTENT, helper_beside, names_who_answers, speaks_no_lines};

/// A larger file is known by its stamp alone.
const HASHED: u64 = 4 * 1024 * 1024;
/// So long an interpreter of the system's is believed to be what it was.
const BELIEVED: Duration = Duration::from_secs(1);

/// Files as they were.
#[derive(Debug, Clone)]
pub struct NamedFiles {
    files: Vec<Known>,
    /// One of them says by the helper, or by itself, when it is done.
    says_done: bool,
    /// The script among them, and whether it names who answers lines for it,
    /// where that can be seen.
    script: Option<(PathBuf, Option<bool>)>,
}

#[derive(Debug, Clone)]
enum Known {
    Contents(Box<Pinned>),
    Stamp(PathBuf, Glimpse),
    /// An interpreter of the system's, and when somebody looked at it. What runs
    /// goes on for a moment when it is replaced, as every program does.
    System(PathBuf, Glimpse, Instant),
}

impl NamedFiles {
    /// Looks at them, wherever they are, and at others beside them. One may be
    /// the script.
    pub fn look(
        command: &str,
        script: Option<PathBuf>,
        scope: &Scope<'_>,
        beside: impl Iterator<Item = PathBuf>,
    ) -> NamedFiles {
        let found = words::coverage(command, scope);
        let outside = found.uncovered.iter().filter(|word| word.why == Why::Outside);
        let outside = outside.filter_map(|word| super::expand(&word.word, scope)).map(PathBuf::from);
        let named = found.named.into_iter().map(|named| named.path);
        let outside = outside.filter(|path| path.is_absolute());
        let outside = outside.flat_map(|path| [helper_beside(&path), Some(path)]).flatten();
        let script = script.map(|path| (path, None));
        let mut looked = NamedFiles { files: Vec::new(), says_done: false, script };
        named.chain(beside).for_each(|path| looked.add(path, false));
        outside.for_each(|path| looked.add(path, true));
        looked
    }

    fn add(&mut self, path: PathBuf, outside: bool) {
        let known = match read_file::facts(&path) {
            Some(facts) if outside && facts.stamp.size > HASHED && facts.only_root_writes() => {
                Known::System(path, Glimpse::of(facts.stamp), Instant::now())
            }
            Some(facts) if facts.stamp.size > HASHED => Known::Stamp(path, Glimpse::of(facts.stamp)),
            Some(_) | None => {
                let pinned = pin::pin(&path);
                let text = pinned.bytes.as_deref().map(String::from_utf8_lossy).unwrap_or_default();
                self.look_into(&path, &text);
                Known::Contents(Box::new(without_contents(pinned)))
            }
        };
        self.files.push(known);
    }

    /// The helper itself stands beside many a script that does not use it.
    fn look_into(&mut self, path: &Path, text: &str) {
        if text.is_empty() || path.file_stem().is_some_and(|stem| stem == HELPER) {
            return;
        }
        self.says_done |= [HELPER, DONE].iter().any(|name| text.contains(name));
        if let Some((_, names)) = self.script.as_mut().filter(|(script, _)| script == path) {
            *names = names_who_answers(path, text);
        }
    }
}

impl Origin for NamedFiles {
    fn may_say_done(&self) -> bool {
        self.says_done
    }

    fn names_who_answers(&self) -> bool {
        matches!(self.script, Some((_, Some(true))))
    }

    fn why_not_asked(&self) -> Option<String> {
        let (script, _) = self.script.as_ref().filter(|(_, names)| *names == Some(false))?;
        Some(speaks_no_lines(&format!(
            "{} names neither {HELPER} nor {PERSISTENT}. See persistent-hooks in the manual",
            script.display()
        )))
    }

    /// What could have changed without getting another time is read again.
    fn is_unchanged(&mut self) -> bool {
        self.files.iter_mut().all(|known| match known {
            Known::Contents(pinned) => pinned.watch.holds() || is_same_again(pinned),
            Known::Stamp(path, glimpse) => glimpse.holds(path),
            Known::System(path, glimpse, looked) => {
                looked.elapsed() < BELIEVED || holds_now(path, glimpse, looked)
            }
        })
    }

    fn is_unchanged_below(&mut self) -> bool {
        self.files.iter_mut().all(|known| match known {
            Known::System(path, glimpse, looked) => holds_now(path, glimpse, looked),
            Known::Contents(_) | Known::Stamp(..) => true,
        })
    }
}

fn holds_now(path: &Path, glimpse: &Glimpse, looked: &mut Instant) -> bool {
    *looked = Instant::now();
    glimpse.holds(path)
}

fn is_same_again(pinned: &mut Pinned) -> bool {
    let again = without_contents(pin::pin(&pinned.pin.path));
    // A file that was replaced and put back may have been another one when the process started.
    let same = again.pin.equals(&pinned.pin) && again.watch.is_of_same_file(&pinned.watch);
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

    /// Puts another file with the same text in the place of this one.
    fn replace(path: &Path) {
        let text = std::fs::read(path).expect("read");
        let other = path.with_extension("other");
        std::fs::write(&other, text).expect("written");
        std::fs::rename(other, path).expect("renamed");
    }

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
            ("the same text in another file", &|| replace(&dir.path().join("near.py")), false),
            ("a file outside", &|| drop(elsewhere.write("far.py", "two")), false),
            ("a script that is gone", &|| drop(std::fs::remove_file(dir.path().join("near.py"))), false),
        ];
        for (name, change, unchanged) in cases {
            dir.write("near.py", "one");
            elsewhere.write("far.py", "one");
            let mut files = NamedFiles::look(&command, None, &scope, std::iter::empty());
            change();
            assert_eq!(files.is_unchanged(), unchanged, "{name}");
        }
    }

    #[test]
    fn the_helper_counts_wherever_the_script_stands() {
        let (dir, elsewhere) = (TempDir::new(), TempDir::new());
        let scripts = [dir.write("near.py", "one"), elsewhere.write("far.py", "one")];
        let (run_dir, home) = (dir.path(), dir.path());
        let scope = Scope { os: Os::current(), run_dir, workspace: None, plugin: Some(run_dir), home };
        for script in scripts {
            let helper = script.with_file_name("boathook_hook.py");
            std::fs::write(&helper, "one").expect("written");
            let command = format!("python3 {}", script.display());
            let mut files = NamedFiles::look(&command, None, &scope, std::iter::empty());
            assert!(files.is_unchanged(), "{command}");
            std::fs::write(&helper, "two").expect("written");
            assert!(!files.is_unchanged(), "{command}");
        }
    }

    #[test]
    fn an_interpreter_of_the_system_is_looked_at_now_and_then() {
        let (dir, elsewhere) = (TempDir::new(), TempDir::new());
        let large = vec![b'x'; HASHED as usize + 1];
        let (far, near) = (elsewhere.path().join("node"), dir.path().join("node"));
        for path in [&far, &near] {
            std::fs::write(path, &large).expect("written");
        }
        let is_roots = read_file::facts(&far).expect("there").only_root_writes();
        let (run_dir, home) = (dir.path(), dir.path());
        let scope = Scope { os: Os::current(), run_dir, workspace: None, plugin: Some(run_dir), home };
        let command = format!("{} hook.mjs", far.display());
        for (path, command, at_every_event) in
            [(&far, &*command, !is_roots), (&near, "./node hook.mjs", true)]
        {
            let mut files = NamedFiles::look(command, None, &scope, std::iter::empty());
            // What is young may have changed unseen, and says so.
            std::thread::sleep(std::time::Duration::from_millis(2100));
            let mut files_later = NamedFiles::look(command, None, &scope, std::iter::empty());
            assert!(files_later.is_unchanged_throughout(), "{command}");
            std::fs::write(path, [&large[..], b"y"].concat()).expect("written");
            assert!(!files.is_unchanged(), "{command}: nobody looked for two seconds");
            assert!(!at_every_event || !files_later.is_unchanged(), "{command}");
            assert!(!files_later.is_unchanged_throughout(), "{command}");
        }
    }

    #[test]
    fn only_a_script_that_names_the_helper_or_the_variable_says_that_it_is_done() {
        let cases = [
            ("import { serve } from './boathook_hook.mjs';", true),
            ("echo ${BOATHOOK_DONE#*:} 0", true),
            ("cat; echo '{}'", false),
        ];
        for (text, expected) in cases {
            let dir = TempDir::new();
            dir.write("hook", text);
            let (run_dir, home) = (dir.path(), dir.path());
            let scope = Scope { os: Os::current(), run_dir, workspace: None, plugin: None, home };
            let files = NamedFiles::look("sh ./hook", None, &scope, std::iter::empty());
            assert_eq!(files.may_say_done(), expected, "{text}");
        }
    }
}
