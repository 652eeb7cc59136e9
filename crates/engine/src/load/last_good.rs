//! What a process leaves for the next one: the last good copy of each source,
//! and what the user's hooks were when somebody was last told of them.
//!
//! A copy of a project's file is kept by trust alone: what nobody looked at
//! has no good copy.

use std::path::Path;

use super::reading::Good;
use super::states::describe;
use super::{Change, Surroundings};
use crate::digest::Digest;
use crate::problem::Problem;
use crate::read_file;
use crate::source::{Level, Source};
use crate::state::Durability;
use crate::trust::Looking;

const FOLDER: &str = "last-good";
/// The checksum and the end of its line.
const SEAL: u64 = 65;

/// Whether there is a copy, or a record of trust.
pub(super) fn is_kept(around: &Surroundings, source: &Source) -> bool {
    let path = if source.needs_trust() {
        around.trust.record_file(source)
    } else {
        around.state.file(FOLDER, &name(&source.file))
    };
    read_file::link_facts(&path).is_some()
}

/// The copy in force when the file cannot be read.
pub(super) fn recall(around: &Surroundings, source: &Source) -> Option<Good> {
    let bytes = if source.needs_trust() {
        around.trust.trusted_config(source)?
    } else {
        // A copy that is damaged is no good copy; the problem at hand is said anyway.
        around.state.read_sealed(FOLDER, &name(&source.file)).ok()??
    };
    let config = (around.read)(&bytes, source, &around.options);
    config.readable.then(|| Good::of(&bytes, config))
}

/// Keeps a copy.
pub(super) fn remember(around: &Surroundings, source: &Source, good: &Good) {
    if source.needs_trust() {
        return;
    }
    let name = name(&source.file);
    if !is_current(&around.state.file(FOLDER, &name), source, good) {
        // Without a copy a broken file has nothing to fall back on, and says so then.
        let _ = around.state.write_sealed(FOLDER, &name, &good.bytes, Durability::Relaxed);
    }
}

/// Removes the copy of a file that is gone.
pub(super) fn forget(around: &Surroundings, source: &Source) {
    if !source.needs_trust() && is_kept(around, source) {
        let _ = around.state.remove(FOLDER, &name(&source.file));
    }
}

/// Nobody gates the user's own hooks, but a change of them does not go by
/// without a word: malware writes there too. No copy: the file is gone.
pub(super) fn change(
    around: &Surroundings,
    source: &Source,
    good: Option<&Good>,
    looking: Looking,
) -> Option<Change> {
    if !matches!(source.level, Level::User | Level::ClaudeUser) {
        return None;
    }
    let bytes = good.map(|good| good.bytes.as_slice());
    let definitions = good.map_or(&[][..], |good| &good.definitions);
    let seeing = around.trust.seen(source, bytes, definitions, looking)?;
    let mut problem = Problem::warning(
        "user-hooks-changed",
        format!("changed since they were last used: {}", describe(&seeing.difference)),
    )
    .help("if it was not you, look at them: `boathook list`");
    problem.file = Some(source.file.clone());
    Some(Change { problem, level: source.level, seeing })
}

/// The copy was made after the file last changed, and is as long.
fn is_current(copy: &Path, source: &Source, good: &Good) -> bool {
    let copied = read_file::facts(copy).map(|facts| facts.stamp);
    let file = read_file::facts(&source.file).map(|facts| facts.stamp);
    copied.zip(file).is_some_and(|(copied, file)| {
        copied.size == good.bytes.len() as u64 + SEAL
            && copied.modified > file.changed
            && (!good.whole || file.size + SEAL == copied.size)
    })
}

fn name(file: &Path) -> String {
    Digest::of(file.as_os_str().as_encoded_bytes()).to_string()
}
