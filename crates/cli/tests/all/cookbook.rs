//! The recipes of the cookbook: each is complete, has no problem, and passes
//! its own cases through the binary, as somebody who copies it would see it.
#![cfg(unix)]

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use boathook_engine::event::{EventKind, Gate};
use serde_json::{Value, json};

use crate::context::{self, TestContext};
use crate::pages::{self, first_cells, page, root, table};

#[test]
fn every_recipe_is_listed_and_complete() {
    let listed = first_cells(&table(&page("docs/cookbook/README.md"), "Recipe"));
    let listed: BTreeSet<String> = listed
        .iter()
        .filter_map(|cell| Some(cell.split_once("](")?.1.split_once('/')?.0.to_owned()))
        .collect();
    let recipes = recipes();
    assert_eq!(recipes.iter().map(|recipe| name(recipe)).collect::<BTreeSet<_>>(), listed);
    assert!(recipes.len() >= 16, "only {} recipes", recipes.len());
    for recipe in recipes {
        let title = fs::read_to_string(recipe.join("README.md")).unwrap_or_default();
        assert!(title.starts_with("# "), "{}: README.md", recipe.display());
        let scripts = scripts(&recipe);
        assert!(!scripts.is_empty(), "{}: no script", recipe.display());
        for script in scripts {
            let mode = fs::metadata(&script).expect("a file").permissions().mode();
            assert!(mode & 0o111 == 0o111, "{} is not executable", script.display());
        }
        assert!(cases(&recipe).len() >= 4, "{}: too few cases", recipe.display());
    }
}

#[test]
fn every_guard_has_cases_that_refuse_that_pass_and_that_are_hostile() {
    for recipe in recipes() {
        let cases = cases(&recipe);
        let hostile = |case: &Value| case["name"].as_str().is_some_and(|name| name.starts_with("hostile: "));
        let holds_back =
            |case: &Value| case["expect"]["exit"] == 2 || case["expect"]["answer"]["permission"] == "ask";
        if !is_guard(&recipe) {
            continue;
        }
        assert!(cases.iter().any(holds_back), "{}: nothing is held back", name(&recipe));
        assert!(cases.iter().any(|case| !holds_back(case)), "{}: nothing passes", name(&recipe));
        assert!(cases.iter().any(hostile), "{}: nothing is hostile", name(&recipe));
    }
    assert!(recipes().iter().filter(|recipe| is_guard(recipe)).count() >= 8, "guards were overlooked");
}

#[test]
fn every_recipe_has_no_problem() {
    for recipe in recipes() {
        let cx = copied(&recipe);
        cx.trust();
        let seen = cx.run(["check", "--strict"]);
        assert!(
            seen.starts_with("exit code: 0") && seen.contains("no problems"),
            "{}: {seen}",
            name(&recipe)
        );
        if lacking(&recipe).is_none() {
            let seen = cx.run(["doctor"]);
            assert!(seen.starts_with("exit code: 0"), "{}: {seen}", name(&recipe));
        }
    }
}

