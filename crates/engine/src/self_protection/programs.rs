//! What programs do with the files that they are given, as tables.

use super::options::{has_letter, has_long, has_word, operands};
use crate::rule::shell::Command;

/// Programs that change no file that they are given, apart from what [`OUTPUTS`] and [`IN_PLACE`] list.
#[rustfmt::skip] // a list of short words
const READERS: &[&str] = &[
    "cat", "ls", "grep", "egrep", "fgrep", "rg", "ag", "head", "tail", "less", "more", "bat", "batcat", "stat", "file", "wc", "diff", "cmp", "zcat", "zgrep",
    "jq", "yq", "test", "[", "[[", "echo", "printf", "cd", "pushd", "popd", "pwd", "du", "df", "tree", "realpath", "readlink", "basename",
    "dirname", "uniq", "cut", "tr", "xxd", "od", "hexdump", "strings", "which", "type", "whereis", "sha256sum", "sha1sum", "md5sum",
    "shasum", "cksum", "nl", "tac", "rev", "column", "fold", "fmt", "paste", "join", "comm", "true", "false", ":", "exit", "return",
    "export", "set", "unset", "declare", "local", "typeset", "readonly", "read", "mapfile", "readarray", "sleep", "date", "id", "whoami", "uname",
    "open", "xdg-open", "lsattr", "getfacl", "namei", "pgrep", "pidof", "ps", "lsof", "md5", "base64", "ll", "dir", "vdir", "eza", "exa", "lsd",
    "shellcheck", "prettier", "mkdir", "sort", "seq", "expr", "env", "printenv", "hostname", "nproc", "wait", "jobs", "history", "help", "man", "shopt",
];
/// Where the operating system puts programs that a user cannot replace.
const SYSTEM_FOLDERS: [&str; 7] = [
    "/bin",
    "/usr/bin",
    "/sbin",
    "/usr/sbin",
    "/usr/local/bin",
    "/opt/homebrew/bin",
    "/run/current-system/sw/bin",
];

/// Options whose value is a file that is written: programs, letters, long names.
pub(super) const OUTPUTS: &[(&[&str], &[char], &[&str])] = &[
    (&["sort", "tree", "base64"], &['o'], &["output"]),
    (&["less"], &['o', 'O'], &["log-file", "LOG-FILE"]),
    (
        &["script", "strace", "ltrace", "time", "gtime", "perf"],
        &['o', 'O', 'I', 'B', 'T'],
        &["output", "log-out", "log-io", "log-in", "log-timing"],
    ),
    (&["valgrind"], &[], &["log-file", "xml-file"]),
    (&["xargs", "gxargs", "parallel"], &[], &["joblog", "results"]),
];
/// Programs that write their second operand.
pub(super) const SECOND_OPERAND: &[&str] = &["uniq", "xxd"];
/// Programs that run others, and write an operand.
pub(super) const WRITING_WRAPPERS: &[&str] = &["script"];
/// Options with which a reader writes the files that it reads: programs, letters, long names.
const IN_PLACE: &[(&[&str], &[char], &[&str])] = &[
    (&["yq"], &['i'], &["inplace", "in-place"]),
    (&["prettier"], &['w'], &["write"]),
    (&["file"], &['C'], &["compile"]),
];
/// Options with which a reader runs another program: programs, letters, long names.
const RUNS_ANOTHER: &[(&[&str], &[char], &[&str])] = &[
    (&["rg"], &[], &["pre", "hostname-bin"]),
    (&["ag", "bat", "batcat", "man"], &['P'], &["pager"]),
    (&["sort"], &[], &["compress-program"]),
    (&["mapfile", "readarray"], &['C'], &[]),
];

