//! The text of one file of cases → cases and problems, each with its place.
//!
//! A file holds one case or a list of them, comments allowed. A misspelt key
//! is an error: a case that silently expects nothing would prove nothing.

use std::ops::Range;
use std::path::{Component, Path, PathBuf};

use boathook_engine::config::{json_tree, nearest_name};
use boathook_engine::event::{EVENTS, EventKind};
use boathook_engine::problem::{Place, Problem, Severity};
use jsonc_parser::ast::{Object, ObjectProp, Value as Node};
use jsonc_parser::common::Ranged;
use serde_json::{Map, Value};

use crate::payload_args::nearest_field;

use super::case::{Case, Expect, Pattern};
use super::steering::steers_programs;

const CASE_KEYS: [&str; 7] = ["name", "event", "payload", "files", "scratch", "env", "expect"];
const EXPECT_KEYS: [&str; 4] = ["exit", "answer", "ran", "failed"];

/// The least a case can be.
pub const EXAMPLE: &str = r#"{
  "name": "a force push is refused",
  "event": "beforeShellExecution",
  "payload": { "command": "git push --force" },
  "expect": { "exit": 2 }
}"#;

/// Every case of a file, and everything that is wrong in it.
pub fn read(file: &Path, text: &str) -> (Vec<Case>, Vec<Problem>) {
    let mut reader = Reader { file, text, problems: Vec::new() };
    let tree = match json_tree(text) {
        Ok(tree) => tree,
        Err(problem) => return (Vec::new(), vec![placed(*problem, file)]),
    };
    let cases = match &tree {
        Node::Array(list) => {
            let numbered = list.elements.iter().enumerate();
            numbered.filter_map(|(index, node)| reader.case(node, Some(index + 1))).collect()
        }
        one => reader.case(one, None).into_iter().collect(),
    };
    reader.problems.sort_by_key(|problem| problem.place.as_ref().map_or(0, |place| place.bytes.start));
    (cases, reader.problems)
}

struct Reader<'t> {
    file: &'t Path,
    text: &'t str,
    problems: Vec<Problem>,
}

