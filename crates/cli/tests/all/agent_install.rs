//! `boathook agent install` and `uninstall`: what is written, what survives,
//! what is refused, and that the way back leads to the same bytes.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::context::{self, TestContext};

/// Every agent that has settings of its own, and where they are for a user.
const USER: [(&str, &str); 8] = [
    ("claude", "home/.claude/settings.json"),
    ("codex", "home/.codex/hooks.json"),
    ("gemini", "home/.gemini/settings.json"),
    ("copilot", "home/.copilot/hooks/boathook.json"),
    ("qwen", "home/.qwen/settings.json"),
    ("opencode", "home/.config/opencode/plugins/boathook.js"),
    ("cline", "home/.cline/hooks/PreToolUse"),
    ("windsurf", "home/.codeium/windsurf/hooks.json"),
];

/// The same for a project.
const PROJECT: [(&str, &str); 9] = [
    ("claude", "project/.claude/settings.json"),
    ("codex", "project/.codex/hooks.json"),
    ("gemini", "project/.gemini/settings.json"),
    ("copilot", "project/.github/hooks/boathook.json"),
    ("qwen", "project/.qwen/settings.json"),
    ("opencode", "project/.opencode/plugins/boathook.js"),
    ("cline", "project/.clinerules/hooks/PreToolUse"),
    ("windsurf", "project/.windsurf/hooks.json"),
    ("vscode", "project/.github/hooks/boathook-vscode.json"),
];

/// Settings with hooks of the user's own and odd spacing; with comments where the
/// agent reads them.
const CLAUDE: &str = "{\n  \"model\" : \"opus\",\n  \"hooks\": {\n\t\"PreToolUse\": [\n\t  {\"matcher\":\"Bash\",\"hooks\":[{\"type\":\"command\",\"command\":\"echo mine\"}]}\n\t]\n  },\n  \"permissions\": {\"allow\": [ \"Bash(ls)\" ]}\n}\n";
const CODEX: &str = "{\"description\":\"mine\",\"hooks\":{\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"say done\"}]}]}}";
const GEMINI: &str = "{\r\n    // why so dark\r\n    \"theme\": \"dark\", /* night */\r\n    \"hooks\": {},\r\n    \"security\": {\"auth\": {\"selectedType\": \"gemini-api-key\"}}\r\n}\r\n";
const WINDSURF: &str = "{\n  \"hooks\": {\n    \"pre_run_command\": [ { \"command\": \"./guard.sh\", \"show_output\": true } ]\n  }\n}";

/// A home as people have it.
fn realistic() -> TestContext {
    let cx = TestContext::new();
    for (file, text) in [
        ("home/.claude/settings.json", CLAUDE),
        ("home/.claude/CLAUDE.md", "be brief\n"),
        ("home/.codex/hooks.json", CODEX),
        ("home/.codex/config.toml", "# mine\nmodel = \"x\"\n"),
        ("home/.gemini/settings.json", GEMINI),
        ("home/.qwen/settings.json", "{}"),
        ("home/.copilot/config.json", "{\"a\": 1}\n"),
        ("home/.config/opencode/opencode.json", "{}\n"),
        ("home/.codeium/windsurf/hooks.json", WINDSURF),
        ("project/.claude/settings.json", CLAUDE),
        ("project/.clinerules/style.md", "short\n"),
        ("project/.github/workflows/ci.yml", "on: push\n"),
    ] {
        cx.write(file, text);
    }
    cx.script("home/.cline/hooks/PreToolUse", "#!/bin/sh\necho '{}'\n");
    cx
}

fn command(cx: &TestContext, args: &[&str]) -> Command {
    let mut command = cx.command([&["agent"], args].concat());
    command.env("PATH", "/nonexistent");
    for name in
        ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "CLINE_DIR", "GEMINI_CLI_HOME", "QWEN_HOME"]
    {
        command.env_remove(name);
    }
    command
}

fn agent(cx: &TestContext, args: &[&str]) -> Output {
    context::pipe(command(cx, args), b"")
}

fn said(cx: &TestContext, output: &Output) -> String {
    let text =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    cx.without_paths(&text).replace(env!("CARGO_BIN_EXE_boathook"), "[BOATHOOK]")
}

