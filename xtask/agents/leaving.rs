//! Whether nothing of Boathook is left when it is taken out after a session:
//! agents rewrite their own settings, and ours must go and the user's stay all
//! the same.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::place::Place;

/// Every file of the home, by path.
pub type Files = BTreeMap<PathBuf, Vec<u8>>;

/// What we keep about what we wrote.
pub const RECORDS: &str = ".local/state/boathook/agents-installed";

/// What stands in the home.
pub fn files(place: &Place) -> Files {
    let mut all = Files::new();
    gather(&place.home, &mut all);
    all
}

/// What is wrong after uninstalling, in sentences. Before installing, after it,
/// and after the session the home was as given.
pub fn complaints(place: &Place, before: &Files, wired: &Files, ended: &Files) -> Vec<String> {
    let now = files(place);
    let mut wrong = Vec::new();
    for (file, ours) in wired.iter().filter(|(file, _)| !is_kept_by_us(place, file)) {
        let was = before.get(file);
        if was == Some(ours) {
            continue;
        }
        let (is, name) = (now.get(file), file.display());
        let untouched = ended.get(file) == Some(ours);
        match (was, is) {
            (None, None) => {}
            _ if untouched && was != is => wrong.push(format!("{name} is not again what it was")),
            (Some(_), None) => wrong.push(format!("{name} is gone")),
            (_, Some(is)) if text(is).contains("boathook") => {
                wrong.push(format!("{name} still names us: {}", text(is)));
            }
            (Some(was), Some(is)) if hooks(was) != hooks(is) => {
                wrong.push(format!("{name} has other hooks than before: {}", text(is)));
            }
            _ => {}
        }
    }
    let unfinished = |file: &&PathBuf| file.to_string_lossy().contains(".boathook-agent-");
    wrong.extend(now.keys().filter(unfinished).map(|file| format!("{} is left over", file.display())));
    let records = now.keys().filter(|file| file.starts_with(place.home.join(RECORDS)));
    let records = records.filter(|file| !file.to_string_lossy().contains("lock"));
    wrong.extend(records.map(|file| format!("{} is left over", file.display())));
    wrong
}

/// Which of the files that we wrote the agent wrote, too.
pub fn rewritten(place: &Place, before: &Files, wired: &Files, ended: &Files) -> Vec<String> {
    let ours = wired.iter().filter(|(file, text)| before.get(*file) != Some(text));
    let ours = ours.filter(|(file, _)| !is_kept_by_us(place, file));
    ours.filter(|(file, text)| ended.get(*file) != Some(text))
        .map(|(file, _)| file.display().to_string())
        .collect()
}

fn is_kept_by_us(place: &Place, file: &Path) -> bool {
    file.starts_with(place.home.join(".local/state/boathook"))
}

/// The hooks of settings; nothing where a file is no JSON.
fn hooks(bytes: &[u8]) -> Option<Value> {
    let settings: Value = serde_json::from_slice(bytes).ok()?;
    Some(settings["hooks"].clone())
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Without links: an agent may link to what is not its own.
fn gather(folder: &Path, all: &mut Files) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => gather(&path, all),
            Ok(kind) if kind.is_file() => {
                all.insert(path.clone(), fs::read(&path).unwrap_or_default());
            }
            _ => {}
        }
    }
}
