//! Looks whether the programs that hooks need are on PATH: what a command
//! starts, what a script's first line names, and jq.
//!
//! For `doctor`, which speaks of this machine; `check` speaks of the files.
//! Looks at files and starts nothing.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::script_text::{shebang, text_of};
use super::scripts::{NamedScript, named_script, placed, script_word, with_command};
use super::shell::first_command;
use super::syntax::excerpt;
use crate::definition::Definition;
use crate::problem::Problem;
use crate::trust::Scope;

/// What a shell does itself, and ourselves.
const NO_PROGRAMS: [&str; 41] = [
    ".", ":", "!", "[", "[[", "{", "(", "alias", "boathook", "builtin", "case", "cd", "command", "declare",
    "echo", "eval", "exec", "exit", "export", "false", "for", "function", "hash", "if", "let", "local",
    "printf", "pwd", "read", "return", "set", "shift", "source", "test", "trap", "true", "type", "ulimit",
    "umask", "until", "while",
];

/// Every program that is needed and is not there. `path` is PATH.
pub fn check_programs(definitions: &[Definition], scope: &Scope, path: Option<&OsStr>) -> Vec<Problem> {
    let on_path = |program: &str| find(program, path).is_some();
    let mut problems: Vec<Problem> = Vec::new();
    for (definition, command) in definitions.iter().filter_map(with_command) {
        let mut found = Vec::new();
        if let Some(program) = program_of(command).filter(|program| !on_path(program)) {
            let message = format!("`{}` is not on PATH: the hook fails", excerpt(&program));
            found.push(Problem::warning("program-not-found", message).help(install(&program)));
        }
        if let Some(script) = named_script(command, scope) {
            found.extend(in_script(&script, &on_path));
        }
        let uses_jq = words(command).any(|word| word == "jq") && program_of(command).as_deref() != Some("jq");
        if uses_jq && !on_path("jq") {
            found.push(without_jq("the command"));
        }
        // Many hooks name one script, and one program.
        found.retain(|problem| !problems.iter().any(|other| other.message == problem.message));
        problems.extend(found.into_iter().map(|problem| placed(definition, problem)));
    }
    problems
}

/// Every program that hooks need, and where it is, sorted.
pub fn programs_of(
    definitions: &[Definition],
    scope: &Scope,
    path: Option<&OsStr>,
) -> Vec<(String, Option<PathBuf>)> {
    let mut names: Vec<String> = Vec::new();
    for (_, command) in definitions.iter().filter_map(with_command) {
        names.extend(program_of(command));
        let script = named_script(command, scope);
        let text = script.as_ref().and_then(text_of);
        let direct = text.as_deref().filter(|_| script.as_ref().is_some_and(|script| script.direct));
        names.extend(direct.and_then(interpreter));
        if words(command).any(|word| word == "jq") || text.as_deref().is_some_and(uses_jq) {
            names.push("jq".to_owned());
        }
    }
    names.sort();
    names.dedup();
    names.into_iter().map(|name| (name.clone(), find(&name, path))).collect()
}

fn in_script(script: &NamedScript, on_path: &dyn Fn(&str) -> bool) -> Vec<Problem> {
    let Some(text) = text_of(script) else { return Vec::new() };
    let mut found = Vec::new();
    if let Some(program) = interpreter(&text).filter(|program| script.direct && !on_path(program)) {
        let message = format!(
            "`{}`, which the first line of {} names, is not there: the hook fails",
            excerpt(&program),
            script.path.display()
        );
        found.push(Problem::warning("interpreter-not-found", message).help(install(&program)));
    }
    if uses_jq(&text) && !on_path("jq") {
        found.push(without_jq(&script.path.display().to_string()));
    }
    found
}

/// What a first line starts: `env` finds its argument on PATH.
fn interpreter(text: &str) -> Option<String> {
    let words = shebang(text)?;
    let (first, rest) = words.split_first()?;
    if !first.ends_with("/env") {
        return Some((*first).to_owned());
    }
    rest.iter().find(|word| !word.starts_with('-') && !word.contains('=')).map(|word| (*word).to_owned())
}

