//! The shells of Windows: PowerShell for `.ps1`, Git's bash for `.sh` and for
//! files with a shebang, `cmd` for the rest.
//!
//! Everything is named by an absolute path: a search on Windows begins in the
//! current directory, which is the workspace. The bash of System32 belongs to
//! WSL and sees other paths, so it is never taken.

use std::borrow::Cow;
use std::ffi::OsStr;

use super::{Args, Machine, Way};

pub fn way(command: &str, machine: &Machine) -> Result<Way<'static>, String> {
    let line = Line::read(command);
    if line.ends_with(".ps1") {
        return Ok(by_powershell(&line, machine));
    }
    let shebang = (machine.has_shebang)(line.script);
    if line.ends_with(".sh") || shebang {
        return by_bash(&line, shebang, machine);
    }
    // With /s only the outer quotes are removed, and the rest is untouched.
    Ok(by(in_system(machine, r"cmd.exe"), format!("/d /s /c \"{command}\"")))
}

/// A command line in two: the first word without its quotes, and the rest.
struct Line<'a> {
    script: &'a str,
    rest: &'a str,
}

impl<'a> Line<'a> {
    fn read(command: &'a str) -> Line<'a> {
        let command = command.trim();
        let quoted = command.strip_prefix('"').and_then(|inner| inner.split_once('"'));
        let (script, rest) = quoted.or_else(|| command.split_once([' ', '\t'])).unwrap_or((command, ""));
        Line { script, rest: rest.trim_start() }
    }

    fn ends_with(&self, extension: &str) -> bool {
        let start = self.script.len().saturating_sub(extension.len());
        self.script.get(start..).is_some_and(|end| end.eq_ignore_ascii_case(extension))
    }

    /// Whether the rest is more than arguments.
    fn has_operators(&self) -> bool {
        self.rest.contains(['|', '&', ';', '<', '>', '$', '`', '(', ')', '\n'])
    }

    fn with_slashes(&self) -> String {
        let script = self.script.replace('\\', "/");
        if script.contains('/') { script } else { format!("./{script}") }
    }
}

// -File hands on the script's exit code; -Command would make every code but 0
// into 1, so it says `exit` itself.
fn by_powershell(line: &Line, machine: &Machine) -> Way<'static> {
    const OPTIONS: &str = "-NoProfile -NonInteractive -ExecutionPolicy Bypass";
    let args = if line.has_operators() {
        let script = line.script.replace('\'', "''");
        let text = format!("& '{script}' {}; exit $LASTEXITCODE", line.rest);
        format!("{OPTIONS} -Command {}", quoted(&text))
    } else {
        joined(&format!("{OPTIONS} -File {}", quoted(line.script)), line.rest)
    };
    by(in_system(machine, r"WindowsPowerShell\v1.0\powershell.exe"), args)
}

// A shebang may name any interpreter, and bash finds it when it starts the
// file; without one bash reads the file itself.
fn by_bash(line: &Line, shebang: bool, machine: &Machine) -> Result<Way<'static>, String> {
    let bash = find_bash(machine).ok_or_else(|| {
        format!("`{}` needs Git's bash, which is not installed (https://gitforwindows.org)", line.script)
    })?;
    let script = line.with_slashes();
    let args = if shebang || line.has_operators() {
        let start = if shebang { "" } else { "bash " };
        format!("-c {}", quoted(&joined(&format!("{start}'{}'", script.replace('\'', r"'\''")), line.rest)))
    } else {
        joined(&quoted(&script), line.rest)
    };
    Ok(by(bash, args))
}

fn find_bash(machine: &Machine) -> Option<String> {
    let installed = ["ProgramFiles", "ProgramW6432", "ProgramFiles(x86)", "LocalAppData"]
        .into_iter()
        .filter_map(|name| machine.var(name)?.to_str())
        .flat_map(|base| [format!(r"{base}\Git\bin\bash.exe"), format!(r"{base}\Programs\Git\bin\bash.exe")]);
    let beside_git =
        machine.var("PATH").and_then(OsStr::to_str).unwrap_or_default().split(';').filter_map(|entry| {
            let entry = entry.trim_end_matches('\\');
            let git = (machine.is_program)(format!(r"{entry}\git.exe").as_ref());
            git.then(|| format!(r"{entry}\..\bin\bash.exe"))
        });
    installed.chain(beside_git).find(|file| (machine.is_program)(file.as_ref()))
}

fn in_system(machine: &Machine, file: &str) -> String {
    let windows = machine.var("SystemRoot").and_then(OsStr::to_str).unwrap_or(r"C:\Windows");
    format!(r"{windows}\System32\{file}")
}

fn by(program: String, args: String) -> Way<'static> {
    Way { program: Cow::Owned(program.into()), args: Args::Text(args), direct: false }
}

fn joined(first: &str, rest: &str) -> String {
    if rest.is_empty() { first.to_owned() } else { format!("{first} {rest}") }
}

