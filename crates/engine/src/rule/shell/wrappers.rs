//! Programs that run other programs: which options they have, and where their command begins.

use super::options::Options;

/// How a program runs what it is given.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Runs {
    /// The words behind its options, and behind so many more, are a command.
    Command(Options, usize),
    /// A POSIX shell, or csh.
    Shell,
    /// Its arguments, joined, are a command line: `eval`.
    Line,
    /// Its arguments behind options and so many words, joined, are one: `ssh`.
    LineBehind(Options, usize),
    /// The value of `-c` or `--command` is a command line; else a command may stand behind so many words.
    OptionC(Options, Option<usize>),
    /// `sg group 'line'`.
    Group,
    /// The subcommand decides: `uv run`.
    Subcommand(&'static [&'static str]),
    /// The command stands somewhere behind options that are too many to know.
    Anywhere,
    /// `find`.
    Find,
    /// `xargs`: what it reads is added.
    Xargs,
    /// `env`: `-S` and assignments.
    Env,
    /// `command`: `-v` only looks.
    CommandWord,
    /// `trap`: the first argument is a command line.
    Trap,
    /// `alias`: the values are command lines.
    Alias,
    /// `source`: a file, unless a command writes it.
    Source,
    /// `busybox`: its first argument is the program.
    Applet,
    /// `parallel`: a line, or lines that it reads.
    Parallel,
    /// `cmd` and `powershell`.
    Windows,
    /// An interpreter of another language.
    Interpreter(&'static Interpreter),
}

/// An interpreter, and the options behind which no program is read from the input.
#[derive(Debug, PartialEq)]
pub(super) struct Interpreter {
    /// Letters of options that bring the program, or name it.
    pub brings: &'static str,
    /// Letters of other options that take a value as the next word.
    pub values: &'static str,
    /// Long options (or words) that bring the program or only print something.
    pub long: &'static [&'static str],
    /// Options that ask for a prompt even so.
    pub prompts: &'static [&'static str],
}

const PYTHON: Interpreter =
    Interpreter { brings: "cmVh", values: "WX", long: &["--version", "--help"], prompts: &["-i"] };
const PERL: Interpreter =
    Interpreter { brings: "eEvVhc", values: "", long: &["--version", "--help"], prompts: &["-de0", "-de1"] };
const NODE: Interpreter = Interpreter {
    brings: "epvhc",
    values: "rC",
    long: &["--eval", "--print", "--version", "--help", "--check", "--test", "--run"],
    prompts: &["-i", "--interactive"],
};
const RUBY: Interpreter =
    Interpreter { brings: "evh", values: "IrEC", long: &["--version", "--help"], prompts: &[] };
const PHP: Interpreter = Interpreter {
    brings: "rRBFfSvmih",
    values: "dczt",
    long: &["--run", "--version", "--help", "--info"],
    prompts: &["-a", "--interactive"],
};
const OTHER: Interpreter = Interpreter {
    brings: "efvVh",
    values: "",
    long: &["--version", "--help", "--eval", "--file"],
    prompts: &["-i", "--interactive", "repl"],
};

const SUDO: Options = Options::short("ABbEeHhiKklNnPSsVv", "ughpCDRTUrtac").long(
    &[
        "askpass",
        "background",
        "bell",
        "edit",
        "set-home",
        "help",
        "login",
        "remove-timestamp",
        "reset-timestamp",
        "list",
        "non-interactive",
        "preserve-groups",
        "stdin",
        "shell",
        "version",
        "validate",
        "preserve-env",
    ],
    &[
        "user",
        "group",
        "host",
        "prompt",
        "close-from",
        "chdir",
        "chroot",
        "command-timeout",
        "other-user",
        "role",
        "type",
    ],
);
const ENDS: &[&str] = &["help", "version"];
const NICE: Options = Options::short("0123456789", "n").long(ENDS, &["adjustment"]);
const TIME: Options = Options::short("apqvV", "fo")
    .long(&["append", "portability", "quiet", "verbose", "version", "help"], &["format", "output"]);
