//! The documentation says what the code does: events, commands, modules,
//! dependencies, examples and links are compared with what they describe.

use std::collections::BTreeSet;
use std::fs;

use boathook_engine::config;
use boathook_engine::edition::Edition;
use boathook_engine::event::{Ask, EVENTS, EventSpec, Gate, Subject};
use boathook_engine::input::{COMMON, FieldType, InputField};
use boathook_engine::problem::Severity;

use crate::context::TestContext;
use crate::pages::{
    Fence, fenced, fences, files, first_cells, has_anchor, links, page, pages, quoted, root, section,
    sections, table,
};

#[test]
fn every_event_has_its_page_in_the_tables_order() {
    let index = table(&page("docs/manual/events.md"), "Event");
    let listed: Vec<String> =
        index.iter().map(|row| row.split(" | ").take(2).collect::<Vec<_>>().join(" | ")).collect();
    let row = |spec: &EventSpec| format!("| [{0}](events/{0}.md) | {1}", spec.name, spec.about);
    assert_eq!(listed, EVENTS.iter().map(row).collect::<Vec<_>>());
    let pages: BTreeSet<_> =
        files(&root().join("docs/manual/events"), "md").into_iter().map(|it| it.0).collect();
    let expected = EVENTS.iter().map(|spec| root().join(format!("docs/manual/events/{}.md", spec.name)));
    assert_eq!(pages, expected.collect());
}

#[test]
fn every_event_is_described_as_its_row_says() {
    for spec in EVENTS {
        let page = page(&format!("docs/manual/events/{}.md", spec.name));
        assert!(
            page.starts_with(&format!("# {}\n\n{}\n", spec.name, spec.about)),
            "{}: its beginning",
            spec.name
        );
        assert_eq!(table(&page, "Holds back"), [facts(spec)], "{}", spec.name);
        assert_eq!(table(&page, "Input field"), rows(spec.inputs), "{}: input fields", spec.name);
        let answers: Vec<String> = spec.answers.iter().map(|field| format!("`{}`", field.name())).collect();
        assert_eq!(first_cells(&table(&page, "Answer field")), answers, "{}: answer fields", spec.name);
        let words = spec.refusal.user.replace("{path}", "PATH");
        assert!(page.contains(&words), "{}: the manual lacks «{words}»", spec.name);
        for side in ["input", "output"] {
            let schema = format!("(../../../schema/{side}/{}.schema.json)", spec.name);
            assert!(page.contains(&schema), "{}: no link to its {side} schema", spec.name);
        }
    }
    assert_eq!(table(section(&page("docs/manual/events.md"), "Common fields"), "Input field"), rows(COMMON));
}

#[test]
fn every_command_is_shown_with_its_own_help() {
    let manual = page("docs/manual/commands.md");
    let names = commands();
    let headings: Vec<&str> = sections(&manual).into_iter().map(|(heading, _)| heading).collect();
    assert_eq!(headings, [&["boathook".to_owned()][..], &names[..]].concat());
    for name in headings {
        let arguments = if name == "boathook" { vec!["--help"] } else { vec![name, "--help"] };
        let blocks = fenced(section(&manual, name), "text");
        let shown = blocks.first().map(String::as_str).unwrap_or_default();
        assert_eq!(shown.trim_end(), help(&arguments).trim_end(), "docs/manual/commands.md: {name}");
        for block in blocks.iter().skip(1) {
            let below = below(block, name);
            if below.is_empty() {
                continue;
            }
            let printed = help(&[&[name], &below[..], &["--help"]].concat());
            assert_eq!(block.trim_end(), printed.trim_end(), "docs/manual/commands.md: {name} {below:?}");
        }
    }
}

/// Which command below this one, at whatever depth, a block is the help of.
fn below<'b>(block: &'b str, name: &str) -> Vec<&'b str> {
    let usage = block.lines().find_map(|line| line.strip_prefix(&format!("Usage: boathook {name} ")));
    let words = usage.unwrap_or_default().split(' ');
    words.take_while(|word| word.starts_with(|c: char| c.is_ascii_lowercase())).collect()
}

