//! Rules, payloads and what follows: the engine in both modes, the generated
//! scripts under dash and bash, and a model of the plugin, on one table.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use boathook_engine::answer::Permission;
use boathook_engine::event::{Call, EventKind};
use boathook_engine::fill::Event;
use boathook_engine::outcome::Outcome;
use boathook_engine::payload::Payload;
use boathook_engine::rule::Look;
use boathook_engine::rule::hookify::{Mode, Options, Rule, WarnAs, read_rule};
use serde_json::{Value, json};

use crate::context::{TestContext, pipe};

const TRANSCRIPT: &str = "cargo build\nfinished\n";

struct Table {
    name: String,
    text: String,
    no_script: Option<String>,
    cases: Vec<Case>,
}

struct Case {
    on: EventKind,
    given: Value,
    fixed: String,
    faithful: String,
    script: String,
    why: Option<String>,
}

fn tables() -> Vec<Table> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/hookify/rules.json");
    let value: Value = serde_json::from_str(&fs::read_to_string(file).expect("the table")).expect("JSON");
    let text = |value: &Value, key: &str| value[key].as_str().map(str::to_owned);
    let case = |case: &Value| {
        let fixed = text(case, "fixed").expect("fixed");
        Case {
            on: EventKind::named(case["on"].as_str().expect("on")).expect("an event"),
            given: case["given"].clone(),
            faithful: text(case, "faithful").unwrap_or_else(|| fixed.clone()),
            script: text(case, "script").unwrap_or_else(|| fixed.clone()),
            why: text(case, "why"),
            fixed,
        }
    };
    let table = |rule: &Value| Table {
        name: text(rule, "name").expect("name"),
        text: text(rule, "rule").expect("rule"),
        no_script: text(rule, "no_script"),
        cases: rule["cases"].as_array().expect("cases").iter().map(case).collect(),
    };
    value.as_array().expect("a list").iter().map(table).collect()
}

/// What a rule says, in a word.
fn native(text: &str, mode: Mode, on: EventKind, given: &Value) -> String {
    let options = Options { mode, warn_as: WarnAs::Message };
    let found = read_rule(text.as_bytes(), Path::new("hookify.x.local.md"), options);
    let rule = found.rule.filter(|_| found.enabled && found.broken.is_none());
    rule.map_or("nothing".to_owned(), |rule| says(rule, on, given))
}

fn says(rule: Rule, on: EventKind, given: &Value) -> String {
    let event = Event::new(on, Payload::of(given));
    let transcript = |_: &str| Some(TRANSCRIPT.to_owned());
    // Named by an entry, a rule is asked wherever the entry stands.
    let said = rule.at_entry("boathook hookify x").apply(&Look::new(&event, &transcript));
    let Some(Outcome::Answer(answer)) = said.map(|said| said.outcome) else { return "nothing".to_owned() };
    if answer.permission == Some(Permission::Deny) {
        return "deny".to_owned();
    }
    let word = match (answer.proceed, &answer.followup_message) {
        (Some(false), _) => "hold",
        (_, Some(_)) => "followup",
        _ => "tell",
    };
    word.to_owned()
}