const TIMEOUT: Options = Options::short("vfp", "ks")
    .long(&["foreground", "preserve-status", "verbose", "help", "version"], &["kill-after", "signal"]);
const STDBUF: Options = Options::short("", "ioe").long(ENDS, &["input", "output", "error"]);
const IONICE: Options = Options::short("thV", "cnpPu")
    .long(&["ignore", "help", "version"], &["class", "classdata", "pid", "pgid", "uid"]);
const SETSID: Options = Options::short("cfwhV", "").long(&["ctty", "fork", "wait", "help", "version"], &[]);
const FAKEROOT: Options =
    Options::short("uhv", "lsifb").long(&["unknown-is-real", "help", "version"], &["lib", "faked"]);
const SU: Options = Options::short("fhlmpPTV", "cgGswCu").long(
    &["fast", "login", "preserve-environment", "pty", "no-pty", "help", "version"],
    &["command", "session-command", "group", "supp-group", "shell", "whitelist-environment", "user"],
);
const SCRIPT: Options = Options::short("aefqhV", "cEIOBTmo").long(
    &["append", "return", "flush", "force", "quiet", "help", "version"],
    &[
        "command",
        "echo",
        "log-in",
        "log-out",
        "log-io",
        "log-timing",
        "logging-format",
        "output-limit",
        "timing",
    ],
);
const FLOCK: Options = Options::short("eFnosuxhV", "cwE").long(
    &[
        "shared",
        "exclusive",
        "unlock",
        "nonblock",
        "nb",
        "close",
        "no-fork",
        "fcntl",
        "verbose",
        "help",
        "version",
    ],
    &["command", "wait", "timeout", "conflict-exit-code"],
);
pub(super) const ENV: Options = Options::short("i0v", "uCS").long(
    &[
        "ignore-environment",
        "null",
        "debug",
        "block-signal",
        "default-signal",
        "ignore-signal",
        "list-signal-handling",
        "help",
        "version",
    ],
    &["unset", "chdir", "split-string"],
);
pub(super) const XARGS: Options = Options::short("0rtxopie", "InPdaELs").long(
    &[
        "null",
        "no-run-if-empty",
        "verbose",
        "interactive",
        "exit",
        "open-tty",
        "show-limits",
        "replace",
        "eof",
        "max-lines",
    ],
    &["max-args", "max-procs", "delimiter", "arg-file", "max-chars", "process-slot-var"],
);
pub(super) const PARALLEL: Options = Options::short("kmXuqtvnx", "jPSNnLIda")
    .long(&["keep-order", "dry-run"], &["jobs", "arg-file", "delay", "timeout"]);
const SSH: Options = Options::short("46AaCfGgKkMNnqsTtVvXxYy", "bcDEeFIiJLlmOopQRSWwB");
const WATCH: Options = Options::short("bcCdegptrwx", "nq").long(
    &["beep", "color", "differences", "errexit", "chgexit", "precise", "no-title", "no-wrap", "exec"],
    &["interval", "equexit"],
);

/// Programs with a command behind options of many kinds.
#[rustfmt::skip] // a list of short words
const ANYWHERE: &[&str] = &[
    "strace", "ltrace", "valgrind", "perf", "gdb", "lldb", "rr", "catchsegv", "chroot", "taskset", "chrt", "numactl", "prlimit", "setpriv", "cpulimit",
    "pkexec", "caffeinate", "xvfb-run", "torsocks", "torify", "tsocks", "proxychains", "proxychains4", "dumb-init", "tini", "rlwrap", "unbuffer",
    "unshare", "nsenter", "firejail", "bwrap", "systemd-inhibit", "systemd-run", "dbus-run-session", "start-stop-daemon", "daemonize", "faketime",
    "chpst", "setuidgid", "envuidgid", "softlimit", "envdir", "s6-setuidgid", "setarch", "linux32", "linux64", "cgexec", "aa-exec", "runcon",
    "trickle", "entr", "ccache", "distcc", "choom", "uclampset", "coresched", "ld.so", "ld-linux-x86-64.so.2",
];