/// What is administered is shown to the last command.
#[test]
fn every_command_of_an_admin_is_shown() {
    let manual = page("docs/manual/commands.md");
    let blocks = fenced(section(&manual, "team"), "text");
    let shown: Vec<String> = blocks.iter().map(|block| below(block, "team").join(" ")).collect();
    let mut left = vec!["admin".to_owned()];
    while let Some(command) = left.pop() {
        assert!(shown.contains(&command), "docs/manual/commands.md: team {command}");
        let block = &blocks[shown.iter().position(|it| *it == command).unwrap_or_default()];
        let listed = block.lines().skip_while(|line| *line != "Commands:").skip(1);
        let names =
            listed.take_while(|line| !line.is_empty()).filter_map(|line| line.split_whitespace().next());
        left.extend(names.filter(|name| *name != "help").map(|name| format!("{command} {name}")));
    }
}

/// `cargo run -- agent status --coverage --write docs/manual/agents-coverage.md` refreshes it.
#[test]
fn the_coverage_of_agents_is_what_the_program_says() {
    let context = TestContext::new();
    let output = context.output(["agent", "status", "--coverage"]);
    let printed = String::from_utf8(output.stdout).expect("text");
    let shown = page("docs/manual/agents-coverage.md");
    for (number, (shown, printed)) in shown.lines().zip(printed.lines()).enumerate() {
        assert_eq!(shown, printed, "docs/manual/agents-coverage.md:{}", number + 1);
    }
    assert_eq!(shown.len(), printed.len(), "docs/manual/agents-coverage.md: its end");
}

#[test]
fn every_module_and_every_dependency_has_its_line() {
    let map = page("ARCHITECTURE.md");
    let rows = |heading: &str, first: &str| -> BTreeSet<String> {
        let rows = first_cells(&table(section(&map, heading), first));
        rows.iter().map(|name| name.trim_matches('`').to_owned()).collect()
    };
    let library = page("crates/engine/src/lib.rs");
    let modules = library.lines().filter_map(|line| {
        line.strip_prefix("pub mod ").or_else(|| line.strip_prefix("mod "))?.strip_suffix(';')
    });
    let modules = modules.filter(|name| *name != "testing").map(str::to_owned).collect();
    assert_eq!(rows("The engine, stage by stage", "Module"), modules, "ARCHITECTURE.md: modules");
    assert_eq!(rows("Dependencies", "Crate"), dependencies(), "ARCHITECTURE.md: dependencies");
}

#[test]
fn every_test_that_is_named_exists() {
    let map = page("ARCHITECTURE.md");
    let mut rows = table(section(&map, "What always holds"), "Invariant");
    rows.extend(table(section(&map, "A team's hooks, from an admin to a machine"), "Step"));
    let held_by = rows.iter().filter_map(|row| row.split('|').rev().nth(1));
    let names: Vec<String> = held_by.flat_map(quoted).filter(|name| is_name_of_a_test(name)).collect();
    assert!(names.len() > 20, "only {} names were found", names.len());
    let sources: Vec<String> =
        files(&root().join("crates"), "rs").into_iter().map(|(_, text)| text).collect();
    for name in names {
        let there = sources.iter().any(|text| text.contains(&format!("fn {name}(")));
        assert!(there, "ARCHITECTURE.md names the test `{name}`, which does not exist");
    }
}

#[test]
fn every_case_of_a_team_that_has_a_test_is_on_the_page_of_the_cases() {
    let text = page("docs/manual/threat-cases.md");
    let rows = text.lines().filter_map(|line| line.strip_prefix("| ")?.split(" |").next());
    let listed: BTreeSet<&str> = rows.flat_map(|ids| ids.split(", ")).collect();
    let sources = files(&root().join("crates"), "rs");
    let tests = sources.iter().flat_map(|(_, text)| text.lines()).filter_map(|line| {
        let name = line.trim().trim_start_matches("async ").strip_prefix("fn ")?;
        Some(name.split('_').next()?.to_ascii_uppercase())
    });
    let is_case = |id: &String| {
        id.len() == 3 && id.starts_with(['S', 'D']) && id[1..].bytes().all(|byte| byte.is_ascii_digit())
    };
    let tested: BTreeSet<String> = tests.filter(is_case).collect();
    assert!(tested.len() > 20, "only {} cases were found", tested.len());
    let missing: Vec<&String> = tested.iter().filter(|id| !listed.contains(id.as_str())).collect();
    assert!(missing.is_empty(), "docs/manual/threat-cases.md does not list {missing:?}");
}

