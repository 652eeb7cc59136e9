//! `boathook convert hookify`, as entries and as scripts.

use std::fs;

use serde_json::Value;

use crate::context::TestContext;

const FORCE: &str = "---\nname: no-force\nenabled: true\nevent: bash\npattern: git\\s+push\\s+.*--force\naction: block\n---\n\n**Never** force.\nEOF\nIt's \"final\" \\o/\n";
const WARN: &str = "---\nname: commit\nenabled: true\nevent: bash\npattern: git\\s+commit\naction: warn\n---\nTests first.\n";
const TODO: &str =
    "---\nname: todo\nenabled: true\nevent: file\npattern: TODO\naction: warn\n---\nNo TODO.\n";
const SECRET: &str = "---\nname: env\nenabled: true\nevent: file\naction: block\nconditions:\n  - field: file_path\n    operator: regex_match\n    pattern: \\.env$\n---\nNo secrets.\n";

fn project() -> TestContext {
    let cx = TestContext::new();
    cx.write("project/.claude/hookify.no force.local.md", FORCE);
    cx.write("project/.claude/hookify.commit.local.md", WARN);
    cx.write("project/.claude/hookify.todo.local.md", TODO);
    cx.write("project/.claude/hookify.env.local.md", SECRET);
    fs::create_dir_all(cx.path("project/.git")).expect("a directory");
    cx
}

fn hooks_json(cx: &TestContext) -> String {
    fs::read_to_string(cx.path("project/.cursor/hooks.json")).expect("a hooks.json")
}