#[test]
fn both_modes_decide_as_the_table_says() {
    let mut wrong = Vec::new();
    for table in tables() {
        for case in &table.cases {
            let found =
                [Mode::Fixed, Mode::Faithful].map(|mode| native(&table.text, mode, case.on, &case.given));
            if found != [case.fixed.clone(), case.faithful.clone()] {
                wrong.push(format!("{}: {} {}: {found:?}", table.name, case.on.name(), case.given));
            }
            let differs =
                case.fixed != case.faithful || (table.no_script.is_none() && case.script != case.fixed);
            assert_eq!(
                differs,
                case.why.is_some(),
                "{}: a difference has a reason: {}",
                table.name,
                case.given
            );
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn there_are_rules_enough() {
    assert!(tables().len() >= 60);
}

/// A project with rules, converted to scripts.
struct Scripts {
    cx: TestContext,
    /// The rule's number, the script and the event it is asked at.
    made: HashMap<usize, (PathBuf, EventKind)>,
    said: String,
}

impl Scripts {
    fn of(rules: &[String]) -> Scripts {
        let cx = TestContext::new();
        for (number, text) in rules.iter().enumerate() {
            cx.write(&format!("project/.claude/hookify.r{number}.local.md"), text);
        }
        fs::create_dir(cx.path("project/.git")).expect("a directory");
        let output = cx.output(["convert", "hookify", "--scripts", "--warn-as", "message"]);
        let said =
            String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
        let text = fs::read_to_string(cx.path("project/.cursor/hooks.json")).expect("a hooks.json");
        let config: Value = serde_json::from_str(&text).expect("JSON");
        let mut made = HashMap::new();
        for (event, entries) in config["hooks"].as_object().expect("hooks") {
            for entry in entries.as_array().expect("a list") {
                let command = entry["command"].as_str().expect("a command");
                let (name, value) = command.split_once(' ').expect("a value");
                assert!(value.starts_with("\"${") && value.ends_with("}\""), "{command}");
                let number = name.trim_start_matches(".cursor/hooks/hookify-r").trim_end_matches(".sh");
                let event = EventKind::named(event).expect("an event");
                made.insert(number.parse().expect(name), (cx.path("project").join(name), event));
            }
        }
        Scripts { cx, made, said }
    }

    /// What a script says under a shell, in a word; none where it is not asked.
    fn says(&self, number: usize, shell: &str, on: EventKind, given: &Value) -> Option<String> {
        let (script, event) = self.made.get(&number)?;
        if *event != on {
            return None;
        }
        let key = match on.spec().call {
            Call::Shell => "command",
            Call::Prompt => "prompt",
            Call::Stop => "status",
            _ => "file_path",
        };
        let mut command = Command::new(shell);
        command.arg(script).arg(given[key].as_str().unwrap_or_default());
        let output = pipe(command, b"");
        let answer: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{error}: {:?}", String::from_utf8_lossy(&output.stdout)));
        assert!(
            output.stderr.is_empty(),
            "{}: {}",
            script.display(),
            String::from_utf8_lossy(&output.stderr)
        );
        let said = answer.get("user_message").or(answer.get("followup_message")).is_some();
        let word = match (answer["permission"].as_str(), answer["continue"].as_bool()) {
            (Some("deny"), _) => "deny",
            (Some("ask"), _) => "ask",
            (_, Some(false)) => "hold",
            _ if answer.get("followup_message").is_some() => "followup",
            _ if said => "tell",
            _ => "nothing",
        };
        Some(word.to_owned())
    }
}

/// Whether there is the locale that scripts ask for.
fn knows_utf8() -> bool {
    let test = "printf '\\303\\251\\n' | LC_ALL=C.UTF-8 grep -q '^.$'";
    Command::new("sh").args(["-c", test]).status().is_ok_and(|status| status.success())
}

#[test]
fn scripts_decide_as_the_table_says_on_dash_and_bash() {
    let tables = tables();
    let scripts = Scripts::of(&tables.iter().map(|table| table.text.clone()).collect::<Vec<_>>());
    let (mut wrong, mut ran) = (Vec::new(), 0);
    let knows_utf8 = knows_utf8();
    if !knows_utf8 {
        eprintln!("the locale C.UTF-8 is not here: scripts see ASCII alone");
    }
    for (number, table) in tables.iter().enumerate() {
        if let Some(reason) = &table.no_script {
            let line = scripts.said.lines().find(|line| {
                line.contains(&format!("hookify.r{number}.local.md:")) && line.contains(reason.as_str())
            });
            assert!(line.is_some(), "{}: nothing says `{reason}`:\n{}", table.name, scripts.said);
            assert!(!scripts.made.contains_key(&number), "{} has a script", table.name);
            continue;
        }
        assert!(scripts.made.contains_key(&number), "{} has no script:\n{}", table.name, scripts.said);
        for case in table.cases.iter().filter(|case| knows_utf8 || case.given.to_string().is_ascii()) {
            for shell in ["dash", "bash"] {
                let Some(found) = scripts.says(number, shell, case.on, &case.given) else { continue };
                ran += 1;
                if found != case.script {
                    wrong.push(format!(
                        "{}: {shell}: {}: {found}, not {}",
                        table.name, case.given, case.script
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(ran > 150, "only {ran} runs");
    drop(scripts.cx);
}

/// The payload the plugin would have been given.
fn of_plugin(on: EventKind, given: &Value, transcript: &Path) -> Option<Value> {
    let path = given.get("transcript_path").map(|_| transcript.to_string_lossy().into_owned());
    let mut payload = match on.spec().call {
        Call::Shell => json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": given}),
        Call::Tool => {
            let name = given["tool_name"].as_str().unwrap_or_default();
            let name = if name == "Shell" { "Bash" } else { name };
            json!({"hook_event_name": "PreToolUse", "tool_name": name, "tool_input": given["tool_input"]})
        }
        Call::Prompt => json!({"hook_event_name": "UserPromptSubmit", "prompt": given["prompt"]}),
        Call::Stop => json!({"hook_event_name": "Stop"}),
        Call::Read | Call::Edit | Call::None => return None,
    };
    payload["transcript_path"] = path.map_or(Value::Null, Value::from);
    Some(payload)
}

#[test]
fn faithful_mode_does_what_a_model_of_the_plugin_does() {
    let tables = tables();
    let directory = tempfile::tempdir().expect("a directory");
    let transcript = directory.path().join("transcript");
    fs::write(&transcript, TRANSCRIPT).expect("a file");
    let pool: Vec<(EventKind, Value, Value)> = tables
        .iter()
        .flat_map(|table| &table.cases)
        .filter_map(|case| Some((case.on, case.given.clone(), of_plugin(case.on, &case.given, &transcript)?)))
        .collect();
    let rules: Vec<String> = tables
        .iter()
        .map(|table| table.text.clone())
        .chain(corpus().into_iter().map(|(_, text)| text))
        .collect();
    let questions: Vec<(&str, &Value)> = rules
        .iter()
        .flat_map(|rule| pool.iter().map(move |(_, _, payload)| (rule.as_str(), payload)))
        .collect();
    let mut model = Command::new("python3");
    model.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/hookify_model.py"));
    let output = pipe(model, &serde_json::to_vec(&questions).expect("questions"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let answers: Vec<Option<String>> = serde_json::from_slice(&output.stdout).expect("answers");
    assert_eq!(answers.len(), questions.len(), "every question is answered");
    let mut wrong = Vec::new();
    let all = rules.iter().flat_map(|rule| pool.iter().map(move |asked| (rule, asked)));
    for ((rule, (on, given, _)), expected) in all.zip(&answers) {
        let found = native(rule, Mode::Faithful, *on, given);
        // A refused prompt goes on in the plugin, and is told.
        let agrees = match expected.as_deref() {
            None => found == "nothing",
            Some("block") if on.spec().call == Call::Prompt => found == "tell",
            Some("block") => found == "deny" || found == "followup",
            Some(_) => found == "tell",
        };
        if !agrees {
            wrong.push(format!("{rule:?}\n  {} {given}: the model {expected:?}, we {found}", on.name()));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        answers.len(),
        wrong[..wrong.len().min(15)].join("\n")
    );
}

/// The rules of the corpus, when there is one.
fn corpus() -> Vec<(String, String)> {
    let Some(directory) = env::var_os("BOATHOOK_CORPUS") else {
        eprintln!("BOATHOOK_CORPUS names no corpus: its rules are not looked at");
        return Vec::new();
    };
    let entries = fs::read_dir(Path::new(&directory).join("hookify")).expect("the corpus has hookify rules");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    let read = |file: PathBuf| {
        let text = fs::read_to_string(&file).expect("a rule is text");
        (file.file_name().expect("a name").to_string_lossy().into_owned(), text)
    };
    files.into_iter().map(read).collect()
}

/// What the corpus' rules are about, and near misses of it.
const POOL: &[(&str, &str)] = &[
    ("command", "rm -rf /"),
    ("command", "RM -fr ~/x "),
    ("command", "rm --recursive --force x"),
    ("command", "rm x"),
    ("command", "git push origin main --force"),
    ("command", "git push -f"),
    ("command", "ls; git push origin +main"),
    ("command", "git push --force-with-lease"),
    ("command", "git push"),
    ("command", "echo a\ngit push --force"),
    ("command", "git commit -m x"),
    ("command", "read picture.PNG"),
    ("command", ""),
    ("file_path", "/p/.env"),
    ("file_path", "/p/.env.local"),
    ("file_path", "../secret"),
    ("file_path", "relative/path.tsx"),
    ("file_path", "/abs/a.rs"),
    ("status", "completed"),
    ("status", "error"),
    ("prompt", "hello"),
];

#[test]
fn every_rule_of_the_corpus_loads_and_is_decided_alike() {
    let corpus = corpus();
    if corpus.is_empty() {
        return;
    }
    let scripts = Scripts::of(&corpus.iter().map(|(_, text)| text.clone()).collect::<Vec<_>>());
    for (number, (name, text)) in corpus.iter().enumerate() {
        for mode in [Mode::Fixed, Mode::Faithful] {
            let found =
                read_rule(text.as_bytes(), Path::new(name), Options { mode, warn_as: WarnAs::Message });
            let rule = found.rule.unwrap_or_else(|| panic!("{name}: {:?}", found.problems));
            assert!(found.broken.is_none(), "{name}: {:?}", found.broken);
            assert!(
                text.ends_with(rule.message.as_str()) || text.trim_end().ends_with(&rule.message),
                "{name}"
            );
            assert!(!rule.events().is_empty(), "{name}");
            assert!(found.enabled || found.problems.iter().any(|it| it.code == "hookify-disabled"), "{name}");
        }
        for (key, value) in POOL {
            let on = match *key {
                "command" => EventKind::BeforeShellExecution,
                "file_path" => EventKind::BeforeReadFile,
                "status" => EventKind::Stop,
                _ => EventKind::BeforeSubmitPrompt,
            };
            let given = json!({ *key: value });
            let [fixed, faithful] = [Mode::Fixed, Mode::Faithful].map(|mode| native(text, mode, on, &given));
            if fixed != faithful {
                assert!(differs_because(text, on).is_some(), "{name}: {given}: {fixed} and {faithful}");
            }
            for shell in ["dash", "bash"] {
                if let Some(script) = scripts.says(number, shell, on, &given) {
                    assert_eq!(script, fixed, "{name}: {given} under {shell}");
                }
            }
        }
    }
}

/// Why the two modes may say different things about a rule of the corpus.
fn differs_because(text: &str, on: EventKind) -> Option<&'static str> {
    let plain_pattern = text.lines().any(|line| line.starts_with("pattern:"));
    if on == EventKind::Stop && plain_pattern {
        return Some("the plugin looks at a field that a stop does not have");
    }
    if text.contains("enabled: false  #") {
        return Some("any other word than false is yes to the plugin");
    }
    None
}