/// Programs that remove or rename what they are given, with everything below it, or put something in its place.
#[rustfmt::skip] // a list of short words
pub(super) const REMOVERS: &[&str] = &[
    "rm", "rmdir", "unlink", "shred", "srm", "trash", "trash-put", "del", "erase", "wipe", "rimraf", "gio", "mount", "umount", "bindfs",
];
/// Programs that change who may read or write what they are given.
pub(super) const MODES: &[&str] = &["chmod", "chown", "chgrp", "chattr", "setfacl"];
/// Programs that write their last argument, or the directory behind `-t`.
pub(super) const COPIERS: &[&str] = &["cp", "install", "rsync", "scp", "gcp", "ditto"];
/// Programs that write what they are given, by any argument.
pub(super) const WRITERS: &[&str] = &[
    "tee",
    "truncate",
    "touch",
    "dd",
    "sponge",
    "fallocate",
    "ex",
    "ed",
    "split",
    "csplit",
    "mkfifo",
    "mknod",
];
/// Programs that unpack or make archives.
pub(super) const ARCHIVERS: &[&str] = &["tar", "bsdtar", "gtar", "unzip", "7z", "7za", "cpio", "bsdcpio"];
/// Programs whose arguments hold a program text.
pub(super) const TEXT_TOOLS: &[&str] = &["sed", "gsed", "awk", "gawk", "mawk", "nawk"];
/// Programs that store a file under the last name of an address.
pub(super) const DOWNLOADERS: &[&str] = &["curl", "wget", "aria2c"];
/// Programs that run code from their arguments or their input.
#[rustfmt::skip] // a list of short words
const INTERPRETERS: &[&str] = &[
    "python", "pypy", "ipython", "node", "nodejs", "perl", "ruby", "php", "deno", "bun", "lua", "luajit", "tclsh", "expect", "osascript", "julia", "rscript",
    "sh", "bash", "zsh", "dash", "ksh", "fish", "powershell", "pwsh",
];
const SHELLS: &[&str] = &["sh", "bash", "zsh", "dash", "ksh", "fish", "powershell", "pwsh"];
/// Programs that take their program from the input when their arguments name none.
pub(super) const RUNS_INPUT: &[&str] =
    &["make", "gmake", "just", "at", "batch", "crontab", "parallel", "xargs", "gxargs"];
/// Programs whose arguments may be prose about commands.
#[rustfmt::skip] // a list of short words
pub(super) const CARRIERS: &[&str] = &["gh", "glab", "hub", "jj", "hg", "notify-send", "logger", "rg", "say", "wall", "man", "tldr"];

/// Whether a program of this name reads only, when it is the one that the name usually means.
pub(super) fn is_reader(program: &str) -> bool {
    READERS.contains(&program)
}

/// An interpreter, whatever its version: `python3.11`.
pub(super) fn is_interpreter(program: &str) -> bool {
    INTERPRETERS.contains(&without_version(program))
}

pub(super) fn is_shell(program: &str) -> bool {
    SHELLS.contains(&without_version(program))
}

fn without_version(program: &str) -> &str {
    program.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-'))
}

/// Whether the program is found by its plain name, or in a folder of the system.
pub(super) fn is_found_as_usual(command: &Command) -> bool {
    let Some(text) = command.words.first().and_then(|word| word.known()) else { return false };
    match text.rsplit_once('/') {
        None => true,
        Some((folder, _)) => SYSTEM_FOLDERS.contains(&folder),
    }
}

/// Whether the command is a reader, and nothing in its options makes it write.
pub(super) fn only_reads(command: &Command) -> bool {
    let Some(program) = command.program() else { return false };
    if !is_reader(program) || !is_found_as_usual(command) || writes_in_place(command) || runs_another(command)
    {
        return false;
    }
    let has_output = OUTPUTS.iter().any(|(names, letters, longs)| {
        names.contains(&program) && (has_letter(command, letters) || has_long(command, longs))
    });
    let has_second = SECOND_OPERAND.contains(&program) && operands(command).len() > 1;
    !has_output && !has_second
}

/// Whether a reader writes the files that it is given.
pub(super) fn writes_in_place(command: &Command) -> bool {
    has_row(command, IN_PLACE)
}

/// Whether a reader runs a program that its options name.
pub(super) fn runs_another(command: &Command) -> bool {
    let is_pager_command = command.program() == Some("less")
        && command.args().iter().any(|word| word.text().starts_with('+') && word.text().contains('!'));
    is_pager_command || has_row(command, RUNS_ANOTHER)
}

fn has_row(command: &Command, rows: &[(&[&str], &[char], &[&str])]) -> bool {
    let program = command.program().unwrap_or_default();
    let fits = |(names, letters, longs): &(&[&str], &[char], &[&str])| {
        names.contains(&program) && (has_letter(command, letters) || has_long(command, longs))
    };
    rows.iter().any(fits)
}

/// Whether the program is known to change files that its arguments name.
pub(super) fn changes_files(program: &str) -> bool {
    [REMOVERS, MODES, COPIERS, WRITERS].iter().any(|list| list.contains(&program))
        || matches!(program, "mv" | "rename" | "ln" | "link")
}

/// Whether the words of a command may be prose that names commands and paths.
pub(super) fn carries_text(command: &Command) -> bool {
    const GIT_RUNS: [&str; 8] =
        ["-c", "config", "bisect", "filter-branch", "submodule", "difftool", "rebase", "--exec"];
    match command.program() {
        Some("git") => !has_word(command, &GIT_RUNS) && !has_long(command, &["exec", "config-env"]),
        Some(program) => CARRIERS.contains(&program) || only_reads(command),
        None => false,
    }
}