/// The ids of both audits. Those of agents that are not here yet are listed as soon as they have a test.
fn audit_ids() -> BTreeSet<String> {
    let ids = [("C", 3), ("H", 6), ("M", 10), ("L", 12), ("F", 5)];
    let ids = ids.into_iter().flat_map(|(rank, last)| (1..=last).map(move |nth| format!("{rank}{nth}")));
    ids.chain(["F8".to_owned()]).collect()
}

/// The id in the name of a test: `red_team_m5_…`, `agents_f2_…`.
fn audit_id(line: &str) -> Option<String> {
    let name = line.trim().trim_start_matches("async ").strip_prefix("fn ")?;
    let id = name.strip_prefix("red_team_").or_else(|| name.strip_prefix("agents_"))?.split('_').next()?;
    let is_number = |rest: &str| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit());
    (id.starts_with(['c', 'h', 'm', 'l', 'f']) && is_number(&id[1..])).then(|| id.to_ascii_uppercase())
}

#[test]
fn every_finding_of_the_audits_has_a_test_by_its_id_and_is_listed() {
    let text = page("docs/manual/threat-cases.md");
    let sources = files(&root().join("crates"), "rs");
    let mut tested: BTreeSet<String> =
        sources.iter().flat_map(|(_, text)| text.lines()).filter_map(audit_id).collect();
    // The way around by `cd`, which both audits found.
    tested.extend(tested.contains("C1").then(|| "F1".to_owned()));
    let rows =
        section(&text, "Red team").lines().filter_map(|line| line.strip_prefix("| ")?.split(" |").next());
    let listed: BTreeSet<String> = rows.filter(|id| *id != "id").map(str::to_owned).collect();
    assert_eq!(listed, tested, "the ids in docs/manual/threat-cases.md, and those of tests");
    let lost: Vec<String> = audit_ids().difference(&tested).cloned().collect();
    assert!(lost.is_empty(), "no test is named after {lost:?}");
}

#[test]
fn every_hooks_file_that_is_shown_is_a_good_one() {
    let mut seen = 0;
    for (path, text) in pages() {
        let is_hooks_file = |fence: &Fence| {
            fence.is("hooks") || fence.value("file").is_some_and(|file| file.ends_with("hooks.json"))
        };
        let shown = fences(&text).into_iter().filter(is_hooks_file);
        for example in shown.map(|fence| fence.text) {
            let read = config::read(example.as_bytes(), Edition::Docs);
            let bad: Vec<_> =
                read.problems.iter().filter(|problem| problem.severity > Severity::Hint).collect();
            assert!(read.readable && bad.is_empty(), "{}: {bad:?} in\n{example}", path.display());
            seen += 1;
        }
    }
    assert!(seen >= 3, "only {seen} examples were found");
}

#[test]
fn the_readme_shows_the_example_that_compiles() {
    let library = page("crates/engine/src/lib.rs");
    let header: String = library
        .lines()
        .map_while(|line| line.strip_prefix("//!"))
        .map(|line| format!("{}\n", line.strip_prefix(' ').unwrap_or(line)))
        .collect();
    let example = fenced(&header, "no_run").into_iter().next().expect("the library has an example");
    assert!(fenced(&page("README.md"), "rust").contains(&example), "README.md lacks\n{example}");
}