/// One argument as programs on Windows divide them: backslashes count only
/// before a quote.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    let mut backslashes = 0;
    for char in text.chars() {
        match char {
            '\\' => backslashes += 1,
            '"' => out.extend(std::iter::repeat_n('\\', backslashes * 2 + 1)),
            _ => out.extend(std::iter::repeat_n('\\', backslashes)),
        }
        if char != '\\' {
            backslashes = 0;
            out.push(char);
        }
    }
    out.extend(std::iter::repeat_n('\\', backslashes * 2));
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::*;
    use crate::source::Os;

    const GIT: &str = r"C:\Program Files\Git\bin\bash.exe";
    const CMD: &str = r"C:\Windows\System32\cmd.exe";
    const POWERSHELL: &str = r"C:\Windows\System32\WindowsPowerShell\v1.0\powershell.exe";

    fn start(command: &str, env: &[(&str, &str)], programs: &[&str]) -> Result<(String, String), String> {
        let env: Vec<(OsString, OsString)> = env.iter().map(|(k, v)| (k.into(), v.into())).collect();
        let machine = Machine {
            os: Os::Windows,
            env: &env,
            is_program: &|file| programs.iter().any(|program| file == *program),
            has_shebang: &|word| word.ends_with("shebang") || word == "hook.py",
        };
        assert_eq!(super::super::direct(command, &machine), None, "Windows has no way without a shell");
        match super::super::by_shell(command, &machine)? {
            Way { program, args: Args::Text(text), direct: false } => {
                Ok((program.to_str().unwrap().to_owned(), text))
            }
            other => panic!("not a shell with a text: {other:?}"),
        }
    }

    #[test]
    fn the_first_word_decides_the_shell() {
        let ps = "-NoProfile -NonInteractive -ExecutionPolicy Bypass";
        let cases = [
            ("echo hi", CMD, r#"/d /s /c "echo hi""#.to_owned()),
            (r#""C:\a b\x.exe" "y z""#, CMD, r#"/d /s /c ""C:\a b\x.exe" "y z"""#.to_owned()),
            ("python hook.py", CMD, r#"/d /s /c "python hook.py""#.to_owned()),
            ("echo a.ps1", CMD, r#"/d /s /c "echo a.ps1""#.to_owned()),
            ("", CMD, r#"/d /s /c """#.to_owned()),
            (r".\hooks\audit.ps1", POWERSHELL, format!(r#"{ps} -File ".\hooks\audit.ps1""#)),
            (r#""C:\a b\X.PS1" -v 1"#, POWERSHELL, format!(r#"{ps} -File "C:\a b\X.PS1" -v 1"#)),
            (
                r"it's.ps1 | more",
                POWERSHELL,
                format!(r#"{ps} -Command "& 'it''s.ps1' | more; exit $LASTEXITCODE""#),
            ),
            (r".cursor\hooks\a.sh x", GIT, r#"".cursor/hooks/a.sh" x"#.to_owned()),
            ("a.sh", GIT, r#""./a.sh""#.to_owned()),
            (r#""C:\a b\c.sh" && x"#, GIT, r#"-c "bash 'C:/a b/c.sh' && x""#.to_owned()),
            (r"hooks\shebang a b", GIT, r#"-c "'hooks/shebang' a b""#.to_owned()),
            ("hook.py \"q\"", GIT, r#"-c "'./hook.py' \"q\"""#.to_owned()),
        ];
        let env = [("programfiles", r"C:\Program Files")];
        for (command, program, args) in cases {
            assert_eq!(start(command, &env, &[GIT]), Ok((program.to_owned(), args)), "{command}");
        }
    }

    #[test]
    fn bash_is_the_one_of_git_or_none() {
        let beside = r"D:\tools\git\cmd\..\bin\bash.exe";
        let of_user = r"C:\U\Programs\Git\bin\bash.exe";
        let wsl = r"C:\Windows\System32\bash.exe";
        let cases = [
            (
                "beside git",
                ("Path", r"C:\x;D:\tools\git\cmd\"),
                [r"D:\tools\git\cmd\git.exe", beside],
                Some(beside),
            ),
            ("for one user", ("LOCALAPPDATA", r"C:\U"), [of_user, ""], Some(of_user)),
            ("never that of WSL", ("PATH", r"C:\Windows\System32"), [wsl, ""], None),
            ("none", ("PATH", r"C:\x"), ["", ""], None),
        ];
        for (name, variable, programs, expected) in cases {
            let found = start("a.sh", &[variable], &programs).map(|(program, _)| program);
            assert_eq!(found.as_deref().ok(), expected, "{name}");
        }
        let message = start("a.sh", &[], &[]).unwrap_err();
        assert!(message.contains("Git's bash"), "{message}");
    }

    #[test]
    fn the_system_directory_is_the_machines_own() {
        let (program, _) = start("x", &[("SYSTEMROOT", r"D:\Win")], &[]).unwrap();
        assert_eq!(program, r"D:\Win\System32\cmd.exe");
    }

    #[test]
    fn quoting_survives_the_way_programs_divide_arguments() {
        let cases = [
            ("", r#""""#),
            ("a b", r#""a b""#),
            (r"a\b", r#""a\b""#),
            (r"a\", r#""a\\""#),
            (r#"a\"b"#, r#""a\\\"b""#),
        ];
        for (text, expected) in cases {
            assert_eq!(quoted(text), expected, "{text}");
        }
    }
}