/// What a backup is called depends on the path.
fn without_backups(text: &str) -> String {
    let line = |line: &str| match line.split_once("  it was  ") {
        Some((margin, _)) => format!("{margin}  it was  [BACKUP]"),
        None => line.to_owned(),
    };
    let lines: Vec<String> = text.lines().filter(|it| !it.contains(".cline/hooks/")).map(line).collect();
    lines.join("\n")
}

fn works(cx: &TestContext, args: &[&str]) -> String {
    let output = agent(cx, args);
    assert!(output.status.success(), "{args:?}: {}", said(cx, &output));
    said(cx, &output)
}

fn refused(cx: &TestContext, args: &[&str]) -> String {
    let before = everything(cx);
    let output = agent(cx, args);
    assert_eq!(output.status.code(), Some(1), "{args:?}: {}", said(cx, &output));
    assert_eq!(everything(cx), before, "{args:?}");
    said(cx, &output)
}

/// Every file and folder outside our own state, with contents and mode.
fn everything(cx: &TestContext) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
    let mut all = BTreeMap::new();
    for root in ["home", "project", "system"] {
        gather(&cx.path(root), &mut all);
    }
    let state = cx.path("home/.local");
    all.retain(|path, _| !path.starts_with(&state));
    all
}

fn gather(path: &Path, all: &mut BTreeMap<PathBuf, (u32, Vec<u8>)>) {
    let found = path.symlink_metadata().expect("it is there");
    let bytes = match found.is_file() {
        true => fs::read(path).expect("a file"),
        false => fs::read_link(path).map(|to| to.as_os_str().as_encoded_bytes().to_vec()).unwrap_or_default(),
    };
    all.insert(path.to_owned(), (found.permissions().mode(), bytes));
    if found.is_dir() {
        fs::read_dir(path).expect("a folder").flatten().for_each(|entry| gather(&entry.path(), all));
    }
}

