//! An event as the plugin would have seen it: a tool, its input, a prompt.
//!
//! Made once for all rules of an event; every field is looked up once.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use serde_json::{Map, Value};

use super::condition::Field;
use super::{About, Mode, python_text};
use crate::event::Call;
use crate::matcher::python::Pairs;
use crate::rule::Look;

/// The tools that change files, in the plugin's words and in the product's.
const EDITORS: [&str; 3] = ["Edit", "Write", "MultiEdit"];
/// Tools whose calls the product reports under one name.
const WRITES: [&str; 4] = ["Write", "Edit", "MultiEdit", "NotebookEdit"];
/// Names of one thing: which of them an input has depends on who sent it.
const SYNONYMS: [&[&str]; 2] = [&["file_path", "path", "notebook_path"], &["content", "contents"]];
/// Where the input of an edit brings text; one may use several.
const NEW_TEXTS: [&str; 6] = ["new_string", "new_text", "content", "contents", "new_source", "patch"];
/// What rules call the text that an edit brings.
const NEW_TEXT: [&str; 3] = ["new_text", "new_string", "content"];

/// The views of one event, one for each mode.
#[derive(Default)]
pub struct Views {
    fixed: OnceCell<View>,
    faithful: OnceCell<View>,
}

/// What rules of one mode see.
pub struct View {
    mode: Mode,
    /// What happens.
    pub call: Call,
    /// The tool, in the plugin's words.
    tool: String,
    /// The tool, in the product's words.
    named: String,
    input: OnceCell<Map<String, Value>>,
    known: RefCell<Vec<(Field, Option<Rc<Seen>>)>>,
}

/// The text of a field.
pub struct Seen {
    /// All of it.
    pub text: String,
    pairs: OnceCell<Option<Pairs>>,
}

impl Seen {
    /// The pairs of letters in it; none when it is not ASCII alone.
    pub fn pairs(&self) -> Option<&Pairs> {
        self.pairs.get_or_init(|| self.text.is_ascii().then(|| Pairs::of(&self.text))).as_ref()
    }
}

impl Views {
    /// The view of a mode.
    pub fn of(&self, look: &Look<'_>, mode: Mode) -> &View {
        let cell = match mode {
            Mode::Fixed => &self.fixed,
            Mode::Faithful => &self.faithful,
        };
        cell.get_or_init(|| View::new(look, mode))
    }
}

impl View {
    fn new(look: &Look<'_>, mode: Mode) -> View {
        let call = look.event.kind.spec().call;
        let named = match call {
            Call::Tool => look.event.payload.text("tool_name").unwrap_or_default(),
            Call::Shell => "Shell".to_owned(),
            Call::Read => "Read".to_owned(),
            Call::Edit => "MultiEdit".to_owned(),
            Call::Prompt | Call::Stop | Call::None => String::new(),
        };
        let tool = if named == "Shell" { "Bash".to_owned() } else { named.clone() };
        View { mode, call, tool, named, input: OnceCell::new(), known: RefCell::default() }
    }

    /// The tool, in the plugin's words; empty where there is none.
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// Whether it is a command.
    pub fn is_shell(&self) -> bool {
        self.tool == "Bash"
    }

    /// Whether rules about this are asked. `tools` may name a tool that no
    /// word of the head stands for.
    pub fn is_about(&self, about: About, tools: Option<&[String]>) -> bool {
        match self.call {
            Call::Prompt => matches!(about, About::Prompt | About::All),
            Call::Stop => matches!(about, About::Stop | About::All),
            Call::Read => matches!(about, About::File | About::All),
            Call::None => false,
            Call::Shell | Call::Tool | Call::Edit => match self.tool.as_str() {
                "Bash" => matches!(about, About::Bash | About::All),
                tool if EDITORS.contains(&tool) => matches!(about, About::File | About::All),
                // The plugin asks every rule about a tool it does not know.
                _ if self.mode == Mode::Faithful => true,
                "NotebookEdit" => matches!(about, About::File | About::All),
                _ => about == About::All || (about == About::File && tools.is_some()),
            },
        }
    }

    /// Whether the tool is one of a rule's.
    pub fn is_tool_of(&self, tools: Option<&[String]>) -> bool {
        let Some(tools) = tools else { return true };
        let is_same = |name: &String| {
            name == "*" || *name == self.tool || (self.mode == Mode::Fixed && self.is_also(name))
        };
        tools.iter().any(is_same)
    }

    /// The product has one word where the plugin has several.
    fn is_also(&self, name: &str) -> bool {
        name == self.named || (WRITES.contains(&name) && matches!(self.named.as_str(), "Write" | "MultiEdit"))
    }

    /// The text of a field; none when the event has no such thing.
    pub fn field(&self, look: &Look<'_>, field: &Field) -> Option<Rc<Seen>> {
        if let Some((_, known)) = self.known.borrow().iter().find(|(known, _)| known == field) {
            return known.clone();
        }
        let found = match field {
            Field::Named(name) => self.named_field(look, name),
            Field::Subject => self.named_field(look, self.subject_name()),
        };
        let found = found.map(|text| Rc::new(Seen { text, pairs: OnceCell::new() }));
        self.known.borrow_mut().push((field.clone(), found.clone()));
        found
    }

    fn named_field(&self, look: &Look<'_>, name: &str) -> Option<String> {
        if self.mode == Mode::Fixed && self.is_edit() && NEW_TEXT.contains(&name) {
            return Some(self.new_text(look));
        }
        self.input(look, name).or_else(|| self.of_event(look, name)).or_else(|| self.of_tool(look, name))
    }

    fn is_edit(&self) -> bool {
        matches!(self.call, Call::Tool | Call::Edit) && WRITES.contains(&self.tool.as_str())
    }

