//! Whether a command line calls Boathook: such a hook would call us while we
//! run it.

use jsonc_parser::ast::Object;

use super::super::syntax::property;
use crate::remote;
use crate::source::Os;
use crate::trust::shell::{Token, is_line, tokens};

/// Programs that start what stands behind them.
const STARTERS: &[&str] = &[
    "exec", "env", "command", "nohup", "time", "timeout", "sudo", "doas", "nice", "setsid", "stdbuf",
    "xargs", "npx", "bunx", "uvx", "which", "type", "eval",
];
/// Programs that take a command line as a word.
const SHELLS: &[&str] = &["sh", "bash", "dash", "zsh", "ksh", "fish", "pwsh", "powershell", "cmd", "eval"];
/// A command line inside a command line inside a command line.
const DEPTH: usize = 3;

/// Whether this line, or this program with these arguments, calls Boathook.
pub(super) fn calls_us(command: &str, args: Option<&[String]>) -> bool {
    match args {
        None => line_calls_us(command, DEPTH),
        Some(args) => {
            let mut words = Words::default();
            std::iter::once(command).chain(args.iter().map(String::as_str)).any(|word| words.add(word, DEPTH))
        }
    }
}

/// Whether this is the line that an agent is wired to Boathook with.
pub(super) fn is_wiring(command: &str) -> bool {
    command.contains(" agent hook ") && calls_us(command, None)
}

/// Whether this is the entry that wires Claude Code to a daemon over HTTP.
pub(super) fn wires_over_http(hook: &Object) -> bool {
    let text = |key: &str| property(hook, key)?.value.as_string_lit().map(|text| text.value.to_string());
    text("type").as_deref() == Some("http")
        && text("url").is_some_and(|url| remote::port_of(&url, "claude").is_some())
}

fn line_calls_us(line: &str, depth: usize) -> bool {
    let mut words = Words::default();
    tokens(line, Os::Linux).into_iter().any(|token| match token {
        Token::Break => {
            words = Words::default();
            false
        }
        Token::Into => false,
        Token::Word { text, .. } => words.add(&text, depth),
    })
}

/// The words of one command so far.
#[derive(Default)]
struct Words {
    program: Option<String>,
}

impl Words {
    /// Takes the next word; true when the command calls us.
    fn add(&mut self, word: &str, depth: usize) -> bool {
        let substitutes = word.contains("$(") || word.contains('`');
        let is_script = self.program.as_deref().is_some_and(|program| SHELLS.contains(&program));
        if depth > 1 && is_line(word) && (substitutes || is_script) && line_calls_us(word, depth - 1) {
            return true;
        }
        match self.program.as_deref() {
            None if word.contains('=') && !word.contains('/') => false,
            None => {
                self.program = Some(name(word));
                is_us(word)
            }
            Some(program) => STARTERS.contains(&program) && is_us(word),
        }
    }
}

fn is_us(word: &str) -> bool {
    name(word) == "boathook"
}

/// The program's name, whatever its path and its ending.
fn name(word: &str) -> String {
    let word = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    let name = word.rsplit(['/', '\\']).next().unwrap_or_default().to_ascii_lowercase();
    let plain = name.strip_suffix(".exe").or(name.strip_suffix(".cmd"));
    plain.map_or(name.clone(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boathook_is_known_however_it_is_called() {
        let cases = [
            ("boathook agent hook claude", true),
            ("/usr/local/bin/boathook run preToolUse", true),
            ("\"$HOME/.cargo/bin/boathook\" run stop", true),
            (r#""C:\Tools\Boathook.exe" run stop"#, true),
            ("exec boathook run stop", true),
            ("RUST_LOG=1 boathook run stop", true),
            ("env A=1 boathook run stop", true),
            ("cat | boathook run stop", true),
            ("cd x && boathook run stop", true),
            ("sh -c 'boathook run stop'", true),
            ("\"$(command -v boathook)\" run stop", true),
            ("$BOATHOOK run stop", true),
            ("timeout 5 boathook run stop", true),
            ("echo boathook", false),
            ("echo \"boathook is here\"", false),
            ("cd ~/src/boathook && ./guard.sh", false),
            ("./boathook-guard.sh", false),
            ("node boathook/hook.js", false),
        ];
        for (command, expected) in cases {
            assert_eq!(calls_us(command, None), expected, "{command}");
        }
        let args = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        assert!(calls_us("/opt/boathook", Some(&args(&["run", "stop"]))));
        assert!(calls_us("env", Some(&args(&["boathook", "run"]))));
        assert!(!calls_us("echo", Some(&args(&["boathook"]))));
    }
}