fn kept(cx: &TestContext) -> Vec<String> {
    let folder = cx.path("home/.local/state/boathook/agents-installed");
    let names = fs::read_dir(folder).into_iter().flatten().flatten();
    names.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

#[test]
fn install_and_uninstall_leave_every_file_as_it_was() {
    let managed = [("claude", ""), ("gemini", ""), ("qwen", ""), ("windsurf", "")];
    let scopes: [(&str, &[(&str, &str)]); 3] =
        [("--user", &USER), ("--project", &PROJECT), ("--managed", &managed)];
    for (scope, agents) in scopes {
        for (name, file) in agents {
            let cx = realistic();
            let before = everything(&cx);
            works(&cx, &["install", name, scope]);
            let wired = everything(&cx);
            assert_ne!(wired, before, "{name} {scope}");
            assert!(file.is_empty() || cx.path(file).exists(), "{name} {scope}");
            let again = works(&cx, &["install", name, scope]);
            assert!(again.contains("nothing changes"), "{name} {scope}: {again}");
            assert_eq!(everything(&cx), wired, "{name} {scope}: a second time");
            works(&cx, &["uninstall", name, scope]);
            assert_eq!(everything(&cx), before, "{name} {scope}");
            assert_eq!(kept(&cx), [""; 0], "{name} {scope}: what is over is forgotten");
            let nothing = works(&cx, &["uninstall", name, scope]);
            assert!(nothing.contains("is not wired"), "{name} {scope}: {nothing}");
        }
    }
}

#[test]
fn a_users_own_hooks_and_comments_survive() {
    let cases = [
        (
            "claude",
            "home/.claude/settings.json",
            &["echo mine", "\"model\" : \"opus\"", "[ \"Bash(ls)\" ]}"][..],
        ),
        ("codex", "home/.codex/hooks.json", &["\"description\":\"mine\"", "say done"]),
        ("gemini", "home/.gemini/settings.json", &["// why so dark\r\n", "/* night */", "gemini-api-key"]),
        ("windsurf", "home/.codeium/windsurf/hooks.json", &["./guard.sh", "\"show_output\": true"]),
    ];
    for (name, file, texts) in cases {
        let cx = realistic();
        works(&cx, &["install", name]);
        let text = fs::read_to_string(cx.path(file)).expect("the settings");
        for part in texts {
            assert!(text.contains(part), "{name}: {part} in {text}");
        }
        assert!(text.contains(&format!("agent hook {name}")), "{name}: {text}");
        let lines = |end: &str| text.matches(end).count();
        assert!(lines("\r\n") == 0 || lines("\r\n") == lines("\n"), "{name}: {text}");
    }
    let cx = realistic();
    works(&cx, &["install", "cline"]);
    assert!(!context::read(&cx.path("home/.cline/hooks/PreToolUse")).contains("boathook"));
    assert!(
        context::read(&cx.path("home/.cline/hooks/PreToolUse.sh")).contains("agent hook cline PreToolUse")
    );
}

#[test]
fn every_timeout_is_in_the_agents_own_unit() {
    let cx = TestContext::new();
    let file = |name: &str| context::read(&cx.path(USER.iter().find(|row| row.0 == name).expect(name).1));
    for (name, part) in [
        ("claude", "\"timeout\": 3600,"),
        ("claude", "\"onFailure\": \"block\""),
        ("codex", "\"timeout\": 3600 "),
        ("codex", "\"timeout\": 3 "),
        ("gemini", "\"timeout\": 3600000"),
        ("qwen", "\"timeout\": 3600000"),
        ("copilot", "\"timeoutSec\": 3600"),
        ("copilot", "\"version\": 1"),
        ("copilot", "agent hook copilot preToolUse --home "),
        ("windsurf", "agent hook windsurf pre_run_command --home "),
    ] {
        works(&cx, &["install", name]);
        assert!(file(name).contains(part), "{name}: {part} in {}", file(name));
    }
    // Any other name at the top makes Codex reject the whole file.
    let codex: serde_json::Value = serde_json::from_str(&file("codex")).expect("JSON");
    assert_eq!(codex.as_object().expect("an object").keys().collect::<Vec<_>>(), ["hooks"]);
}

#[test]
fn what_others_changed_since_stays_when_we_go() {
    let cases = [
        ("claude", "\"model\" : \"opus\"", "\"model\" : \"haiku\""),
        ("gemini", "\"dark\"", "\"light\""),
        ("codex", "\"mine\"", "\"ours\""),
    ];
    for (name, from, to) in cases {
        let cx = realistic();
        let file = cx.path(USER.iter().find(|row| row.0 == name).expect(name).1);
        let original = fs::read_to_string(&file).expect("the settings");
        works(&cx, &["install", name]);
        let changed = fs::read_to_string(&file).expect("the settings").replace(from, to);
        fs::write(&file, &changed).expect("a file");
        let again = works(&cx, &["install", name]);
        assert!(again.contains("nothing changes"), "{name}: {again}");
        works(&cx, &["uninstall", name]);
        let left = fs::read_to_string(&file).expect("the settings");
        let expected = original.replace(from, to);
        let bare = |text: &str| text.split_whitespace().collect::<String>();
        assert_eq!(bare(&left), bare(&expected), "{name}");
        if name != "gemini" {
            assert_eq!(left, expected, "{name}");
        }
    }
}

/// Gemini CLI and Qwen Code do this in every session.
#[test]
fn settings_that_an_agent_printed_anew_lose_our_entries_alone() {
    for (name, file) in USER.iter().filter(|(name, _)| !["opencode", "cline"].contains(name)) {
        for before in ["{}", r#"{"hooks":{"PreToolUse":[],"Mine":[{"hooks":[{"command":"mine"}]}]},"a":1}"#] {
            let cx = TestContext::new();
            let path = cx.write(file, before);
            // Codex rejects a file with any such name, and that is told; the others take it.
            assert!(said(&cx, &agent(&cx, &["install", name])).contains("is wired\n"), "{name}");
            let mut settings: serde_json::Value = serde_json::from_str(&context::read(&path)).expect("JSON");
            settings["$version"] = serde_json::json!(4);
            fs::write(&path, format!("{settings:#}")).expect("a file");
            assert!(said(&cx, &agent(&cx, &["install", name])).contains("nothing changes"), "{name}");
            works(&cx, &["uninstall", name]);
            let mut expected: serde_json::Value = serde_json::from_str(before).expect("JSON");
            expected["$version"] = serde_json::json!(4);
            let left: serde_json::Value = serde_json::from_str(&context::read(&path)).expect("JSON");
            assert_eq!(left, expected, "{name}");
            assert_eq!(kept(&cx), [""; 0], "{name}");
        }
    }
}

#[test]
fn a_file_we_made_goes_unless_somebody_uses_it() {
    let cx = TestContext::new();
    works(&cx, &["install", "qwen"]);
    let file = cx.path("home/.qwen/settings.json");
    let text = fs::read_to_string(&file).expect("the settings");
    fs::write(&file, text.replacen("{\n", "{\n  \"theme\": \"x\",\n", 1)).expect("a file");
    works(&cx, &["uninstall", "qwen"]);
    let left: serde_json::Value = serde_json::from_str(&context::read(&file)).expect("JSON");
    assert_eq!(left, serde_json::json!({ "theme": "x" }));

    let cx = TestContext::new();
    works(&cx, &["install", "qwen"]);
    cx.write("home/.qwen/notes.md", "mine");
    works(&cx, &["uninstall", "qwen"]);
    assert!(!cx.path("home/.qwen/settings.json").exists() && cx.path("home/.qwen/notes.md").exists());
}

#[test]
fn another_path_or_a_surplus_entry_is_mended_and_nothing_else_moves() {
    let cx = realistic();
    let file = cx.path("home/.claude/settings.json");
    works(&cx, &["install", "claude"]);
    let good = fs::read_to_string(&file).expect("the settings");
    let ours = env!("CARGO_BIN_EXE_boathook");
    let old = good
        .replace(ours, "/old/bin/boathook")
        .replacen("\"Stop\": [", "\"Notification\": [{ \"hooks\": [{ \"type\": \"command\", \"command\": \"/old/bin/boathook agent hook claude\" }] }],\n\t\"Stop\": [", 1);
    fs::write(&file, &old).expect("a file");
    works(&cx, &["install", "claude"]);
    assert_eq!(fs::read_to_string(&file).expect("the settings"), good);
    works(&cx, &["uninstall", "claude"]);
    assert_eq!(fs::read_to_string(&file).expect("the settings"), CLAUDE);
}

#[test]
fn settings_that_should_not_be_touched_are_not() {
    let cases = [
        ("broken JSON", "{\n  \"model\": \n}", ":3:1: "),
        ("a list", "[1]", "this is not an object"),
        ("hooks of another shape", "{\"hooks\": [1]}", ":1:11: this is not an object"),
        (
            "an event of another shape",
            "{\"hooks\": {\"PreToolUse\": {\"a\": 1}}}",
            ":1:26: this is not a list",
        ),
    ];
    for (name, text, expected) in cases {
        let cx = TestContext::new();
        cx.write("home/.claude/settings.json", text);
        let words = refused(&cx, &["install", "claude"]);
        assert!(words.contains(expected) && words.contains("nothing was changed"), "{name}: {words}");
    }
    let cx = TestContext::new();
    cx.write("home/.claude/settings.json", b"{\"a\": \"\xff\"}");
    assert!(refused(&cx, &["install", "claude"]).contains("not UTF-8"));
}

#[test]
fn links_and_read_only_files_are_refused() {
    let cx = TestContext::new();
    let real = cx.write("home/dotfiles/settings.json", "{}");
    fs::create_dir_all(cx.path("home/.claude")).expect("a folder");
    symlink(&real, cx.path("home/.claude/settings.json")).expect("a link");
    let words = refused(&cx, &["install", "claude"]);
    assert!(words.contains("it is a link to [HOME]/dotfiles/settings.json"), "{words}");
    assert!(works(&cx, &["uninstall", "claude"]).contains("is not wired"));
    let wired = format!(
        r#"{{"hooks":{{"Stop":[{{"hooks":[{{"command":"{} agent hook claude"}}]}}]}}}}"#,
        "/x/boathook"
    );
    fs::write(&real, wired).expect("a file");
    assert!(refused(&cx, &["uninstall", "claude"]).contains("it is a link"));

    let file = cx.write("home/.qwen/settings.json", "{}");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o444)).expect("permissions");
    assert!(refused(&cx, &["install", "qwen"]).contains("it is read-only"));

    let file = cx.write("home/.gemini/settings.json", "{}");
    let folder = file.parent().expect("a folder");
    fs::set_permissions(folder, fs::Permissions::from_mode(0o555)).expect("permissions");
    let words = refused(&cx, &["install", "gemini"]);
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).expect("permissions");
    assert!(words.contains("[HOME]/.gemini is read-only"), "{words}");

    let elsewhere = cx.path("elsewhere");
    fs::create_dir(&elsewhere).expect("a folder");
    symlink(&elsewhere, cx.path("project/.codex")).expect("a link");
    let words = refused(&cx, &["install", "codex", "--project"]);
    assert!(words.contains("leads out of [PROJECT]"), "{words}");
    assert!(!elsewhere.join("hooks.json").exists());

    cx.write("home/.config/opencode/plugins/boathook.js", "export const Mine = 1\n");
    assert!(refused(&cx, &["install", "opencode"]).contains("is not ours"));
}