#[test]
fn rules_become_entries_that_name_them() {
    let cx = project();
    insta::assert_snapshot!(cx.run(["convert", "hookify"]), @r#"
    exit code: 0
    ----- stdout -----
    wrote .cursor/hooks.json
    ----- stderr -----
    hint: project hooks run once you trust the workspace: `boathook trust`
    "#);
    insta::assert_snapshot!(hooks_json(&cx), @r#"
    {
      "version": 1,
      "hooks": {
        "preToolUse": [
          { "command": "boathook hookify .claude/hookify.commit.local.md", "matcher": "^Shell$" },
          { "command": "boathook hookify .claude/hookify.env.local.md", "matcher": "^Write$" },
          { "command": "boathook hookify .claude/hookify.todo.local.md", "matcher": "^Write$" }
        ],
        "beforeShellExecution": [
          { "command": "boathook hookify '.claude/hookify.no force.local.md'" }
        ],
        "beforeReadFile": [
          { "command": "boathook hookify .claude/hookify.env.local.md" }
        ],
        "afterFileEdit": [
          { "command": "boathook hookify .claude/hookify.todo.local.md" }
        ]
      }
    }
    "#);
    let first = hooks_json(&cx);
    let again = cx.run(["convert", "hookify"]);
    assert!(again.contains("unchanged .cursor/hooks.json"), "{again}");
    assert_eq!(hooks_json(&cx), first);
}

#[test]
fn rules_become_scripts() {
    let cx = project();
    insta::assert_snapshot!(cx.run(["convert", "hookify", "--scripts"]), @r#"
    exit code: 1
    ----- stdout -----
    wrote .cursor/hooks/hookify-commit.sh
    wrote .cursor/hooks/hookify-env.sh
    wrote .cursor/hooks/hookify-no-force.sh
    wrote .cursor/hooks.json
    ----- stderr -----
    warning: .claude/hookify.todo.local.md: not converted: a script is given command, prompt, file_path or status, and it tests `new_text`
    hint: project hooks run once you trust the workspace: `boathook trust`
    "#);
    insta::assert_snapshot!(hooks_json(&cx), @r#"
    {
      "version": 1,
      "hooks": {
        "beforeShellExecution": [
          { "command": ".cursor/hooks/hookify-commit.sh \"${command}\"" },
          { "command": ".cursor/hooks/hookify-no-force.sh \"${command}\"" }
        ],
        "beforeReadFile": [
          { "command": ".cursor/hooks/hookify-env.sh \"${file_path}\"" }
        ]
      }
    }
    "#);
    let script = fs::read_to_string(cx.path("project/.cursor/hooks/hookify-no-force.sh")).expect("a script");
    insta::assert_snapshot!(script, @r#"
    #!/bin/sh
    # Generated from: .claude/hookify.no force.local.md
    # Description: Never force.
    # Rule SHA-256: a50017c24b7cc68d2175c5569a32c0cecfc0f53a02fdb6eeef03a1977eea4187

    INPUT="$1"
    # Newlines are looked at as this character.
    NL=$(printf '\001')

    if { printf '%s' "$INPUT" | tr '\n' '\001'; printf '\000'; } | LC_ALL=C.UTF-8 grep -qziE -e 'git[[:space:]'"$NL"']+push[[:space:]'"$NL"']+[^'"$NL"']*--force'; then
      cat <<'EOF'
    {"permission":"deny","user_message":"**[no-force]**\n**Never** force.\nEOF\nIt's \"final\" \\o/","agent_message":"**[no-force]**\n**Never** force.\nEOF\nIt's \"final\" \\o/"}
    EOF
      exit 0
    fi

    echo '{"permission": "allow"}'
    "#);
    let again = cx.run(["convert", "hookify", "--scripts"]);
    assert!(!again.lines().any(|line| line.starts_with("wrote") || line.starts_with("changed")), "{again}");
}

#[test]
fn a_script_decides_through_the_engine() {
    let cx = project();
    cx.run(["convert", "hookify", "--scripts"]);
    let ask = |command: &str| {
        let output = cx.output_with(
            ["run", "beforeShellExecution", "--trust"],
            serde_json::json!({ "command": command }).to_string().as_bytes(),
        );
        serde_json::from_slice::<Value>(&output.stdout).expect("an answer")
    };
    let refused = ask("git push origin main --FORCE");
    assert_eq!(refused["permission"], "deny");
    assert_eq!(refused["user_message"], "**[no-force]**\n**Never** force.\nEOF\nIt's \"final\" \\o/");
    assert_eq!(ask("git commit -m x")["permission"], "ask");
    assert_eq!(ask("ls")["permission"], "allow");
}

#[test]
fn an_existing_file_keeps_its_comments_and_a_foreign_script_stays() {
    let cx = project();
    let before = "{\n  // ours\n  \"version\": 1,\n  \"hooks\": {\n    \"stop\": [{ \"command\": \"./x.sh\" }], // x\n  }\n}\n";
    cx.write("project/.cursor/hooks.json", before);
    cx.write("project/.cursor/hooks/hookify-commit.sh", "#!/bin/sh\necho mine\n");
    let said = cx.run(["convert", "hookify", "--scripts", "--warn-as", "deny"]);
    assert!(said.contains("hookify-commit.sh was not generated from it"), "{said}");
    let after = hooks_json(&cx);
    for kept in ["// ours", "// x", "{ \"command\": \"./x.sh\" }"] {
        assert!(after.contains(kept), "{after}");
    }
    let mine = fs::read_to_string(cx.path("project/.cursor/hooks/hookify-commit.sh")).expect("a script");
    assert_eq!(mine, "#!/bin/sh\necho mine\n");
}

#[test]
fn nothing_is_written_through_a_link_that_leads_out() {
    let cases: [(&str, &str, &[&str]); 3] = [
        (".cursor/hooks", "home/bin", &["convert", "hookify", "--scripts"]),
        (".cursor", "home/bin", &["convert", "hookify"]),
        (".cursor/hooks.json", "home/.cursor/hooks.json", &["convert", "hookify"]),
    ];
    for (link, target, args) in cases {
        let cx = project();
        let before = "{\"version\": 1, \"hooks\": {}}\n";
        let own = cx.write("home/.cursor/hooks.json", before);
        fs::create_dir_all(cx.path("home/bin")).expect("a folder");
        fs::create_dir_all(cx.path("project").join(link).parent().expect("a folder")).expect("a folder");
        std::os::unix::fs::symlink(cx.path(target), cx.path("project").join(link)).expect("a link");
        let said = cx.run(args);
        assert!(said.contains("leads out of [PROJECT], to [HOME]"), "{link}: {said}");
        assert!(said.contains("help: remove the link"), "{link}: {said}");
        assert_eq!(fs::read_to_string(own).expect("a file"), before, "{link}");
        assert_eq!(fs::read_dir(cx.path("home/bin")).expect("a folder").count(), 0, "{link}");
    }
}

#[test]
fn no_name_of_a_file_becomes_a_line_of_a_script() {
    for name in ["x\ntouch RAN\n#", "x\rtouch RAN", "x\u{1b}[2K", "x\u{202e}hs.x"] {
        let cx = TestContext::new();
        cx.write(&format!("project/.claude/hookify.{name}.local.md"), FORCE);
        let said = cx.run(["convert", "hookify", "--scripts"]);
        assert!(said.contains("its name holds a control character; rename the file"), "{name:?}: {said}");
        assert!(!cx.path("project/.cursor").exists(), "{name:?}: {said}");
    }
}

#[test]
fn a_dry_run_writes_nothing() {
    let cx = project();
    let said = cx.run(["convert", "hookify", "--scripts", "--dry-run"]);
    assert!(said.contains("would write .cursor/hooks/hookify-no-force.sh"), "{said}");
    assert!(!cx.path("project/.cursor").exists());
}

#[test]
fn another_way_to_warn_changes_the_entries_that_are_there() {
    let cx = project();
    cx.run(["convert", "hookify"]);
    cx.run(["convert", "hookify", "--warn-as", "ask"]);
    let config: Value = serde_json::from_str(&hooks_json(&cx)).expect("JSON");
    let tool: Vec<&str> = config["hooks"]["preToolUse"]
        .as_array()
        .expect("entries")
        .iter()
        .filter_map(|entry| entry["command"].as_str())
        .collect();
    assert_eq!(tool.iter().filter(|command| command.contains("hookify.todo")).count(), 1, "{tool:?}");
    assert!(tool.contains(&"boathook hookify --warn-as ask .claude/hookify.todo.local.md"), "{tool:?}");
}

#[test]
fn nothing_that_guarded_stops_guarding_when_it_becomes_a_script() {
    let cx = TestContext::new();
    fs::create_dir_all(cx.path("project/.git")).expect("a directory");
    let pem = "---\nname: pem\nevent: file\naction: block\nconditions:\n  - field: file_path\n    operator: ends_with\n    pattern: .pem\n---\nNo keys.\n";
    cx.write("project/.claude/hookify.pem.local.md", pem);
    cx.write("project/.claude/hookify.commit.local.md", WARN);
    let payloads = [
        ("preToolUse", r#"{"tool_name":"Write","tool_input":{"file_path":"/x/a.pem","content":"1"}}"#),
        ("preToolUse", r#"{"tool_name":"Shell","tool_input":{"command":"git commit"}}"#),
    ];
    let ask = |event: &str, payload: &str| {
        let output = cx.output_with(["run", event], payload.as_bytes());
        serde_json::from_slice::<Value>(&output.stdout).expect("an answer")
    };
    cx.trust();
    let before = payloads.map(|(event, payload)| ask(event, payload));
    assert_eq!(before[0]["permission"], "deny");
    assert_eq!(before[1]["additional_context"], "**[commit]**\nTests first.");
    cx.run(["convert", "hookify", "--scripts"]);
    cx.trust();
    assert_eq!(payloads.map(|(event, payload)| ask(event, payload)), before);
    assert_eq!(ask("beforeReadFile", r#"{"file_path":"/x/a.pem","content":"1"}"#)["permission"], "deny");
    assert_eq!(ask("beforeShellExecution", r#"{"command":"git commit"}"#)["permission"], "ask");
}

#[test]
fn doctor_says_which_rules_a_hooks_json_names() {
    let cx = project();
    cx.run(["convert", "hookify"]);
    cx.trust();
    let said = cx.run(["doctor"]);
    let line = |name: &str| {
        let line = said.lines().find(|line| line.contains(name) && line.contains(".claude/"));
        line.unwrap_or_else(|| panic!("{said}")).to_owned()
    };
    for rule in ["hookify.commit.", "hookify.env.", "hookify.no force.", "hookify.todo."] {
        assert!(line(rule).contains("named by hooks.json"), "{said}");
    }
    fs::remove_file(cx.path("project/.cursor/hooks.json")).expect("it is there");
    assert!(!cx.run(["doctor"]).contains("named by hooks.json"));
}

#[test]
fn check_says_that_a_script_was_left_behind() {
    let cx = TestContext::new();
    fs::create_dir_all(cx.path("project/.git")).expect("a directory");
    let rule = "project/.claude/hookify.commit.local.md";
    cx.write(rule, WARN);
    cx.run(["convert", "hookify", "--scripts"]);
    let said = |cx: &TestContext| cx.run(["check"]);
    assert!(!said(&cx).contains("was generated from"), "{}", said(&cx));
    let script = ".cursor/hooks/hookify-commit.sh was generated from .claude/hookify.commit.local.md, which";
    let cases = [
        ("Tests", "Linters", "has changed since", "run `boathook convert hookify --scripts` again"),
        ("enabled: true", "enabled: false", "is switched off by now", "remove this entry and the script"),
    ];
    for (old, new, became, help) in cases {
        cx.write(rule, WARN.replace(old, new));
        for command in ["check", "doctor"] {
            let said = cx.run([command]);
            assert!(said.contains(&format!("{script} {became}")) && said.contains(help), "{command}: {said}");
        }
    }
    // Such rules are often kept out of the repository that has the scripts.
    fs::remove_file(cx.path(rule)).expect("it is there");
    assert!(!said(&cx).contains("was generated from"), "{}", said(&cx));
    cx.write(rule, WARN.replace("Tests", "Linters"));
    cx.run(["convert", "hookify", "--scripts"]);
    assert!(!said(&cx).contains("was generated from"), "{}", said(&cx));
}

#[test]
fn a_rule_and_its_script_take_each_others_place() {
    let cx = project();
    let asked = |event: &str| {
        let config: Value = serde_json::from_str(&hooks_json(&cx)).expect("JSON");
        let entries = config["hooks"][event].as_array().cloned().unwrap_or_default();
        entries
            .iter()
            .map(|entry| entry["command"].as_str().unwrap_or_default().to_owned())
            .collect::<Vec<_>>()
    };
    let (rule, script) =
        ("boathook hookify .claude/hookify.env.local.md", ".cursor/hooks/hookify-env.sh \"${file_path}\"");
    for (args, expected) in [(&["--scripts"][..], script), (&[], rule), (&["--scripts"], script)] {
        cx.run(["convert", "hookify"].iter().chain(args));
        assert_eq!(asked("beforeReadFile"), [expected], "{args:?}");
    }
    assert!(asked("preToolUse").contains(&rule.to_owned()), "{:?}", asked("preToolUse"));
}
