//! A patch in the form models write (`*** Begin Patch`) as calls of ours, one
//! for each file.
//!
//! It is read to know what would change, never to change it. What looks like
//! the head of a file counts as one wherever it stands, so that no file goes
//! unseen.

use serde_json::{Map, Value, json};

use crate::agent::{NativeCall, NotUnderstood, ToolCall, ToolClass};
use crate::input::Edit;

/// A patch of more files is not looked through; nobody waits that long.
const MOST_FILES: usize = 500;

/// Why a patch is refused of which a hook wants another.
pub(super) const NOT_REWRITTEN: &str = "A hook wants this patch to change something else than it does, and a patch cannot be rewritten here, so it was refused. Make the change with a tool that edits one file.";

const HEADS: [(&str, Kind); 4] = [
    ("*** Add File:", Kind::Add),
    ("*** Update File:", Kind::Update),
    ("*** Delete File:", Kind::Delete),
    ("*** Move to:", Kind::Update),
];

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Add,
    Update,
    Delete,
}

/// What the patch in this field of the input would change.
pub(super) fn calls(native: &NativeCall, field: &str) -> Result<Vec<ToolCall>, NotUnderstood> {
    let Some(text) = native.input.get(field).and_then(Value::as_str) else {
        return Err(NotUnderstood(format!("`{field}` of {} is not the text of a patch", native.name)));
    };
    let mut found = Vec::new();
    let mut body: Vec<&str> = Vec::new();
    let mut file: Option<(Kind, &str)> = None;
    for line in text.lines() {
        let Some(head) = head(line) else {
            body.push(line);
            continue;
        };
        found.extend(file.map(|(kind, path)| change(kind, path, &body)));
        body.clear();
        file = Some(head);
    }
    found.extend(file.map(|(kind, path)| change(kind, path, &body)));
    if found.len() > MOST_FILES {
        let count = found.len();
        return Err(NotUnderstood(format!("the patch changes {count} files, and {MOST_FILES} are the most")));
    }
    if found.is_empty() {
        found.push(writing(json!({ "content": text }), Vec::new()));
    }
    Ok(found)
}

fn head(line: &str) -> Option<(Kind, &str)> {
    let line = line.trim();
    HEADS.iter().find_map(|(head, kind)| Some((*kind, line.strip_prefix(head)?.trim())))
}

fn change(kind: Kind, path: &str, body: &[&str]) -> ToolCall {
    let edits = match kind {
        Kind::Delete => {
            let call = writing(json!({ "file_path": path }), Vec::new());
            return ToolCall { name: "Delete".to_owned(), ..call };
        }
        Kind::Add => vec![edit(body)],
        Kind::Update => {
            body.split(|line| line.starts_with("@@")).map(edit).filter(|edit| !same(edit)).collect()
        }
    };
    let input = match (kind, edits.as_slice()) {
        (Kind::Add, [one]) => json!({ "file_path": path, "content": one.new_string }),
        (_, [one]) => {
            json!({ "file_path": path, "old_string": one.old_string, "new_string": one.new_string })
        }
        (_, []) => json!({ "file_path": path }),
        (_, edits) => json!({ "file_path": path, "edits": edits }),
    };
    writing(input, vec![(path.to_owned(), edits)])
}

fn same(edit: &Edit) -> bool {
    edit.old_string == edit.new_string
}

/// The lines before and after: a blank before a line means it stays.
fn edit(lines: &[&str]) -> Edit {
    let mut edit = Edit { old_string: String::new(), new_string: String::new() };
    for line in lines {
        let (old, new, rest) = match line.split_at_checked(1) {
            Some(("+", rest)) => (false, true, rest),
            Some(("-", rest)) => (true, false, rest),
            Some((" ", rest)) => (true, true, rest),
            None => (true, true, ""),
            Some(_) => continue,
        };
        for (wanted, text) in [(old, &mut edit.old_string), (new, &mut edit.new_string)] {
            if wanted {
                text.push_str(rest);
                text.push('\n');
            }
        }
    }
    edit
}

fn writing(input: Value, edits: Vec<(String, Vec<Edit>)>) -> ToolCall {
    let input = match input {
        Value::Object(fields) => fields,
        _ => Map::new(),
    };
    ToolCall { name: "Write".to_owned(), class: ToolClass::Write, input, edits, server: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_a_patch_is_a_call() {
        let text = "*** Begin Patch\n*** Add File: new.txt\n+one\n+two\n*** Update File: a.txt\n*** Move to: b.txt\n@@ here\n x\n-y\n+z\n@@\n-p\n*** Delete File: gone\n*** End Patch\n";
        let cases: [(&str, &str, Value); 4] = [
            ("Write", "new.txt", json!({"file_path": "new.txt", "content": "one\ntwo\n"})),
            ("Write", "a.txt", json!({"file_path": "a.txt"})),
            (
                "Write",
                "b.txt",
                json!({"file_path": "b.txt", "edits": [{"old_string": "x\ny\n", "new_string": "x\nz\n"}, {"old_string": "p\n", "new_string": ""}]}),
            ),
            ("Delete", "gone", json!({"file_path": "gone"})),
        ];
        let native = NativeCall { name: "apply_patch".to_owned(), id: None, input: of("input", text) };
        let calls = calls(&native, "input").expect("a patch");
        assert_eq!(calls.len(), cases.len());
        for (call, (name, path, input)) in calls.iter().zip(cases) {
            assert_eq!((call.name.as_str(), Value::Object(call.input.clone())), (name, input), "{path}");
            assert_eq!(call.class, ToolClass::Write, "{path}");
        }
    }

    #[test]
    fn what_names_no_file_is_still_seen_and_what_is_no_text_is_refused() {
        let native = |text: Value| {
            let mut input = Map::new();
            input.insert("input".to_owned(), text);
            NativeCall { name: "apply_patch".to_owned(), id: None, input }
        };
        let seen = calls(&native(json!("nonsense")), "input").expect("one call");
        assert_eq!(Value::Object(seen[0].input.clone()), json!({"content": "nonsense"}));
        let error = calls(&native(json!(["x"])), "input").expect_err("no text").to_string();
        assert_eq!(error, "`input` of apply_patch is not the text of a patch");
        let many = "*** Delete File: a\n".repeat(MOST_FILES + 1);
        assert!(calls(&native(json!(many)), "input").is_err());
        let indented = calls(&native(json!("  *** Add File: .env\n+x")), "input").expect("one call");
        assert_eq!(indented[0].input["file_path"], ".env");
    }

    fn of(field: &str, text: &str) -> Map<String, Value> {
        let mut input = Map::new();
        input.insert(field.to_owned(), json!(text));
        input
    }
}