#[test]
fn no_agent_is_wired_twice() {
    let cx = TestContext::new();
    works(&cx, &["install", "claude"]);
    let words = refused(&cx, &["install", "claude", "--project"]);
    assert!(words.contains("wired already, by [HOME]/.claude/settings.json"), "{words}");
    assert!(words.contains("boathook agent uninstall claude --user"), "{words}");
    works(&cx, &["uninstall", "claude"]);
    works(&cx, &["install", "claude", "--managed"]);
    assert!(cx.path("system/etc/claude-code/managed-settings.json").exists());
    assert!(refused(&cx, &["install", "claude"]).contains("[SYSTEM]/etc/claude-code/managed-settings.json"));

    works(&cx, &["install", "copilot"]);
    let words = refused(&cx, &["install", "vscode", "--project"]);
    assert!(words.contains("Copilot CLI reads every file of .github/hooks"), "{words}");
    works(&cx, &["uninstall", "copilot"]);
    works(&cx, &["install", "vscode", "--project"]);
    assert!(refused(&cx, &["install", "copilot", "--project"]).contains("VS Code is wired already"));
    assert!(refused(&cx, &["install", "vscode"]).contains("write `--project`"));
    assert!(refused(&cx, &["install", "codex", "--managed"]).contains("requirements.toml"));
}