#[test]
fn no_guard_opens_on_a_huge_value() {
    let long = "x".repeat(1_000_000);
    let command = |text: &str| json!({ "command": format!("{text} {long}"), "cwd": "" });
    let query = json!({ "q": format!("select '{long}'; drop table users") }).to_string();
    let cases = [
        ("block-force-push", "beforeShellExecution", command("git push --force")),
        ("env-file-before-shell", "beforeShellExecution", command("make")),
        ("package-install-guard", "beforeShellExecution", command("npm i https://example.org/p.tgz")),
        ("production-kubectl", "beforeShellExecution", command("kubectl --context prod delete pod")),
        ("prompt-pii-guard", "beforeSubmitPrompt", json!({ "prompt": format!("{long}\nann@shop.io") })),
        ("secrets-on-read", "beforeReadFile", json!({ "file_path": "/w/key.pem", "content": long })),
        ("sql-write-guard", "beforeMCPExecution", json!({ "tool_name": "query", "tool_input": query })),
        ("mcp-allow-list", "beforeMCPExecution", json!({ "tool_name": "x", "tool_input": long })),
    ];
    for (recipe, event, payload) in cases {
        let recipe = root().join("docs/cookbook").join(recipe);
        if lacking(&recipe).is_some() {
            continue;
        }
        let output = copied(&recipe).output_with(["run", event, "--trust"], payload.to_string().as_bytes());
        let answer = String::from_utf8_lossy(&output.stdout).into_owned();
        let held_back = output.status.code() == Some(2) || answer.contains(r#""permission":"ask""#);
        assert!(held_back, "{}: {}", name(&recipe), answer.chars().take(300).collect::<String>());
    }
}

#[test]
fn a_large_file_is_read_without_its_secrets() {
    let recipe = root().join("docs/cookbook/secrets-on-read");
    if lacking(&recipe).is_some() {
        eprintln!("not run, python3 is missing");
        return;
    }
    let rest = "fn main() { let token = next(); }\n".repeat(30_000);
    let payload = json!({ "file_path": "/w/main.rs", "content": format!("{rest}AKIAABCDEFGHIJKLMNOP\n") });
    let cx = copied(&recipe);
    let output = cx.output_with(["run", "beforeReadFile", "--trust"], payload.to_string().as_bytes());
    let answer: Value = serde_json::from_slice(&output.stdout).expect("an answer");
    assert!(answer["new_content"] == format!("{rest}[secret]\n"), "the rest of the file is another one");
}

#[test]
fn every_recipe_passes_its_cases() {
    for recipe in recipes() {
        if let Some(program) = lacking(&recipe) {
            eprintln!("{}: not run, `{program}` is missing", name(&recipe));
            continue;
        }
        let output = copied(&recipe).output(["test", "--trust"]);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
        assert!(output.status.success(), "{}\n{stdout}\n{stderr}", name(&recipe));
        let passed = format!("{} passed", cases(&recipe).len());
        assert!(
            format!("{stdout}{stderr}").contains(&passed),
            "{}: {passed}\n{stdout}\n{stderr}",
            name(&recipe)
        );
    }
}

#[test]
fn the_recipes_are_nobodys_hooks_while_the_repository_is_the_workspace() {
    let cx = TestContext::new();
    let output = cx.output(["--workspace", &root().to_string_lossy(), "list", "--json"]);
    let listed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && listed.contains(".cursor/hooks/keep-history.sh"), "{listed}");
    assert!(!listed.contains("cookbook"), "{listed}");
}

/// The folders of the cookbook.
fn recipes() -> Vec<PathBuf> {
    let folders = fs::read_dir(root().join("docs/cookbook")).expect("the cookbook");
    let mut recipes: Vec<PathBuf> =
        folders.map(|entry| entry.expect("an entry").path()).filter(|path| path.is_dir()).collect();
    recipes.sort();
    recipes
}

fn name(recipe: &Path) -> String {
    recipe.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// A project that holds nothing but the recipe.
fn copied(recipe: &Path) -> TestContext {
    let cx = TestContext::new();
    copy(recipe, &cx.project());
    cx
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder").map(|entry| entry.expect("an entry")) {
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() {
            copy(&from, &to);
        } else {
            fs::copy(&from, &to).expect("a copy");
        }
    }
}

fn scripts(recipe: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(recipe.join(".cursor/hooks")).expect("a folder of hooks");
    entries.map(|entry| entry.expect("an entry").path()).filter(|path| path.is_file()).collect()
}

fn cases(recipe: &Path) -> Vec<Value> {
    let files = pages::files(&recipe.join(".cursor/hooks/tests"), "json");
    let lists = files.into_iter().map(|(path, text)| {
        serde_json::from_str::<Vec<Value>>(&text)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    });
    lists.flatten().collect()
}

/// Whether it holds something back: a `failClosed` hook on a gate.
fn is_guard(recipe: &Path) -> bool {
    let text = fs::read_to_string(recipe.join(".cursor/hooks.json")).expect("a hooks.json");
    let file: Value = serde_json::from_str(&text).expect("JSON");
    file["hooks"].as_object().into_iter().flatten().any(|(event, entries)| {
        let gate = EventKind::named(event).is_some_and(|event| event.spec().gate != Gate::None);
        gate && entries.as_array().into_iter().flatten().any(|entry| entry["failClosed"] == true)
    })
}

/// An interpreter that a script of the recipe names and this machine lacks.
fn lacking(recipe: &Path) -> Option<&'static str> {
    let texts: Vec<String> = scripts(recipe).iter().map(|script| context::read(script)).collect();
    let there = |program: &str| {
        std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())
            .any(|it| it.join(program).is_file())
    };
    let named = |program: &str| {
        texts.iter().any(|text| text.lines().next().is_some_and(|line| line.ends_with(program)))
    };
    ["python3", "node"].into_iter().find(|program| named(program) && !there(program))
}