#[test]
fn no_link_leads_nowhere() {
    let mut broken = BTreeSet::new();
    for (path, text) in pages() {
        for target in links(&text).iter().filter(|target| !target.contains("://")) {
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let leads_to =
                if file.is_empty() { path.clone() } else { path.parent().expect("a folder").join(file) };
            let there = fs::read_to_string(&leads_to)
                .is_ok_and(|text| anchor.is_empty() || has_anchor(&text, anchor));
            if !there && !leads_to.is_dir() {
                broken.insert(format!("{}: {target}", path.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

/// The row of facts about an event.
fn facts(spec: &EventSpec) -> String {
    let holds_back = match (spec.gate, spec.ask) {
        (Gate::None, _) => "nothing",
        (Gate::Permission, Ask::Supported) => "`permission`; `ask` asks the user",
        (Gate::Permission, Ask::HandedToHost) => "`permission`; `ask` is handed to the host",
        (Gate::Permission, Ask::IsDeny) => "`permission`; `ask` refuses",
        (Gate::Continue, _) => "`continue`",
        (Gate::ExitCode, _) => "exit code 2",
    };
    let subject = match spec.subject {
        Subject::None => "nothing: a matcher is ignored".to_owned(),
        Subject::Field(name) => format!("`{name}`"),
        Subject::McpTool => "`MCP:` and `tool_name`".to_owned(),
        Subject::Constant(word) => format!("the word `{word}`"),
    };
    let yes = |it: bool| if it { "yes" } else { "no" };
    let fail_closed = if spec.gate == Gate::None { "changes nothing" } else { "refuses when it fails" };
    let (waits, first, cloud) = (yes(spec.waits), yes(spec.in_2_3), yes(spec.in_cloud));
    format!("| {holds_back} | {subject} | {fail_closed} | {waits} | {first} | {cloud} |")
}

fn rows(fields: &[InputField]) -> Vec<String> {
    let row = |field: &InputField| {
        let kind = match field.kind {
            FieldType::Text => "string",
            FieldType::NullableText => "string or null",
            FieldType::Number => "number",
            FieldType::Boolean => "boolean",
            FieldType::Object => "object",
            FieldType::TextList => "list of strings",
            FieldType::Attachments => "list of attachments",
            FieldType::Edits => "list of edits",
            FieldType::TabEdits => "list of Tab edits",
            FieldType::ModelParams => "list of model parameters",
        };
        let sent = if field.required { "always" } else { "when known" };
        format!("| `{}` | {kind} | {sent} | {} |", field.name, field.about)
    };
    fields.iter().map(row).collect()
}

/// What the binary prints, wrapped as in the manual.
fn help(arguments: &[&str]) -> String {
    let context = TestContext::new();
    let output = context.command(arguments).env("COLUMNS", "100").output().expect("the binary starts");
    assert!(output.status.success(), "{arguments:?}");
    String::from_utf8(output.stdout)
        .expect("text")
        .lines()
        .map(|line| format!("{}\n", line.trim_end()))
        .collect()
}

fn commands() -> Vec<String> {
    let text = help(&["--help"]);
    let listed =
        text.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let first_word = |line: &str| line.split_whitespace().next().unwrap_or_default().to_owned();
    listed
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .map(first_word)
        .filter(|name| name != "help")
        .collect()
}

fn dependencies() -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for member in ["crates/engine", "crates/memory", "crates/server", "crates/cli", "xtask", "fuzz"] {
        let manifest: toml::Table =
            toml::from_str(&page(&format!("{member}/Cargo.toml"))).expect("a manifest");
        let targets =
            manifest.get("target").and_then(toml::Value::as_table).into_iter().flat_map(|it| it.values());
        let tables: Vec<&toml::Table> =
            std::iter::once(&manifest).chain(targets.filter_map(toml::Value::as_table)).collect();
        for kind in ["dependencies", "dev-dependencies", "build-dependencies"] {
            let listed = tables.iter().filter_map(|table| table.get(kind)?.as_table());
            names.extend(listed.flat_map(|table| table.keys().cloned()));
        }
    }
    names
}

fn is_name_of_a_test(name: &str) -> bool {
    name.contains('_') && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}