impl Reader<'_> {
    /// A case without a mistake; mistakes are added to the problems.
    fn case(&mut self, node: &Node<'_>, number: Option<usize>) -> Option<Case> {
        let before = self.errors();
        let Some(object) = node.as_object() else {
            self.wrong(bytes(node), "a case is an object", &format!("write {EXAMPLE}"));
            return None;
        };
        self.keys(object, &CASE_KEYS, "a case");
        self.numbers(node);
        let event = self.event(object, bytes(node));
        if let (Some(event), Some(payload)) = (event, object.get_object("payload")) {
            self.slips(payload, event);
        }
        let files = self.files(object);
        let scratch = self.flag(object, "scratch") || object.get("files").is_some();
        let expect = self.expect(object, bytes(node), event);
        let case = Case {
            name: self.text(object, "name").unwrap_or_else(|| default_name(self.file, number)),
            file: self.file.to_owned(),
            line: Place::in_text(self.text, bytes(node)).line,
            event: event.unwrap_or(EVENTS[0].kind),
            payload: self.object(object, "payload").map(to_map).unwrap_or_default(),
            env: self.variables(object),
            files,
            scratch,
            expect,
        };
        (self.errors() == before).then_some(case)
    }

    fn errors(&self) -> usize {
        self.problems.iter().filter(|problem| problem.severity == Severity::Error).count()
    }

    /// A payload may have any field; one that is nearly known is told.
    fn slips(&mut self, payload: &Object<'_>, event: EventKind) {
        for property in &payload.properties {
            let name = property.name.as_str();
            let Some(near) = nearest_field(event, name) else { continue };
            let message = format!("`{}` has no field `{name}`, as far as is known", event.name());
            let problem =
                Problem::warning("test-case-field", message).help(format!("did you mean `{near}`?"));
            let place = Place::in_text(self.text, bytes(&property.name));
            self.problems.push(placed(problem.at(place), self.file));
        }
    }

    fn event(&mut self, object: &Object<'_>, whole: Range<usize>) -> Option<EventKind> {
        let Some(property) = object.get("event") else {
            self.wrong(
                whole,
                "the case names no event",
                "add \"event\": \"beforeShellExecution\", or another",
            );
            return None;
        };
        let name = self.text(object, "event")?;
        let event = EventKind::named(&name);
        if event.is_none() {
            let help = match nearest_name(&name, EVENTS.iter().map(|spec| spec.name)) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "`boathook run --help` and the manual name the events".to_owned(),
            };
            self.wrong(bytes(&property.value), &format!("there is no event `{name}`"), &help);
        }
        event
    }

    fn expect(&mut self, case: &Object<'_>, whole: Range<usize>, event: Option<EventKind>) -> Expect {
        let Some(object) = self.object(case, "expect") else {
            if case.get("expect").is_none() {
                self.wrong(
                    whole,
                    "a case without `expect` proves nothing",
                    "add \"expect\": { \"exit\": 2 }",
                );
            }
            return Expect::default();
        };
        self.keys(object, &EXPECT_KEYS, "`expect`");
        if object.properties.is_empty() {
            self.wrong(bytes(object), "an empty `expect` proves nothing", "write { \"exit\": 0 }, or more");
        }
        let answer = self.object(object, "answer");
        if let (Some(answer), Some(event)) = (answer, event) {
            self.answer_keys(answer, event);
        }
        Expect {
            exit: self.exit(object),
            answer: answer.map(to_map),
            ran: self.texts(object, "ran"),
            failed: self.texts(object, "failed").unwrap_or_default(),
        }
    }

    /// An expectation of a field that no answer of the event carries can never be met.
    fn answer_keys(&mut self, answer: &Object<'_>, event: EventKind) {
        let names = event.spec().answers.iter().map(|field| field.name());
        for property in &answer.properties {
            let name = property.name.as_str();
            if !names.clone().any(|known| known == name) {
                let help = match nearest_name(name, names.clone()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None if event.spec().answers.is_empty() => "write {}".to_owned(),
                    None => format!("it may carry {}", names.clone().collect::<Vec<_>>().join(", ")),
                };
                let message = format!("the answer of {} never carries `{name}`", event.name());
                self.wrong(bytes(&property.name), &message, &help);
            }
            let value = to_value(&property.value);
            if let Some(error) = Pattern::of(&value).and_then(|pattern| pattern.error()) {
                let message = format!("the expression does not compile: {error}");
                self.wrong(bytes(&property.value), &message, "`contains` looks for plain text");
            }
        }
    }

    fn exit(&mut self, object: &Object<'_>) -> Option<u8> {
        let property = object.get("exit")?;
        match to_value(&property.value).as_u64() {
            Some(0) => Some(0),
            Some(2) => Some(2),
            _ => {
                self.wrong(
                    bytes(&property.value),
                    "`exit` is 0, or 2 when the event is refused",
                    "write 0 or 2",
                );
                None
            }
        }
    }

    /// Whoever may write a case may not choose what program a trusted hook becomes.
    fn variables(&mut self, case: &Object<'_>) -> Vec<(String, String)> {
        let mut variables = Vec::new();
        for property in self.object(case, "env").map(|object| &object.properties[..]).unwrap_or_default() {
            let name = property.name.as_str();
            if name.is_empty() || name.contains(['=', '\0']) {
                self.wrong(bytes(&property.name), "this is no name of a variable", "write letters and `_`");
            } else if steers_programs(name) {
                let message = format!("`{name}` steers other programs; a case may not set it");
                self.wrong(bytes(&property.name), &message, "set it where `boathook test` is called");
            }
            match property.value.as_string_lit() {
                Some(value) if !value.value.contains('\0') => {
                    variables.push((name.to_owned(), value.value.to_string()));
                }
                Some(_) | None => {
                    self.wrong(bytes(&property.value), "a variable's value is a text", "put it in quotes");
                }
            }
        }
        variables
    }

    fn files(&mut self, case: &Object<'_>) -> Vec<(PathBuf, String)> {
        let mut files = Vec::new();
        for property in self.object(case, "files").map(|object| &object.properties[..]).unwrap_or_default() {
            match (inside(property.name.as_str()), property.value.as_string_lit()) {
                (Ok(path), Some(text)) => files.push((path, text.value.to_string())),
                (Ok(_), None) => {
                    self.wrong(bytes(&property.value), "a file's contents are a text", "put them in quotes");
                }
                (Err((problem, help)), _) => self.wrong(bytes(&property.name), problem, help),
            }
        }
        files
    }

    fn keys(&mut self, object: &Object<'_>, known: &[&'static str], whose: &str) {
        let mut seen: Vec<&str> = Vec::new();
        for property in &object.properties {
            let name = property.name.as_str();
            if seen.contains(&name) {
                self.wrong(
                    bytes(&property.name),
                    &format!("the key `{name}` stands twice"),
                    "remove one of the two",
                );
            } else if !known.contains(&name) {
                let help = match nearest_name(name, known.iter().copied()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("it may have {}", known.join(", ")),
                };
                self.wrong(bytes(&property.name), &format!("{whose} has no key `{name}`"), &help);
            }
            seen.push(name);
        }
    }

    /// A number that would become another one, or nothing, proves something else.
    fn numbers(&mut self, node: &Node<'_>) {
        match node {
            Node::NumberLit(number) if serde_json::from_str::<Value>(number.value).is_err() => {
                self.wrong(bytes(number), "JSON cannot hold this number", "write a smaller one, like 30");
            }
            Node::Object(object) => object.properties.iter().for_each(|it| self.numbers(&it.value)),
            Node::Array(list) => list.elements.iter().for_each(|element| self.numbers(element)),
            Node::NumberLit(_) | Node::StringLit(_) | Node::BooleanLit(_) | Node::NullKeyword(_) => {}
        }
    }

    fn text(&mut self, object: &Object<'_>, name: &str) -> Option<String> {
        let property = object.get(name)?;
        let text = property.value.as_string_lit().map(|text| text.value.to_string());
        self.must_be(property, text.is_some(), "a text");
        text
    }

    fn flag(&mut self, object: &Object<'_>, name: &str) -> bool {
        let Some(property) = object.get(name) else { return false };
        let flag = property.value.as_boolean_lit().map(|flag| flag.value);
        self.must_be(property, flag.is_some(), "true or false");
        flag.unwrap_or_default()
    }

    fn texts(&mut self, object: &Object<'_>, name: &str) -> Option<Vec<String>> {
        let property = object.get(name)?;
        let list = property.value.as_array().map(|list| list.elements.iter());
        let texts = list.and_then(|mut list| {
            list.try_fold(Vec::new(), |mut texts, node| {
                texts.push(node.as_string_lit()?.value.to_string());
                Some(texts)
            })
        });
        self.must_be(property, texts.is_some(), "a list of texts");
        texts
    }

    fn object<'a, 'o>(&mut self, object: &'a Object<'o>, name: &str) -> Option<&'a Object<'o>> {
        let property = object.get(name)?;
        let inner = property.value.as_object();
        self.must_be(property, inner.is_some(), "an object");
        inner
    }

    fn must_be(&mut self, property: &ObjectProp<'_>, fine: bool, what: &str) {
        if !fine {
            let message = format!("`{}` must be {what}", property.name.as_str());
            self.wrong(bytes(&property.value), &message, &format!("write {what}"));
        }
    }

    fn wrong(&mut self, bytes: Range<usize>, message: &str, help: &str) {
        let problem = Problem::error("test-case", message).help(help);
        self.problems.push(placed(problem.at(Place::in_text(self.text, bytes)), self.file));
    }
}

