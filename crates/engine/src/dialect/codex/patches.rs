//! Patches as calls of ours, one for each file, and back again.
//!
//! A path stands as Codex would find it: from the directory the call runs in,
//! with `.` and `..` taken out of it.

use serde_json::{Map, Value, json};

use crate::agent::patch::{self, Change, Chunk, FileChange, Patch};
use crate::agent::{NotUnderstood, ToolCall, ToolClass};
use crate::input::Edit;

/// More files than this cannot be asked about before Codex stops waiting, and
/// then it would apply the patch.
const MOST_FILES: usize = 500;

/// What Codex says of a patch that it applied.
pub(super) const APPLIED: &str = "Success. Updated the following files:";

/// A patch, file by file. A text in which no file is found is one change with
/// the text and no path: Codex refuses it, but hooks shall see it.
pub(in crate::dialect) fn of_patch(text: &str, cwd: Option<&str>) -> Result<Vec<ToolCall>, NotUnderstood> {
    let patch = patch::read(text);
    let calls = calls(&patch, text, cwd)?;
    Ok(if calls.is_empty() { vec![writing(object(json!({ "content": text })), Vec::new())] } else { calls })
}

/// The patches that a command line hands to `apply_patch`.
pub(super) fn in_command(command: &str, cwd: Option<&str>) -> Result<Vec<ToolCall>, NotUnderstood> {
    let mut found = Vec::new();
    let Some(place) = command.find("apply_patch").or_else(|| command.find("applypatch")) else {
        return Ok(found);
    };
    let dir = directory(&command[..place], cwd);
    // A shell makes newlines of `\n` in `$'…'`, and so does printf.
    let spelt = command.replace("\\n", "\n").replace("\\t", "\t").replace("\\'", "'");
    let command = if spelt.contains(patch::BEGIN) && !has_lines(command) { &spelt } else { command };
    for text in command.split(patch::BEGIN).skip(1) {
        let body = text.split(patch::END).next().unwrap_or(text);
        let text = format!("{}{body}{}\n", patch::BEGIN, patch::END);
        found.extend(calls(&patch::read(&text), &text, dir.as_deref())?);
    }
    Ok(found)
}

/// Whether a patch in it begins with a line of its own.
fn has_lines(command: &str) -> bool {
    command.match_indices(patch::BEGIN).all(|(at, begin)| {
        command[at + begin.len()..].trim_start_matches([' ', '\t', '\r']).starts_with('\n')
    })
}

/// The patch in which these calls have other inputs; none where a patch
/// cannot say that.
pub(in crate::dialect) fn rewritten(
    text: &str,
    cwd: Option<&str>,
    wanted: &[Option<Map<String, Value>>],
) -> Option<String> {
    let mut patch = patch::read(text);
    let given = of_patch(text, cwd).ok()?;
    if !patch.clean || given.len() != patch.files.iter().map(count).sum::<usize>() {
        return None;
    }
    let mut number = 0;
    for file in &mut patch.files {
        let last = number + count(file) - 1;
        if let Some(input) = wanted.get(last)?.as_ref() {
            rewrite(file, &given[last].input, input)?;
        }
        number = last + 1;
    }
    let text = patch::write(&patch);
    let inputs = of_patch(&text, cwd).ok()?.into_iter().map(|call| call.input);
    let asked = given.into_iter().zip(wanted).map(|(call, wanted)| match wanted {
        Some(input) => ended(input.clone()),
        None => call.input,
    });
    // What hooks wanted must be what such a patch does, to the letter.
    inputs.eq(asked).then_some(text)
}

/// How many calls a file's change is: a move takes one away and makes another.
fn count(file: &FileChange) -> usize {
    if matches!(file.change, Change::Update { to: Some(_), .. }) { 2 } else { 1 }
}