/// The program that a command starts by its name; none for paths, and for
/// what only the shell knows.
fn program_of(command: &str) -> Option<String> {
    let words = first_command(command);
    // The script may stand behind its interpreter: the word before all is what is started.
    let (script, direct) = script_word(&words)?;
    let first =
        if direct { script } else { words[..script].iter().position(|word| !word.value.contains('='))? };
    let word = &words[first];
    let plain = word.literal && !word.value.contains('/') && !NO_PROGRAMS.contains(&word.value.as_str());
    plain.then(|| word.value.clone())
}

/// A shell script that looks for jq before it uses it knows what it does.
fn uses_jq(text: &str) -> bool {
    let looks = ["command -v jq", "which jq", "type jq", "hash jq", "type -P jq"];
    let is_shell = shebang(text).is_none_or(|words| words.iter().any(|word| word.ends_with("sh")));
    is_shell
        && !looks.iter().any(|look| text.contains(look))
        && text
            .lines()
            .filter(|line| !line.trim_start().starts_with('#'))
            .any(|line| words(line).any(|word| word == "jq"))
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|letter: char| !(letter.is_alphanumeric() || "_-./".contains(letter)))
}

fn without_jq(who: &str) -> Problem {
    let message = format!("{who} uses jq, which is not on PATH: what it reads with it is empty");
    Problem::warning("jq-not-found", message).help("install jq, or write the hook in Python or Node")
}

fn install(program: &str) -> String {
    let name = program.rsplit('/').next().unwrap_or(program);
    format!("install {name}, or name it by its whole path; agents do not always have the PATH of your shell")
}

/// A program by its path, or by its name on PATH.
fn find(program: &str, path: Option<&OsStr>) -> Option<PathBuf> {
    if program.contains('/') {
        return Some(PathBuf::from(program)).filter(|file| file.is_file());
    }
    let names: &[&str] = if cfg!(windows) { &["", ".exe", ".cmd", ".bat"] } else { &[""] };
    let folders: Vec<PathBuf> = std::env::split_paths(path?).filter(|folder| folder.is_absolute()).collect();
    let files = folders.iter().flat_map(|it| names.iter().map(move |end| it.join(format!("{program}{end}"))));
    files.into_iter().find(|file| is_program(file))
}

#[cfg(unix)]
fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(file: &Path) -> bool {
    file.is_file()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::event::EventKind;
    use crate::source::Os;
    use crate::testing::TempDir;

    #[test]
    fn programs_are_looked_for_on_path() {
        let dir = TempDir::new();
        dir.script("bin/here", "");
        dir.script("bin/sh", "");
        dir.script("run/a.sh", "#!/usr/bin/env -S here --x\n");
        dir.script("run/b.sh", "#!/usr/bin/env absent\n");
        dir.script("run/c.sh", "#!/absent/sh\n");
        dir.script("run/jq.sh", "#!/usr/bin/env sh\necho x | jq .a\n");
        dir.script("run/careful.sh", "#!/usr/bin/env sh\ncommand -v jq >/dev/null || exit 0\njq .a\n");
        dir.script("run/word.sh", "#!/usr/bin/env sh\n# jq\necho sjqx ./jq.sh\n");
        let path = dir.path().join("bin").into_os_string();
        let cases: [(&str, &[&str]); 17] = [
            ("here --x", &[]),
            ("absent --x", &["program-not-found"]),
            ("A=1 exec absent", &["program-not-found"]),
            ("absent run/x.py", &["program-not-found"]),
            ("python3 x.py", &["program-not-found"]),
            ("./a.sh", &[]),
            ("./b.sh", &["interpreter-not-found"]),
            ("sh ./b.sh", &[]),
            ("./c.sh", &["interpreter-not-found"]),
            ("./jq.sh", &["jq-not-found"]),
            ("./careful.sh", &[]),
            ("./word.sh", &[]),
            ("jq -r .a", &["program-not-found"]),
            ("here | jq -r .a", &["jq-not-found"]),
            ("[ -e x ] && absent", &[]),
            ("$TOOL x", &[]),
            ("echo x", &[]),
        ];
        for (command, expected) in cases {
            let definitions = [Definition::command(EventKind::Stop, command)];
            let run = dir.path().join("run");
            let (os, home) = (Os::Linux, dir.path());
            let scope = Scope { os, run_dir: &run, workspace: None, plugin: None, home };
            let found = check_programs(&definitions, &scope, Some(&path));
            let codes: Vec<_> = found.iter().map(|problem| problem.code).collect();
            assert_eq!(codes, expected, "{command}");
        }
    }
}