/// A path that stays below the workspace, and out of what decides what runs.
fn inside(name: &str) -> Result<PathBuf, (&'static str, &'static str)> {
    let path = Path::new(name);
    let plain = |part: Component<'_>| matches!(part, Component::Normal(_));
    if name.is_empty() || name.contains('\0') || !path.components().all(plain) {
        return Err(("this path leads out of the workspace", "write one below it, like \"src/a.txt\""));
    }
    let first = path.components().next().map(|part| part.as_os_str().to_ascii_lowercase());
    if first.is_some_and(|first| first == ".cursor" || first == ".claude") {
        return Err(("a case may not replace hooks", "leave it out: the copy has those of the workspace"));
    }
    Ok(path.to_owned())
}

fn default_name(file: &Path, number: Option<usize>) -> String {
    let stem = file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    number.map_or_else(|| stem.clone(), |number| format!("{stem} {number}"))
}

fn placed(mut problem: Problem, file: &Path) -> Problem {
    problem.file = Some(file.to_owned());
    problem
}

fn bytes(node: &impl Ranged) -> Range<usize> {
    node.start()..node.end()
}

fn to_map(object: &Object<'_>) -> Map<String, Value> {
    object.properties.iter().map(|it| (it.name.as_str().to_owned(), to_value(&it.value))).collect()
}

/// The same value; how deep it nests was looked at before it was parsed.
fn to_value(node: &Node<'_>) -> Value {
    match node {
        Node::StringLit(text) => Value::from(text.value.as_ref()),
        Node::NumberLit(number) => serde_json::from_str(number.value).unwrap_or_default(),
        Node::BooleanLit(flag) => Value::from(flag.value),
        Node::Object(object) => Value::Object(to_map(object)),
        Node::Array(list) => list.elements.iter().map(to_value).collect(),
        Node::NullKeyword(_) => Value::Null,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_breaks_the_reader() {
        let deep = "[".repeat(100_000);
        let texts = [
            "",
            " ",
            "null",
            "[]",
            "{",
            "[[[]]]",
            &deep,
            "\u{0}",
            "{\"event\": null}",
            "{\"expect\": []}",
            "{\"event\": \"stop\", \"expect\": {\"answer\": {\"followup_message\": {\"matches\": \"(\"}}}}",
            "{\"files\": {\"\": 1, \"a\\u0000b\": \"\"}, \"env\": {\"\": \"\", \"A=B\": \"\"}}",
        ];
        for text in texts {
            let (cases, problems) = read(Path::new("x.json"), text);
            assert!(cases.is_empty(), "{text:.60}");
            assert!(text == "[]" || !problems.is_empty(), "{text:.60}");
        }
    }

    #[test]
    fn a_path_stays_below_the_workspace_and_out_of_its_hooks() {
        for path in
            ["", "..", "../x", "/x", "a/../../x", ".", "./x", ".cursor/x", ".CURSOR/hooks.json", ".claude/x"]
        {
            assert!(inside(path).is_err(), "{path}");
        }
        for path in ["x", "a/b c.txt", ".env", "src/.cursor/x"] {
            assert!(inside(path).is_ok(), "{path}");
        }
    }
}
