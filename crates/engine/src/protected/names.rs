//! When two names mean one file, on some file system.

use std::path::Path;

use crate::source::Os;

/// The parts of a path, `.` and `..` resolved as text and the roots that the
/// kernel shows under `/proc` taken away.
pub(crate) fn parts(path: &Path, os: Os) -> Vec<String> {
    let text = path.to_string_lossy();
    let text = match os {
        Os::Windows => text.replace('\\', "/"),
        Os::Linux | Os::Macos => text.into_owned(),
    };
    let mut parts: Vec<String> = Vec::new();
    for part in text.split('/') {
        match part {
            "" | "." => {}
            // The forms `\\?\` and `\\.\` of a path of Windows.
            "?" if parts.is_empty() => {}
            ".." => drop(parts.pop()),
            name => parts.push(name.to_owned()),
        }
        if is_process_root(&parts) {
            parts.clear();
        }
    }
    parts
}

/// Whether a path starts at a root.
pub(crate) fn is_absolute(path: &Path, os: Os) -> bool {
    let text = path.to_string_lossy();
    let has_drive = os == Os::Windows && text.as_bytes().get(1) == Some(&b':');
    path.is_absolute() || has_drive || (os == Os::Windows && text.starts_with(['/', '\\']))
}

/// Whether a part is another spelling of a name.
pub(crate) fn same(part: &str, name: &str) -> bool {
    let (part, name) = (fold(part), fold(name));
    part == name || is_short_form(&part, &name)
}

/// `/proc/self/root` and its like lead back to `/`.
fn is_process_root(parts: &[String]) -> bool {
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    let is_process =
        |name: &str| matches!(name, "self" | "thread-self") || name.chars().all(|c| c.is_ascii_digit());
    match parts.as_slice() {
        ["proc", process, "root"] => is_process(process),
        ["proc", process, "task", thread, "root"] => is_process(process) && is_process(thread),
        _ => false,
    }
}

/// A name as the most forgiving file system compares it.
fn fold(name: &str) -> String {
    // What follows a colon names a stream of the same file on Windows; a
    // drive keeps its colon.
    let name = match name.split_once(':') {
        Some((file, _)) if file.chars().count() > 1 => file,
        Some(_) | None => name,
    };
    let visible = name.chars().filter(|c| !is_ignored(*c)).flat_map(char::to_lowercase);
    // The long s is an s in another case, which lower case alone does not tell.
    let folded: String = visible.map(|c| if c == 'ſ' { 's' } else { c }).collect();
    let trimmed = folded.trim_end_matches(['.', ' ']);
    if trimmed.is_empty() { folded } else { trimmed.to_owned() }
}

/// Code points that some file systems leave out when they compare names, and
/// those that a person cannot see.
fn is_ignored(c: char) -> bool {
    matches!(c,
        '\u{00AD}' | '\u{034F}' | '\u{061C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}'
        | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}'
        | '\u{FFF0}'..='\u{FFF8}' | '\u{E0000}'..='\u{E0FFF}')
        || c.is_control()
}

/// `CURSOR~1` for `.cursor`, `HOOKS~1.JSO` for `hooks.json`, and the form with
/// four digits of a checksum that Windows takes when there are many.
fn is_short_form(part: &str, name: &str) -> bool {
    let (stem, extension) = split_extension(part);
    let Some((stem, number)) = stem.rsplit_once('~') else { return false };
    if stem.is_empty() || number.is_empty() || !number.chars().all(|c| c.is_ascii_digit()) {
        return false;
    }
    let (long, long_extension) = split_extension(name.trim_start_matches('.'));
    let long: String = long.chars().filter(|c| !matches!(c, ' ' | '.')).collect();
    let three: String = long_extension.chars().take(3).collect();
    let checksum =
        stem.get(2..).is_some_and(|rest| rest.len() == 4 && rest.chars().all(|c| c.is_ascii_hexdigit()));
    let begins =
        long.starts_with(stem) || (checksum && stem.get(..2).is_some_and(|two| long.starts_with(two)));
    extension == three && begins
}

fn split_extension(name: &str) -> (&str, &str) {
    name.rsplit_once('.').unwrap_or((name, ""))
}