    /// All text that an edit brings, whatever its input calls it: a rule must
    /// not miss one because another stands beside it.
    fn new_text(&self, look: &Look<'_>) -> String {
        let edits = self.edits(look, "new_string");
        let whole = NEW_TEXTS.iter().filter_map(|name| self.input(look, name));
        let texts: Vec<String> = whole.chain([edits]).filter(|text| !text.is_empty()).collect();
        texts.join("\n")
    }

    /// What a plain `pattern` of an `all` rule is about.
    pub fn subject_name(&self) -> &'static str {
        match self.call {
            Call::Prompt => "user_prompt",
            Call::Stop => "transcript",
            _ if self.is_shell() => "command",
            Call::Shell | Call::Tool | Call::Read | Call::Edit | Call::None => "content",
        }
    }

    /// A key of the tool's input.
    fn input(&self, look: &Look<'_>, name: &str) -> Option<String> {
        let payload = &look.event.payload;
        let value = match self.call {
            Call::Tool => return self.tool_input(look).get(name).map(python_text::text),
            Call::Shell if matches!(name, "command" | "cwd" | "sandbox") => payload.get(name)?,
            Call::Read if matches!(name, "file_path" | "content") => payload.get(name)?,
            Call::Edit if matches!(name, "file_path" | "edits") => payload.get(name)?,
            Call::Shell | Call::Read | Call::Edit | Call::Prompt | Call::Stop | Call::None => return None,
        };
        // Most are plain texts, which need no tree.
        crate::payload::text_of(value)
            .or_else(|| serde_json::from_str(value.get()).ok().map(|value| python_text::text(&value)))
    }

    fn tool_input(&self, look: &Look<'_>) -> &Map<String, Value> {
        self.input.get_or_init(|| {
            let input = look.event.payload.get("tool_input");
            match input.and_then(|input| serde_json::from_str(input.get()).ok()) {
                Some(Value::Object(input)) => input,
                Some(Value::String(text)) if self.mode == Mode::Fixed => self.input_in(text),
                Some(_) | None => Map::new(),
            }
        })
    }

    /// The input in a text: an object as JSON, or what the tool is about.
    fn input_in(&self, text: String) -> Map<String, Value> {
        serde_json::from_str(&text).unwrap_or_else(|_| {
            let name = if self.is_shell() { "command" } else { "content" };
            [(name.to_owned(), Value::String(text))].into_iter().collect()
        })
    }

    /// What belongs to the event and not to a tool.
    fn of_event(&self, look: &Look<'_>, name: &str) -> Option<String> {
        let payload = &look.event.payload;
        let fixed = self.mode == Mode::Fixed;
        let prompt = || payload.text("prompt").or_else(|| payload.text("prompt_text"));
        match name {
            "reason" if fixed => {
                payload.text("reason").or_else(|| payload.text("status")).or(Some(String::new()))
            }
            "reason" => Some(payload.text("reason").unwrap_or_default()),
            // What nothing shows to be done counts as not done: a rule that wants
            // tests before a stop must not fall silent where a host keeps no transcript.
            "transcript" if fixed && self.call == Call::Stop => {
                Some(look.transcript().unwrap_or_default().to_owned())
            }
            "transcript" => look.transcript().map(str::to_owned),
            "user_prompt" | "prompt" if fixed && self.call == Call::Prompt => {
                payload.text("user_prompt").or_else(prompt).or(Some(String::new()))
            }
            "user_prompt" => Some(payload.text("user_prompt").unwrap_or_default()),
            "status" if fixed && self.call == Call::Stop => payload.text("status"),
            _ => None,
        }
    }

    /// What the plugin makes up for a tool's input.
    fn of_tool(&self, look: &Look<'_>, name: &str) -> Option<String> {
        let fixed = self.mode == Mode::Fixed;
        let input = |name: &str| self.input(look, name);
        let or_empty = |found: Option<String>| Some(found.unwrap_or_default());
        if fixed && let Some(found) = synonym(name).find_map(input) {
            return Some(found);
        }
        match (self.tool.as_str(), name) {
            ("Bash", "command") => or_empty(None),
            ("MultiEdit", "file_path") => or_empty(None),
            ("MultiEdit", "new_text" | "content") => Some(self.edits(look, "new_string")),
            ("MultiEdit", "old_text" | "old_string") if fixed => Some(self.edits(look, "old_string")),
            ("Write" | "Edit", "content") => or_empty(input("new_string")),
            ("Write" | "Edit", "new_text" | "new_string") => or_empty(input("new_string")),
            ("Write" | "Edit", "old_text" | "old_string") => or_empty(input("old_string")),
            ("Write" | "Edit", "file_path") => or_empty(None),
            _ => None,
        }
    }

    /// The texts of all edits, joined by a space as the plugin does.
    fn edits(&self, look: &Look<'_>, key: &str) -> String {
        let written: Option<Value> = match self.call {
            Call::Edit => look.event.payload.get("edits").and_then(|it| serde_json::from_str(it.get()).ok()),
            _ => self.tool_input(look).get("edits").cloned(),
        };
        let edits = written.as_ref().and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let texts = edits.iter().map(|edit| edit.get(key).and_then(Value::as_str).unwrap_or_default());
        texts.collect::<Vec<_>>().join(" ")
    }
}

/// Other names of the same thing.
fn synonym(name: &str) -> impl Iterator<Item = &'static str> {
    let same = SYNONYMS.iter().find(|names| names.contains(&name)).copied().unwrap_or_default();
    let others: Vec<&str> = same.iter().copied().filter(|other| *other != name).collect();
    others.into_iter()
}
