//! Calls that must ask and calls that must not, over a home with hooks of every protected kind.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::*;
use crate::engine::{Settings, load_options};
use crate::fill::Event;
use crate::load::Loader;
use crate::source::Os;
use crate::testing::TempDir;

mod lines;

struct Machine {
    rule: SelfProtection,
    root: TempDir,
}

impl Machine {
    fn new() -> Machine {
        let root = TempDir::new();
        let at = |path: &str| root.path().join(path);
        for folder in [
            "home/.cursor/hooks",
            "home/guards",
            "home/.claude",
            "home/.local/bin",
            "project/.cursor",
            "project/src",
        ] {
            fs::create_dir_all(at(folder)).expect(folder);
        }
        let hooks = r#"{"version": 1, "hooks": {"preToolUse": [{"command": "python3 ~/guards/guard.py"}]}}"#;
        fs::write(at("home/.cursor/hooks.json"), hooks).expect("hooks");
        fs::write(at("home/.cursor/hooks/own.sh"), "exit 0").expect("script");
        fs::write(at("home/guards/guard.py"), "pass").expect("guard");
        fs::write(at("home/.claude/settings.json"), r#"{"hooks": "boathook agent hook claude"}"#)
            .expect("settings");
        fs::write(at("home/.local/bin/boathook"), "program").expect("program");
        fs::write(at("project/.cursor/hooks.json"), "{}").expect("project");
        let roots = Roots {
            system: at("system"),
            ..Roots::new(Os::Linux, at("home"), at("home/.local/state/boathook"), [at("project")])
        };
        let connected = |file: &str| Connection { file: at(file), entries: at(file) };
        let files = ProtectedFiles {
            config: at("home/.config/boathook"),
            programs: vec![at("home/.local/bin/boathook")],
            search_path: vec![
                at("home/bin"),
                at("home/.local/bin"),
                PathBuf::from("/usr/bin"),
                PathBuf::from("/bin"),
            ],
            units: vec![at("home/.config/systemd/user/boathook.service")],
            connections: vec![
                connected("home/.claude/settings.json"),
                connected("home/.gemini/settings.json"),
            ],
        };
        let settings = Settings::new(roots.clone());
        let hooks = Loader::new(roots.clone(), load_options(&settings, false)).hooks(&roots.workspaces);
        Machine { rule: SelfProtection::new(roots, files, hooks), root }
    }

    fn at(&self, path: &str) -> String {
        self.root.path().join(path).display().to_string()
    }

    fn ask(&self, tool: &str, input: &Value) -> Option<Touched> {
        let payload = json!({ "tool_name": tool, "tool_input": input, "cwd": self.at("project") });
        let event = Event::new(EventKind::PreToolUse, crate::payload::Payload::of(&payload));
        self.rule.touched(&Look::new(&event, &|_| None))
    }

    fn shell(&self, line: &str) -> Option<Touched> {
        let line = line.replace("{home}", &self.at("home")).replace("{system}", &self.at("system"));
        self.ask("Shell", &json!({ "command": line }))
    }
}

#[test]
#[rustfmt::skip] // a table of short lines
fn agents_f5_a_command_that_touches_what_decides_is_recognised() {
    let machine = Machine::new();
    let lines = [
        "echo '{}' > ~/.cursor/hooks.json", ": > $HOME/.cursor/hooks.json", "echo > \"${HOME}/.cursor/hooks.json\"", "> {home}/.cursor/hooks.json",
        "cat x >> ~/.cursor/hooks.json", "rm ~/.cursor/hooks.json", "rm -rf ~/.cursor", "rm -rf ~", "rm -rf {home}/", "rm -rf ~/.local",
        "rm -rf ~/.local/state/boathook", "rm -r ~/.local/state/boathook/trust", "mv ~/.cursor x", "mv ~/.cursor/hooks.json /tmp/x",
        "mv fake.json ~/.cursor/hooks.json", "cp fake.json ~/.cursor/hooks.json", "cp hooks.json ~/.cursor/", "cp -r fake/.cursor ~", "cp -r fake/. ~/.cursor",
        "sed -i 's/deny/allow/' ~/guards/guard.py", "tee ~/guards/guard.py < /dev/null", "chmod 000 ~/.cursor/hooks.json", "chmod -R 000 ~/.cursor",
        "chmod 000 ~/.cursor", "chown -R x ~", "ln -sf /dev/null ~/.cursor/hooks.json", "truncate -s 0 ~/.cursor/hooks.json", "dd if=/dev/null of={home}/.cursor/hooks.json",
        "install -m 755 /bin/true ~/.local/bin/boathook", "cp /bin/true ~/.local/bin/boathook", "ln -sf /bin/true ~/.local/bin/boathook", "rm $(which boathook)",
        "cp /bin/true \"$(command -v boathook)\"", "python3 -c \"open('{home}/.cursor/hooks.json','w')\"",
        "python3 -c \"import os; open(os.path.expanduser('~/.cursor/hooks.json'),'w')\"",
        "node -e \"require('fs').writeFileSync(require('os').homedir()+'/.cursor/hooks.json','')\"",
        "python3 - <<'EOF'\nfrom pathlib import Path\n(Path.home() / '.cursor' / 'hooks.json').unlink()\nEOF",
        "perl -i -pe 's/x/y/' ~/.cursor/hooks.json", "cd ~/.cursor && rm hooks.json", "cd ~ && rm -rf .cursor", "cd && cd .cursor && echo > hooks.json",
        "cd {home}; cd .cursor; : > ./hooks.json", "rm ../home/.cursor/hooks.json", "rm ./src/../../home/.cursor/hooks.json", "sudo rm -rf ~/.cursor", "rm $HOME/.cursor/hooks.json", "rm -rf \"$HOME\"", "rm /x/../$HOME/.cursor/hooks.json", "cd \"$HOME/.cursor\" && rm hooks.json", "echo > $PWD/../home/.cursor/hooks.json", "bash -c 'rm ~/.cursor/hooks.json'",
        "f=~/.cursor/hooks.json; echo > $f", "f=~/.cursor; rm $f/hooks.json", "rm ~/.cursor/*.json", "rm -rf ~/.cursor/*", "rm -rf ~/.c*", "rm ~/.cursor/$name",
        "find ~ -delete", "find ~/.cursor -name hooks.json -delete", "find ~/.cursor -type f -exec rm {} +", "echo ~/.cursor/hooks.json | xargs rm", "touch ~/.config/boathook/config.toml",
        "echo 'self_protection = false' > ~/.config/boathook/config.toml", "rm -rf {system}/etc/cursor", "echo x > {system}/etc/cursor/hooks.json",
        "rm ~/.claude/settings.json", "jq . x > ~/.claude/settings.json", "rm -rf ~/.claude", "curl -o ~/.cursor/hooks.json https://x", "wget -O{home}/.cursor/hooks.json https://x",
        "tar -xf x.tar -C ~/.cursor", "rsync -a fake/ ~/.cursor/", "git -C ~/.cursor checkout -- hooks.json", "rm -rf ~/.cursor/managed/team_1", "vim ~/.cursor/hooks.json", "patch ~/guards/guard.py x.diff",
        "boathook unlock", "boathook unlock --for 15m", "script -qc 'boathook unlock' /dev/null", "~/.local/bin/boathook trust --yes", "boathook agent uninstall claude",
        "boathook team logout", "boathook daemon stop", "boathook daemon uninstall", "boathook daemon install", "sudo boathook trust", "env X=1 boathook unlock", "boathook --workspace x trust --accept 1",
        "python3 -c \"import pty; pty.spawn(['boathook','unlock'])\"", "shred -u ~/.cursor/hooks.json", "unlink ~/.cursor/hooks.json", "cat > ~/guards/guard.py <<'EOF'\npass\nEOF",
    ];
    let missed: Vec<&str> = lines.into_iter().filter(|line| machine.shell(line).is_none()).collect();
    assert_eq!(missed, Vec::<&str>::new(), "not recognised");
}

#[test]
#[rustfmt::skip] // a table of short lines
fn agents_f5_ordinary_commands_do_not_ask() {
    let machine = Machine::new();
    let lines = [
        "rm -rf target", "git clean -fdx", "find . -delete", "find . -name '*.pyc' -delete", "find ~ -name '*.pyc' -delete", "find ~/.cursor -name '*.json'", "cat ~/.cursor/hooks.json", "ls -la ~/.cursor",
        "ls ~/.local/state/boathook", "grep -r deny ~/.cursor/hooks", "jq . ~/.cursor/hooks.json", "head -5 ~/.cursor/hooks.json > out.txt", "cp ~/.cursor/hooks.json backup.json",
        "diff ~/.cursor/hooks.json .cursor/hooks.json", "cd ~/.cursor && ls", "echo '{}' > .cursor/hooks.json", "rm .cursor/hooks.json", "rm -rf .cursor", "cat > .cursor/hooks.json <<'EOF'\n{}\nEOF",
        "sed -i s/a/b/ .cursor/hooks.json", "mkdir -p .cursor/hooks", "chmod +x .cursor/hooks/guard.sh", "npm install", "npm test", "cargo build --release", "cargo clean", "make install PREFIX=/usr/local",
        "git status", "git commit -am 'x'", "git checkout -- .", "git stash", "python3 script.py", "python3 -c 'print(1)'", "python3 -m pytest -q", "node -e 'console.log(1)'", "rm -rf node_modules dist",
        "rm -rf \"$DIR\"", "rm -f $FILES", "mv a b", "mv src/*.rs lib/", "cp -r src /tmp/x", "tar xzf x.tgz", "tar -C /usr/local -xzf go.tgz", "curl -o out.bin https://x", "docker build -t x .",
        "echo hi >> ~/notes.txt", "touch ~/.bashrc", "sed -i s/a/b/ ~/.zshrc", "mkdir -p ~/.config/other", "rm -rf ~/.cache/pip", "rm -rf ~/project-old", "rm ~/.cursor/mcp.json", "echo {} > ~/.cursor/mcp.json",
        "ln -s ../a b", "chmod 755 script.sh", "chmod 700 ~", "tee log.txt < in", "boathook list", "boathook check ~/.cursor/hooks.json", "boathook run preToolUse", "boathook trust --status", "boathook agent status", "boathook doctor",
        "boathook daemon status", "boathook log", "which boathook", "~/.local/bin/boathook --version", "python3 ~/guards/guard.py < payload.json", "bash ~/.cursor/hooks/own.sh", "sudo cat ~/.cursor/hooks.json",
        "for f in *.txt; do rm $f; done", "ls | xargs rm", "export HOME=/tmp/x", "true > /dev/null 2>&1", "pkill node", "rsync -a src/ dest/", "unzip x.zip -d out", "rm hooks.json", "cd /tmp && rm -rf hooks.json",
        "python3 - <<'EOF'\nopen('.cursor/hooks.json','w').write('{}')\nEOF", "jq '.hooks' .cursor/hooks.json > t && mv t .cursor/hooks.json", "wc -l ~/guards/guard.py", "sha256sum ~/.local/bin/boathook", "rm ~/.gemini/settings.json",
    ];
    let asked: Vec<(&str, Touched)> = lines.into_iter().filter_map(|line| Some((line, machine.shell(line)?))).collect();
    assert!(asked.is_empty(), "{asked:#?}");
    assert!(lines.len() >= 60, "{}", lines.len());
}

#[test]
fn agents_f5_edits_of_what_decides_are_recognised_and_others_are_not() {
    let machine = Machine::new();
    let hooks = machine.at("home/.cursor/hooks.json");
    let patch = |path: &str| {
        format!("*** Begin Patch\n*** Update File: a\n*** Move to: {path}\n@@\n-x\n+y\n*** End Patch")
    };
    let asks = [
        ("Write", json!({ "file_path": hooks, "content": "{}" })),
        ("Write", json!({ "file_path": machine.at("project/../home/.cursor/hooks.json"), "content": "{}" })),
        ("Write", json!({ "file_path": "../home/.cursor/hooks.json", "content": "{}" })),
        (
            "StrReplace",
            json!({ "file_path": machine.at("home/guards/guard.py"), "old_string": "a", "new_string": "b" }),
        ),
        ("Delete", json!({ "file_path": hooks })),
        ("Delete", json!({ "path": machine.at("home/.cursor") })),
        ("EditNotebook", json!({ "target_notebook": machine.at("home/.local/state/boathook/x.ipynb") })),
        ("ApplyPatch", json!({ "patch": patch(&hooks) })),
        ("MCP:write_file", json!({ "path": hooks, "content": "" })),
        ("MCP:move_file", json!({ "source": hooks, "destination": "x" })),
        ("MCP:edit_file", json!({ "path": machine.at("home/.claude/settings.json"), "edits": [] })),
        ("MCP:batch", json!({ "operations": [{ "path": "x" }, { "path": hooks }] })),
        ("MCP:save", json!({ "uri": format!("file://{hooks}") })),
        ("MCP:run_command", json!({ "command": format!("rm {hooks}") })),
        ("create_file", json!({ "filePath": machine.at("home/.config/boathook/config.toml") })),
    ];
    for (tool, input) in &asks {
        assert!(machine.ask(tool, input).is_some(), "{tool} {input}");
    }
    let silent = [
        ("Write", json!({ "file_path": machine.at("project/.cursor/hooks.json"), "content": hooks })),
        ("Write", json!({ "file_path": "src/a.rs", "content": "rm ~/.cursor/hooks.json" })),
        ("Write", json!({ "file_path": ".claude/settings.json", "content": "{}" })),
        ("Write", json!({ "file_path": machine.at("home/.cursor/rules/a.mdc"), "content": "" })),
        ("Read", json!({ "file_path": hooks })),
        ("Grep", json!({ "path": machine.at("home/.cursor") })),
        ("MCP:read_file", json!({ "path": hooks })),
        ("MCP:search", json!({ "query": hooks })),
        ("Delete", json!({ "file_path": machine.at("project/target") })),
        ("Task", json!({ "prompt": hooks })),
        ("Write", json!({ "file_path": machine.at("home/.gemini/settings.json"), "content": "{}" })),
    ];
    for (tool, input) in &silent {
        assert_eq!(machine.ask(tool, input), None, "{tool} {input}");
    }
}

#[cfg(unix)]
#[test]
fn agents_n6_a_tool_may_name_its_fields_as_it_likes() {
    let machine = Machine::new();
    let hooks = machine.at("home/.cursor/hooks.json");
    let folder = machine.at("home/.cursor");
    std::os::unix::fs::symlink(machine.at("home"), machine.at("project/lnk")).expect("a link");
    let deep = (0..20).fold(json!({ "path": hooks }), |inner, _| json!({ "x": [inner] }));
    let escaped = format!("file://localhost{}", hooks.replace("hooks.json", "%68ooks%2Ejson"));
    let asks = [
        ("MCP:write", json!({ "relative_path": "../home/.cursor/hooks.json" })),
        ("MCP:write", json!({ "absolute_path": hooks })),
        ("MCP:write", json!({ "abs_path": hooks })),
        ("MCP:create", json!({ "directory": folder, "name": "hooks.json" })),
        ("MCP:delete_directory", json!({ "directory": folder })),
        ("MCP:save", json!({ "path": { "value": hooks } })),
        ("MCP:save", json!({ "paths": [[["x"], [hooks]]] })),
        ("MCP:save", deep),
        ("MCP:save", json!({ "uri": format!("FILE://{hooks}") })),
        ("MCP:save", json!({ "uri": escaped })),
        ("MCP:save", json!({ "where": hooks })),
        ("MCP:checklist_apply", json!({ "path": hooks })),
        ("MCP:truncate_list", json!({ "path": hooks })),
        ("MCP:process", json!({ "command": "rm", "args": [hooks] })),
        ("MCP:process", json!({ "command": "sh", "args": ["-c", format!("rm {hooks}")] })),
        ("MCP:process", json!({ "command": ["sh", "-c", "rm ../home/.cursor/hooks.json"] })),
        ("MCP:process", json!({ "cmdline": "boathook unlock" })),
        ("MCP:process", json!({ "commandLine": format!("rm {hooks}") })),
        ("MCP:process", json!({ "command": "rm hooks.json", "cwd": folder })),
        ("MCP:eval", json!({ "code": format!("import os; os.remove('{hooks}')") })),
        ("run_anything", json!({ "command": format!("rm {hooks}") })),
        ("Write", json!({ "file_path": machine.at("project/lnk/../lnk/.cursor/hooks.json") })),
        ("Write", json!({ "file_path": machine.at("project/lnk/.cursor/hooks.json") })),
    ];
    for (tool, input) in &asks {
        assert!(machine.ask(tool, input).is_some(), "{tool} {input}");
    }
    let silent = [
        ("MCP:listFiles", json!({ "path": folder })),
        ("MCP:git_status", json!({ "repo_path": machine.at("home") })),
        ("MCP:write_file", json!({ "path": "a.md", "content": hooks })),
        ("MCP:run", json!({ "command": "cargo", "args": ["test"], "cwd": machine.at("project") })),
        ("MCP:eval", json!({ "code": "print(1)" })),
        ("MCP:send_message", json!({ "channel": "x", "message": "rm ~/.cursor/hooks.json" })),
        ("run_anything", json!({ "command": "npm test" })),
    ];
    for (tool, input) in &silent {
        assert_eq!(machine.ask(tool, input), None, "{tool} {input}");
    }
}

#[test]
fn agents_n7_what_takes_the_place_of_a_program_or_a_library_is_recognised() {
    let machine = Machine::new();
    let has_python = Path::new("/usr/bin/python3").is_file() || Path::new("/bin/python3").is_file();
    let mut asks = vec![
        "home/bin/boathook",
        "home/.config/systemd/user/boathook.service",
        // The folder holds nothing but a script of a hook.
        "home/guards/json.py",
        "home/.cursor/hooks/lib/x.sh",
    ];
    asks.extend(has_python.then_some(["home/bin/python3", "home/.local/bin/python3"]).into_iter().flatten());
    for path in asks {
        let input = json!({ "file_path": machine.at(path), "content": "" });
        assert!(machine.ask("Write", &input).is_some(), "{path}");
    }
    for path in
        ["home/bin/tool", "home/.local/bin/other", "home/.config/systemd/user/other.service", "home/json.py"]
    {
        let input = json!({ "file_path": machine.at(path), "content": "" });
        assert_eq!(machine.ask("Write", &input), None, "{path}");
    }
    // What is not there cannot be removed.
    assert_eq!(machine.shell("rm -rf ~/bin"), None);
}

#[cfg(unix)]
#[test]
fn agents_f5_links_do_not_hide_a_protected_path() {
    use std::os::unix::fs::symlink;
    let machine = Machine::new();
    let at = |path: &str| machine.at(path);
    symlink(at("home/.cursor"), at("project/link")).expect("a link");
    fs::hard_link(at("home/.cursor/hooks.json"), at("project/hard.json")).expect("a hard link");
    fs::hard_link(at("home/.cursor/hooks/own.sh"), at("project/own.sh")).expect("a hard link");
    for line in ["rm link/hooks.json", "echo > link/hooks.json", "echo > hard.json", "echo > own.sh"] {
        assert!(machine.shell(line).is_some(), "{line}");
    }
    // A hooks file that is itself a link: what it leads to is protected.
    fs::remove_file(at("home/.cursor/hooks.json")).expect("removed");
    fs::write(at("home/dotfiles.json"), "{}").expect("a file");
    symlink(at("home/dotfiles.json"), at("home/.cursor/hooks.json")).expect("a link");
    assert!(machine.shell("echo > ~/dotfiles.json").is_some());
    assert!(Path::new(&at("project/link")).exists());
}

#[test]
fn agents_f5_an_unlock_ends_by_itself_and_never_lasts_longer_than_allowed() {
    let machine = Machine::new();
    let state = StateDir::new(machine.root.path().join("home/.local/state/boathook"));
    let write = |since: i64, until: i64| {
        let record = json!({ "since": since, "until": until }).to_string();
        state
            .write("", "unlock.json", record.as_bytes(), crate::state::Durability::Relaxed)
            .expect("written");
    };
    assert_eq!(unlock::until(&state), None);
    let until = unlock::unlock(&state, 15).expect("unlocked");
    assert_eq!(unlock::until(&state), Some(until));
    assert!(machine.rule.is_unlocked());
    assert!(unlock::lock(&state).expect("locked"));
    assert!(!machine.rule.is_unlocked());
    let now = crate::ids::now_millis();
    let hour = 3_600_000;
    for (since, until) in [
        (now - hour, now - 1),
        (now + hour, now + 2 * hour),
        (now, now + 9 * hour),
        (0, i64::MAX),
        (i64::MIN, i64::MAX),
    ] {
        write(since, until);
        assert_eq!(unlock::until(&state), None, "{since} {until}");
    }
    let capped = unlock::unlock(&state, 10_000).expect("unlocked");
    assert!(capped <= crate::ids::now_millis() + 8 * hour);
}