#[test]
fn a_dry_run_shows_the_difference_and_writes_nothing() {
    let cx = realistic();
    for (name, _) in USER {
        let before = everything(&cx);
        let shown = works(&cx, &["install", name, "--dry-run"]);
        assert_eq!(everything(&cx), before, "{name}");
        assert!(
            shown.contains(&format!("agent hook {name}")) && shown.contains("nothing was written"),
            "{name}: {shown}"
        );
    }
    assert!(!cx.path("home/.local/state/boathook").exists(), "not even a record");
    let shown = works(&cx, &["install", "codex", "--dry-run"]);
    assert!(shown.starts_with("--- [HOME]/.codex/hooks.json\n+++ [HOME]/.codex/hooks.json\n@@ "), "{shown}");
    let shown = works(&cx, &["install", "copilot", "--dry-run"]);
    assert!(shown.starts_with("--- /dev/null\n+++ [HOME]/.copilot/hooks/boathook.json\n@@ "), "{shown}");
}

#[test]
fn all_finds_the_agents_that_are_there_and_one_failure_stops_no_other() {
    let cx = realistic();
    cx.write("home/.gemini/settings.json", "{");
    let output = agent(&cx, &["install", "--all"]);
    assert_eq!(output.status.code(), Some(1));
    insta::assert_snapshot!(without_backups(&said(&cx, &output)), @r"
    Claude Code is wired
      wrote [HOME]/.claude/settings.json
      it was  [BACKUP]
      note: sessions that are open keep their old settings: start Claude Code anew
    Codex CLI is wired
      wrote [HOME]/.codex/hooks.json
      it was  [BACKUP]
    warning: Codex does not trust our entries yet: `codex` asks for trust when it starts, `codex exec` runs none of them and prints nothing about it
      help: start `codex` once and choose Review, or Trust all, when it asks; later, `/hooks` in it shows them
    error: [HOME]/.gemini/settings.json:1:1: this `{` is never closed; nothing was changed
      help: add the `}`
    GitHub Copilot CLI is wired
      wrote [HOME]/.copilot/hooks/boathook.json
      note: Copilot reads hooks of a project only in folders that you trusted
    Qwen Code is wired
      wrote [HOME]/.qwen/settings.json
      it was  [BACKUP]
      note: sessions that are open keep their old settings: start Qwen Code anew
    OpenCode is wired
      wrote [HOME]/.config/opencode/plugins/boathook.js
      note: a session that is open has no new plugins: start OpenCode anew
    Cline CLI is wired
      note: a refusal ends Cline's whole run: it has no way to refuse a single call
    Windsurf is wired
      wrote [HOME]/.codeium/windsurf/hooks.json
      it was  [BACKUP]
      note: written from documentation; not run by us
    ");
    assert!(context::read(&cx.path("home/.qwen/settings.json")).contains("boathook"));
    assert_eq!(context::read(&cx.path("home/.gemini/settings.json")), "{");
    works(&cx, &["uninstall", "--all"]);
    assert_eq!(context::read(&cx.path("home/.claude/settings.json")), CLAUDE);

    let nobody = TestContext::new();
    assert!(works(&nobody, &["install", "--all"]).contains("no agent was found"));
}

#[test]
fn many_at_once_write_one_file() {
    let cx = realistic();
    let start = || {
        command(&cx, &["install", "claude"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
    };
    let children: Vec<_> = (0..6).map(|_| start().expect("it starts")).collect();
    for mut child in children {
        assert!(child.wait().expect("it ends").success());
    }
    let text = context::read(&cx.path("home/.claude/settings.json"));
    assert_eq!(text.matches("agent hook claude").count(), text.matches("\"timeout\": 3600").count());
    assert!(works(&cx, &["install", "claude"]).contains("nothing changes"));
    works(&cx, &["uninstall", "claude"]);
    assert_eq!(context::read(&cx.path("home/.claude/settings.json")), CLAUDE);
}

#[test]
fn whoever_is_killed_leaves_the_old_bytes_or_the_new_ones() {
    let cx = realistic();
    let file = cx.path("home/.claude/settings.json");
    works(&cx, &["install", "claude"]);
    let new = context::read(&file);
    works(&cx, &["uninstall", "claude"]);
    for round in 0..40_u64 {
        let verb = if context::read(&file) == CLAUDE { "install" } else { "uninstall" };
        let mut child = command(&cx, &[verb, "claude"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        // Somewhere on its way; wherever that is, what is asserted holds.
        std::thread::sleep(std::time::Duration::from_micros(round * 400));
        let _ = child.kill();
        child.wait().expect("it ends");
        let text = context::read(&file);
        assert!(text == CLAUDE || text == new, "round {round}: {text}");
    }
    works(&cx, &["install", "claude"]);
    works(&cx, &["uninstall", "claude"]);
    assert_eq!(context::read(&file), CLAUDE);
    let left: Vec<_> = fs::read_dir(cx.path("home/.claude"))
        .expect("the folder")
        .flatten()
        .map(|it| it.file_name())
        .collect();
    assert_eq!(left.len(), 2, "{left:?}");
}

#[test]
fn a_project_names_the_program_and_not_a_path_of_this_machine() {
    let cx = TestContext::new();
    let bin = cx.path("bin");
    fs::create_dir(&bin).expect("a folder");
    symlink(env!("CARGO_BIN_EXE_boathook"), bin.join("boathook")).expect("a link");
    let on_path = |args: &[&str]| {
        let mut command = command(&cx, args);
        command.env("PATH", &bin);
        let output = context::pipe(command, b"");
        assert!(output.status.success(), "{args:?}: {}", said(&cx, &output));
        said(&cx, &output)
    };
    for (name, file) in PROJECT {
        let words = on_path(&["install", name, "--project"]);
        let shut = ["claude", "gemini", "copilot", "opencode"].contains(&name);
        let expected =
            if shut { "refuses: everybody who works here needs it" } else { "goes on without hooks" };
        assert!(words.contains(expected), "{name}: {words}");
        let text = context::read(&cx.path(file));
        assert!(!text.contains("/boathook"), "{name}: {text}");
        assert!(text.contains("boathook agent hook") || text.contains("\"boathook\""), "{name}: {text}");
        on_path(&["uninstall", name, "--project"]);
    }
    // A user's own settings name the link, which stays when a newer program stands behind it.
    on_path(&["install", "claude"]);
    let text = context::read(&cx.path("home/.claude/settings.json"));
    assert!(text.contains(&format!("{} agent hook", bin.join("boathook").display())), "{text}");
    assert!(on_path(&["status", "claude"]).contains("wired    user"));
}

#[test]
fn cursor_needs_nothing() {
    let cx = TestContext::new();
    assert!(works(&cx, &["install", "cursor"]).contains("Cursor runs .cursor/hooks.json"));
    assert!(agent(&cx, &["install"]).status.code() == Some(1), "a name is needed");
    assert!(agent(&cx, &["install", "emacs"]).status.code() == Some(1));
}

#[test]
fn red_team_l11_the_installed_command_carries_the_options_that_were_typed() {
    let cx = TestContext::new();
    cx.write("system/etc/cursor/hooks.json", context::one_hook("beforeShellExecution", "exit 2"));
    fs::create_dir_all(cx.path("home/plugin")).expect("a folder");
    let mut install =
        cx.command(["agent", "install", "claude", "opencode", "--plugin-dir", "../home/plugin"]);
    install.env("PATH", "/usr/bin:/bin");
    let output = context::pipe(install, b"");
    let (system, plugin) = (cx.path("system"), cx.path("project/../home/plugin"));
    let settings = context::read(&cx.path("home/.claude/settings.json"));
    let settings: serde_json::Value = serde_json::from_str(&settings).expect("JSON");
    let command = settings["hooks"]["PreToolUse"][0]["hooks"][0]["command"].as_str().expect("a command");
    let plugin_word = format!("--plugin-dir {}", plugin.display());
    assert!(command.contains(&format!("--root {}", system.display())), "{command}: {output:?}");
    assert!(command.contains(&plugin_word), "{command}");
    let opencode = context::read(&cx.path("home/.config/opencode/plugins/boathook.js"));
    assert!(opencode.contains(&format!(", \"--root\", \"{}\"", system.display())), "{opencode}");
    // The command itself, from elsewhere: the enterprise hooks below that root refuse.
    let mut call = Command::new("/bin/sh");
    call.args(["-c", command]).current_dir("/").env("HOME", cx.path("home"));
    let payload = r#"{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"},
        "session_id": "s", "cwd": "/", "transcript_path": "/t"}"#;
    let answer = context::pipe(call, payload.as_bytes());
    assert!(String::from_utf8_lossy(&answer.stdout).contains("\"deny\""), "{answer:?}");
}

#[test]
fn red_team_l11_options_that_would_be_lost_are_refused() {
    let cx = TestContext::new();
    fs::create_dir_all(cx.path("other/.git")).expect("a folder");
    let other = cx.path("other").display().to_string();
    let cases: [(&[&str], &str); 3] = [
        (&["--edition", "2.3"], "write `edition = \"2.3\"` in config.toml"),
        (&["--workspace", &other], "write `--project` to install into that workspace"),
        (&["--workspace", &other, "--managed"], "`--workspace` would be lost"),
    ];
    for (options, expected) in cases {
        let seen = cx.run([&["agent", "install", "claude"], options].concat());
        assert!(seen.starts_with("exit code: 1") && seen.contains(expected), "{options:?}: {seen}");
    }
    assert!(!cx.path("home/.claude").exists() && !cx.path("system/etc").exists());
    let seen = cx.run(["agent", "install", "claude", "--project", "--workspace", &other]);
    assert!(cx.path("other/.claude/settings.json").exists(), "{seen}");
}
