//! The POSIX shell, and the commands that need none.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};

use super::{Args, Machine, Way};

/// By absolute path: a search could find somebody else's.
const SHELL: &str = "/bin/sh";

/// First words a shell runs itself: the builtins and reserved words of dash,
/// bash, ksh and zsh taken together, since any of them may be `/bin/sh`.
#[rustfmt::skip]
const OWN_WORDS: &[&str] = &[
    ".", ":", "[", "[[", "alias", "autoload", "bg", "bind", "break", "builtin", "caller", "case", "cd",
    "chdir", "command", "compgen", "complete", "compopt", "continue", "coproc", "declare", "dirs", "disown",
    "do", "done", "echo", "elif", "else", "emulate", "enable", "end", "esac", "eval", "exec", "exit",
    "export", "false", "fc", "fg", "fi", "float", "for", "foreach", "function", "functions", "getopts",
    "global", "hash", "help", "history", "if", "in", "integer", "jobs", "kill", "let", "limit", "local",
    "log", "logout", "mapfile", "namespace", "nocorrect", "noglob", "popd", "print", "printf", "pushd",
    "pwd", "r", "read", "readarray", "readonly", "rehash", "rename", "repeat", "return", "sched", "select",
    "set", "setopt", "shift", "shopt", "source", "stop", "suspend", "test", "then", "time", "times", "trap",
    "true", "type", "typeset", "ulimit", "umask", "unalias", "unfunction", "unhash", "unlimit", "unset",
    "unsetopt", "until", "vared", "wait", "whence", "where", "which", "while", "zcompile", "zmodload",
    "zstyle",
];

pub fn by_shell(command: &str) -> Way<'_> {
    Way { program: os_str(SHELL), args: Args::Words(vec![SHELL, "-c", command]), direct: false }
}

/// The program and its words, where a shell would do nothing else than start
/// it. Any doubt is a no.
pub fn without_shell<'a>(command: &'a str, machine: &Machine) -> Option<Way<'a>> {
    if !command.bytes().all(means_itself) || imports_functions(machine) {
        return None;
    }
    let words: Vec<&str> = command.split(' ').filter(|word| !word.is_empty()).collect();
    let program = program(words.first()?, machine)?;
    Some(Way { program, args: Args::Words(words), direct: true })
}

/// Bytes that no shell expands, splits at or treats as an operator. A space
/// only separates.
fn means_itself(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_./:@%+,=- ".contains(&byte)
}

// A bash that plays `sh` takes functions from the environment, and one of them
// may bear the program's name.
fn imports_functions(machine: &Machine) -> bool {
    machine.env.iter().any(|(name, _)| name.as_encoded_bytes().starts_with(b"BASH_FUNC_"))
}

fn program<'a>(word: &'a str, machine: &Machine) -> Option<Cow<'a, OsStr>> {
    // `X=1` is an assignment, `-x` and `+x` are options of the shell, `%1` is a job.
    if word.contains('=') || word.starts_with(['-', '+', '%']) {
        return None;
    }
    if word.contains('/') {
        return Some(os_str(word));
    }
    if OWN_WORDS.contains(&word) { None } else { search(word, machine).map(Cow::Owned) }
}

/// The program of this name, for a start without a shell. An entry of `PATH`
/// that is not absolute is wherever the agent happens to be, and not looked at.
pub fn find<'a>(name: &'a str, machine: &Machine) -> Result<Cow<'a, OsStr>, String> {
    if name.contains('/') {
        return Ok(os_str(name));
    }
    let path = machine.var("PATH").map(OsStr::as_encoded_bytes).unwrap_or_default();
    let directories = path.split(|byte| *byte == b':').filter(|directory| directory.starts_with(b"/"));
    let files = directories.filter_map(|directory| in_directory(directory, name));
    let found = files.into_iter().find(|file| (machine.is_program)(file));
    found.map(Cow::Owned).ok_or_else(|| format!("there is no `{name}` on PATH"))
}

fn os_str(text: &str) -> Cow<'_, OsStr> {
    Cow::Borrowed(text.as_ref())
}

/// Looks a bare name up as a shell would. A `PATH` that is absent, or has an
/// entry whose meaning depends on the shell (empty, relative, or with dash's
/// `%func`), is left to the shell.
fn search(name: &str, machine: &Machine) -> Option<OsString> {
    let path = machine.var("PATH")?.as_encoded_bytes();
    for directory in path.split(|byte| *byte == b':') {
        if !directory.starts_with(b"/") || directory.contains(&b'%') {
            return None;
        }
        let file = in_directory(directory, name)?;
        if (machine.is_program)(&file) {
            return Some(file);
        }
    }
    None
}