fn calls(patch: &Patch, text: &str, cwd: Option<&str>) -> Result<Vec<ToolCall>, NotUnderstood> {
    let mut calls: Vec<ToolCall> = Vec::new();
    for FileChange { path, change } in &patch.files {
        let place = located(cwd, path);
        match change {
            Change::Add { content } => {
                let edit = Edit { old_string: String::new(), new_string: content.clone() };
                let input = json!({ "file_path": place, "content": content });
                calls.push(writing(object(input), vec![(place, vec![edit])]));
            }
            Change::Delete => calls.push(deleting(place)),
            Change::Update { to, chunks } => {
                let target = to.as_ref().map_or(place.clone(), |to| located(cwd, to));
                if to.is_some() {
                    calls.push(deleting(place));
                }
                let edits = chunks.iter().map(edit).collect();
                calls.push(writing(updating(&target, &edits), vec![(target, edits)]));
            }
        }
    }
    for path in &patch.suspects {
        let input = json!({ "file_path": located(cwd, path), "content": text });
        calls.push(writing(object(input), Vec::new()));
    }
    if calls.len() > MOST_FILES {
        let count = calls.len();
        let message = format!("the patch changes {count} files, and {MOST_FILES} are the most; split it");
        return Err(NotUnderstood(message));
    }
    Ok(calls)
}

fn writing(input: Map<String, Value>, edits: Vec<(String, Vec<Edit>)>) -> ToolCall {
    ToolCall { name: "Write".to_owned(), class: ToolClass::Write, input, edits, server: None }
}

fn deleting(path: String) -> ToolCall {
    let input = object(json!({ "file_path": path }));
    ToolCall { name: "Delete".to_owned(), ..writing(input, Vec::new()) }
}

