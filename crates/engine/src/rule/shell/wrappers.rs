//! Programs that run other programs, and how their command is found.

/// How a program runs what it is given.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Runs {
    /// The words behind its options are a command.
    Command {
        /// Letters of options that take a value.
        values: &'static str,
        /// Long options that take a value as a word of their own.
        long_values: &'static [&'static str],
        /// How many words stand between the options and the command.
        skip: usize,
    },
    /// A POSIX shell.
    Shell,
    /// Its arguments, joined, are a command line: `eval`.
    Line,
    /// Its arguments behind options and so many words, joined, are one: `ssh`.
    LineBehind {
        /// Letters of options that take a value.
        values: &'static str,
        /// How many words stand before it.
        skip: usize,
    },
    /// The value of `-c` is a command line; else a command may stand behind so many words.
    OptionC {
        /// Letters of other options that take a value.
        values: &'static str,
        /// How many words stand before a command; none when there is none.
        skip: Option<usize>,
    },
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
}

const fn plain(values: &'static str) -> Runs {
    Runs::Command { values, long_values: &[], skip: 0 }
}

const fn behind(values: &'static str, skip: usize) -> Runs {
    Runs::Command { values, long_values: &[], skip }
}

const SUDO: Runs = Runs::Command {
    values: "ughpCDRTUrtac",
    long_values: &[
        "--user",
        "--group",
        "--host",
        "--prompt",
        "--close-from",
        "--chdir",
        "--chroot",
        "--command-timeout",
        "--other-user",
        "--role",
        "--type",
    ],
    skip: 0,
};
const NICE: Runs = Runs::Command { values: "n", long_values: &["--adjustment"], skip: 0 };
const TIME: Runs = Runs::Command { values: "fo", long_values: &["--format", "--output"], skip: 0 };
const TIMEOUT: Runs = Runs::Command { values: "ks", long_values: &["--kill-after", "--signal"], skip: 1 };
const STDBUF: Runs =
    Runs::Command { values: "ioe", long_values: &["--input", "--output", "--error"], skip: 0 };
const IONICE: Runs = Runs::Command { values: "cnpPu", long_values: &["--class", "--classdata"], skip: 0 };

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
const TABLE: &[(&[&str], Runs)] = &[
    (&["sh", "bash", "dash", "zsh", "ksh", "ksh93", "mksh", "ash", "rbash", "fish", "yash"], Runs::Shell),
    (&["eval"], Runs::Line),
    (&["sudo", "doas", "sudoedit"], SUDO),
    (&["env"], Runs::Env),
    (&["command"], Runs::CommandWord),
    (&["builtin", "nohup", "setsid", "noglob", "nocorrect", "-", "fakeroot", "eatmydata"], plain("")),
    (&["exec"], plain("a")),
    (&["time", "gtime"], TIME),
    (&["nice"], NICE),
    (&["ionice"], IONICE),
    (&["timeout", "gtimeout"], TIMEOUT),
    (&["stdbuf", "gstdbuf"], STDBUF),
    (ANYWHERE, Runs::Anywhere),
    (&["repeat", "gosu", "su-exec"], behind("", 1)),
    (&["xargs", "gxargs"], Runs::Xargs),
    (&["parallel"], Runs::Parallel),
    (&["find", "gfind", "fd", "fdfind"], Runs::Find),
    (&["busybox", "toybox"], Runs::Applet),
    (&["watch"], Runs::LineBehind { values: "nq", skip: 0 }),
    (&["ssh"], Runs::LineBehind { values: "bcDEeFIiJLlmOopQRSWwB", skip: 1 }),
    (&["su", "runuser"], Runs::OptionC { values: "sgGwu", skip: None }),
    (&["capsh", "sg"], Runs::OptionC { values: "", skip: None }),
    (&["script"], Runs::OptionC { values: "EIOBTmo", skip: Some(1) }),
    (&["flock"], Runs::OptionC { values: "wE", skip: Some(1) }),
    (
        &["uv", "poetry", "pipenv", "pdm", "hatch", "rye", "conda", "op", "doppler"],
        Runs::Subcommand(&["run"]),
    ),
    (&["bundle", "asdf", "npm", "pnpm", "yarn", "mise"], Runs::Subcommand(&["exec", "x"])),
    (&["trap"], Runs::Trap),
    (&["alias"], Runs::Alias),
    (&["source", "."], Runs::Source),
    (&["cmd", "powershell", "pwsh"], Runs::Windows),
];

/// What this program runs, if it is known to run anything.
pub(super) fn runs(program: &str) -> Option<Runs> {
    TABLE.iter().find(|(names, _)| names.contains(&program)).map(|(_, runs)| *runs)
}