fn in_directory(directory: &[u8], name: &str) -> Option<OsString> {
    let mut file = OsString::from(as_os_str(directory)?);
    file.push("/");
    file.push(name);
    Some(file)
}

#[cfg(unix)]
fn as_os_str(bytes: &[u8]) -> Option<&OsStr> {
    use std::os::unix::ffi::OsStrExt;
    Some(OsStr::from_bytes(bytes))
}

#[cfg(not(unix))]
fn as_os_str(bytes: &[u8]) -> Option<&OsStr> {
    std::str::from_utf8(bytes).ok().map(OsStr::new)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Os;

    fn env(pairs: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
        pairs.iter().map(|(name, value)| (name.into(), value.into())).collect()
    }

    fn first_way<'a>(command: &'a str, pairs: &[(&str, &str)], programs: &[&str]) -> Way<'a> {
        let env = env(pairs);
        let is_program = |file: &OsStr| programs.iter().any(|program| file == *program);
        let machine = Machine { os: Os::Linux, env: &env, is_program: &is_program, has_shebang: &|_| false };
        super::super::direct(command, &machine)
            .unwrap_or_else(|| super::super::by_shell(command, &machine).unwrap())
    }

    fn direct<'a>(program: &'a str, words: &[&'a str]) -> Way<'a> {
        Way { program: os_str(program), args: Args::Words(words.to_vec()), direct: true }
    }

    const PATH: &[(&str, &str)] = &[("PATH", "/usr/local/bin:/usr/bin")];

    #[test]
    fn a_plain_program_needs_no_shell() {
        let programs = ["/usr/bin/python3", "/usr/bin/git", "/usr/local/bin/git"];
        let cases = [
            ("./hooks/audit.sh", direct("./hooks/audit.sh", &["./hooks/audit.sh"])),
            ("/opt/a.b/hook --x=1 y:2", direct("/opt/a.b/hook", &["/opt/a.b/hook", "--x=1", "y:2"])),
            ("  hooks/a   b  ", direct("hooks/a", &["hooks/a", "b"])),
            ("python3 hook.py", direct("/usr/bin/python3", &["python3", "hook.py"])),
            ("git status", direct("/usr/local/bin/git", &["git", "status"])),
            ("./echo", direct("./echo", &["./echo"])),
            ("./a @b%c+d,e X=1", direct("./a", &["./a", "@b%c+d,e", "X=1"])),
        ];
        for (command, expected) in cases {
            assert_eq!(first_way(command, PATH, &programs), expected, "{command}");
        }
    }

    #[test]
    fn whatever_a_shell_might_see_differently_goes_to_the_shell() {
        #[rustfmt::skip]
        let commands = [
            "", " ", "a;b", "./a | b", "./a && ./b", "./a > x", "./a $X", "./a `b`", "./a 'b'", "./a \"b\"",
            "./a *", "./a?", "./a [b]", "~/a", "./a ~", "./a {b,c}", "./a\tb", "./a\nb", "./a #b", "./a !",
            "X=1 ./a", "X=1", "./X=1", "-x", "+x", "%1", "a\\b", "./ä", "\0", "./a\r", "(./a)", "./a&",
            "^a^b",
        ];
        let own = OWN_WORDS.iter().map(|word| format!("{word} x"));
        for command in commands.into_iter().map(str::to_owned).chain(own) {
            // Every name is a program here, so that only the rule can say no.
            let env = env(PATH);
            let machine = Machine { os: Os::Linux, env: &env, is_program: &|_| true, has_shebang: &|_| true };
            assert_eq!(without_shell(&command, &machine), None, "{command:?}");
        }
    }

    #[test]
    fn a_bare_name_is_looked_up_only_where_every_shell_agrees() {
        let git = &["/usr/bin/git", "/git", "git", "./git"];
        let cases: [(&str, &[(&str, &str)]); 7] = [
            ("no PATH", &[]),
            ("an empty PATH", &[("PATH", "")]),
            ("an empty entry before it", &[("PATH", ":/usr/bin")]),
            ("a relative entry before it", &[("PATH", "bin:/usr/bin")]),
            ("dash's own entries", &[("PATH", "/x%func:/usr/bin")]),
            ("not found", &[("PATH", "/usr/local/bin")]),
            ("a function in the environment", &[("PATH", "/usr/bin"), ("BASH_FUNC_git%%", "() { :; }")]),
        ];
        for (name, env) in cases {
            assert_eq!(first_way("git", env, git), by_shell("git"), "{name}");
        }
        let found_first = first_way("git", &[("PATH", "/usr/bin:relative")], git);
        assert_eq!(found_first, direct("/usr/bin/git", &["git"]), "entries after the hit do not matter");
    }
}