/// One replacement by its own names, several as a list.
fn updating(path: &str, edits: &Vec<Edit>) -> Map<String, Value> {
    object(match edits.as_slice() {
        [] => json!({ "file_path": path }),
        [one] => json!({ "file_path": path, "old_string": one.old_string, "new_string": one.new_string }),
        _ => json!({ "file_path": path, "edits": edits }),
    })
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

/// Texts that can be put for each other: the newline behind the last line
/// counts where lines appear or vanish.
fn edit(chunk: &Chunk) -> Edit {
    let end = if chunk.old.is_empty() || chunk.new.is_empty() { "\n" } else { "" };
    let text = |lines: &[String]| if lines.is_empty() { String::new() } else { lines.join("\n") + end };
    Edit { old_string: text(&chunk.old), new_string: text(&chunk.new) }
}

/// Changes one file's part of a patch to what a hook wants of it.
fn rewrite(file: &mut FileChange, given: &Map<String, Value>, wanted: &Map<String, Value>) -> Option<()> {
    let path = wanted.get("file_path")?.as_str()?;
    let moved = given.get("file_path")?.as_str()? != path;
    match &mut file.change {
        Change::Add { content } => wanted.get("content")?.as_str()?.clone_into(content),
        Change::Delete => {}
        Change::Update { to, chunks } => {
            let several = wanted.get("edits").and_then(Value::as_array);
            let edits: Vec<&Map<String, Value>> = match several {
                Some(list) => list.iter().filter_map(Value::as_object).collect(),
                None => vec![wanted],
            };
            if edits.len() != chunks.len() {
                return None;
            }
            for (chunk, edit) in chunks.iter_mut().zip(edits) {
                chunk.old = lines(edit.get("old_string")?.as_str()?);
                chunk.new = lines(edit.get("new_string")?.as_str()?);
            }
            if let (Some(to), true) = (to, moved) {
                path.clone_into(to);
                return Some(());
            }
        }
    }
    if moved {
        path.clone_into(&mut file.path);
    }
    Some(())
}

fn lines(text: &str) -> Vec<String> {
    if text.is_empty() {
        return Vec::new();
    }
    text.strip_suffix('\n').unwrap_or(text).split('\n').map(str::to_owned).collect()
}

/// Codex ends every file it writes with a newline.
fn ended(mut input: Map<String, Value>) -> Map<String, Value> {
    if let Some(Value::String(content)) = input.get_mut("content")
        && !content.is_empty()
        && !content.ends_with('\n')
    {
        content.push('\n');
    }
    input
}

/// Where a command line stands when it comes to `apply_patch`.
fn directory(before: &str, cwd: Option<&str>) -> Option<String> {
    let mut dir = cwd.map(str::to_owned);
    for part in before.split(['&', ';', '\n', '|', '(']) {
        if let Some(to) = part.trim().strip_prefix("cd ") {
            let to = to.trim().trim_matches(['"', '\'']);
            dir = Some(located(dir.as_deref(), to));
        }
    }
    dir
}

/// A path from where the call runs, without `.` and `..`.
fn located(cwd: Option<&str>, path: &str) -> String {
    // On Windows both strokes separate; elsewhere one of them is a letter.
    let drive = |path: &str| path.starts_with('\\') || path.as_bytes().get(1) == Some(&b':');
    let windows = drive(cwd.unwrap_or(path));
    let rooted = path.starts_with('/') || (windows && drive(path));
    let whole = match cwd {
        Some(cwd) if !rooted => format!("{cwd}/{path}"),
        _ => path.to_owned(),
    };
    let mut kept: Vec<&str> = Vec::new();
    for (number, part) in whole.split(|letter| letter == '/' || (windows && letter == '\\')).enumerate() {
        match (part, kept.last().copied()) {
            ("" | ".", _) if number > 0 => {}
            ("..", Some("")) => {}
            ("..", Some(last)) if last != ".." => drop(kept.pop()),
            _ => kept.push(part),
        }
    }
    let stroke = if windows && !whole.contains('/') { "\\" } else { "/" };
    if kept == [""] { stroke.to_owned() } else { kept.join(stroke) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_stands_as_codex_finds_it() {
        let cases = [
            (Some("/p"), "a", "/p/a"),
            (Some("/p"), "./a//b/", "/p/a/b"),
            (Some("/p"), "../a", "/a"),
            (Some("/p"), "../../../a", "/a"),
            (Some("/p"), "~/a", "/p/~/a"),
            (Some("/p"), "a\\b", "/p/a\\b"),
            (Some("/p"), "/etc/../x", "/x"),
            (Some("/"), "..", "/"),
            (None, "a/../b", "b"),
            (None, "../b", "../b"),
            (Some("/p"), "c:x", "/p/c:x"),
            (Some("/p"), "./././a", "/p/a"),
            (Some("C:\\p"), "a", "C:/p/a"),
            (Some("C:\\p"), "D:\\x\\..\\y", "D:\\y"),
        ];
        for (cwd, path, expected) in cases {
            assert_eq!(located(cwd, path), expected, "{path}");
        }
    }

    #[test]
    fn a_patch_in_a_command_line_is_found() {
        let patch = "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch";
        let cases: &[(String, &[&str])] = &[
            (format!("apply_patch <<'EOF'\n{patch}\nEOF"), &["/p/a"]),
            (format!("cd sub && apply_patch <<'EOF'\n{patch}\nEOF"), &["/p/sub/a"]),
            (format!("cd '/etc'; ls; cd ..\napplypatch <<X\n{patch}\nX"), &["/a"]),
            (format!("apply_patch '{patch}'"), &["/p/a"]),
            (format!("apply_patch $'{}'", patch.replace('\n', "\\n")), &["/p/a"]),
            (format!("printf '{}\\n' | apply_patch", patch.replace('\n', "\\n")), &["/p/a"]),
            (format!("apply_patch <<A\n{patch}\nA\napply_patch <<B\n{patch}\nB"), &["/p/a", "/p/a"]),
            (format!("cat <<'EOF'\n{patch}\nEOF"), &[]),
            ("apply_patch < file".to_owned(), &[]),
        ];
        for (command, expected) in cases {
            let calls = in_command(command, Some("/p")).expect(command);
            let paths: Vec<_> = calls.iter().map(|call| call.input["file_path"].as_str()).collect();
            assert_eq!(paths, expected.iter().map(|path| Some(*path)).collect::<Vec<_>>(), "{command}");
        }
    }

    #[test]
    fn too_many_files_are_said_aloud() {
        let many = "*** Delete File: a\n".repeat(MOST_FILES + 1);
        let error = of_patch(&many, None).expect_err("too many").to_string();
        assert_eq!(error, "the patch changes 501 files, and 500 are the most; split it");
    }
}