/// Every program that is known to run others, by name.
#[rustfmt::skip] // a table: names, then how they run
const TABLE: &[(&[&str], Runs)] = &[
    (&["sh", "bash", "dash", "zsh", "ksh", "ksh93", "mksh", "ash", "rbash", "fish", "yash", "csh", "tcsh"], Runs::Shell),
    (&["eval"], Runs::Line),
    (&["sudo", "doas", "sudoedit"], Runs::Command(SUDO, 0)),
    (&["env", "genv"], Runs::Env),
    (&["command"], Runs::CommandWord),
    (&["builtin", "nohup", "noglob", "nocorrect", "-", "eatmydata"], Runs::Command(Options::NONE, 0)),
    (&["setsid"], Runs::Command(SETSID, 0)),
    (&["fakeroot"], Runs::Command(FAKEROOT, 0)),
    (&["exec"], Runs::Command(Options::short("cl", "a"), 0)),
    (&["time", "gtime"], Runs::Command(TIME, 0)),
    (&["nice", "gnice"], Runs::Command(NICE, 0)),
    (&["ionice"], Runs::Command(IONICE, 0)),
    (&["timeout", "gtimeout"], Runs::Command(TIMEOUT, 1)),
    (&["stdbuf", "gstdbuf"], Runs::Command(STDBUF, 0)),
    (ANYWHERE, Runs::Anywhere),
    (&["repeat", "gosu", "su-exec"], Runs::Command(Options::NONE, 1)),
    (&["xargs", "gxargs"], Runs::Xargs),
    (&["parallel"], Runs::Parallel),
    (&["find", "gfind", "fd", "fdfind"], Runs::Find),
    (&["busybox", "toybox"], Runs::Applet),
    (&["watch"], Runs::LineBehind(WATCH, 0)),
    (&["ssh"], Runs::LineBehind(SSH, 1)),
    (&["su", "runuser"], Runs::OptionC(SU, None)),
    (&["capsh"], Runs::OptionC(Options::short("", "c"), None)),
    (&["sg", "newgrp"], Runs::Group),
    (&["script"], Runs::OptionC(SCRIPT, Some(1))),
    (&["flock"], Runs::OptionC(FLOCK, Some(1))),
    (&["uv", "poetry", "pipenv", "pdm", "hatch", "rye", "conda", "op", "doppler"], Runs::Subcommand(&["run"])),
    (&["bundle", "asdf", "npm", "pnpm", "yarn", "mise"], Runs::Subcommand(&["exec", "x"])),
    (&["trap"], Runs::Trap),
    (&["alias"], Runs::Alias),
    (&["source", "."], Runs::Source),
    (&["cmd", "powershell", "pwsh"], Runs::Windows),
    (&["python", "python2", "python3", "pypy", "pypy3", "ipython", "ipython3"], Runs::Interpreter(&PYTHON)),
    (&["perl"], Runs::Interpreter(&PERL)),
    (&["node", "nodejs"], Runs::Interpreter(&NODE)),
    (&["ruby", "irb"], Runs::Interpreter(&RUBY)),
    (&["php"], Runs::Interpreter(&PHP)),
    (&["deno", "bun", "lua", "luajit", "tclsh", "wish", "expect", "osascript", "r", "rscript", "julia", "guile", "ghci", "scala", "groovy", "jshell", "iex"], Runs::Interpreter(&OTHER)),
];

/// What this program runs, if it is known to run anything.
pub(super) fn runs(program: &str) -> Option<Runs> {
    let by_name = |name: &str| TABLE.iter().find(|(names, _)| names.contains(&name)).map(|(_, runs)| *runs);
    // `python3.12`, `ruby2.7`: the version does not change what it is.
    by_name(program).or_else(|| {
        let name = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
        by_name(name).filter(|runs| matches!(runs, Runs::Interpreter(_) | Runs::Shell))
    })
}
