//! What programs make of the words they are given: modules that are found without their ending, options with a value
//! glued to them, and files that a task runner reads without being told.

/// Programs that run what their operands name.
const INTERPRETERS: &[&str] = &[
    "sh",
    "bash",
    "dash",
    "zsh",
    "ksh",
    "fish",
    "ash",
    "busybox",
    "node",
    "nodejs",
    "bun",
    "deno",
    "tsx",
    "ts-node",
    "npx",
    "bunx",
    "python",
    "pypy",
    "ruby",
    "perl",
    "php",
    "lua",
    "luajit",
    "awk",
    "gawk",
    "mawk",
    "sed",
    "osascript",
    "pwsh",
    "powershell",
    "cmd",
    "java",
    "tclsh",
    "Rscript",
    "uv",
    "uvx",
    "pipx",
    "make",
    "gmake",
];
/// Programs that run another program which they are given.
const WRAPPERS: &[&str] = &[
    "env", "exec", "command", "builtin", "eval", "source", ".", "xargs", "nohup", "timeout", "time", "nice",
    "sudo", "doas", "stdbuf", "setsid", "flock", "find", "watch", "start", "call",
];
/// Programs that find modules without their endings, and what they try.
const MODULES: &[(&[&str], &[&str])] = &[
    (
        &["node", "nodejs", "bun", "deno", "tsx", "ts-node", "npx", "bunx"],
        &[
            ".js",
            ".cjs",
            ".mjs",
            ".json",
            ".node",
            ".ts",
            ".cts",
            ".mts",
            ".tsx",
            ".jsx",
            "/package.json",
            "/index.js",
            "/index.cjs",
            "/index.mjs",
            "/index.json",
            "/index.node",
            "/index.ts",
        ],
    ),
    (&["python", "pypy", "uv"], &[".py", "/__main__.py", "/__init__.py"]),
    (&["ruby"], &[".rb"]),
    (&["perl"], &[".pm", ".pl"]),
    (&["lua", "luajit"], &[".lua", "/init.lua"]),
];
/// Options whose value is a module, found by rules of the interpreter's own.
const MODULE_OPTIONS: &[&str] =
    &["-m", "-M", "-r", "--require", "--import", "--loader", "--experimental-loader", "--preload"];
/// Task runners, and the files that say what they run.
const RUNNERS: &[(&[&str], &[&str])] = &[
    (&["npm", "pnpm", "yarn", "bun"], &["package.json"]),
    (&["make", "gmake"], &["GNUmakefile", "makefile", "Makefile"]),
    (&["just"], &["justfile", "Justfile", ".justfile"]),
    (&["task"], &["Taskfile.yml", "Taskfile.yaml"]),
    (&["rake"], &["Rakefile", "rakefile"]),
    (&["deno"], &["deno.json", "deno.jsonc"]),
    (&["cargo"], &["Cargo.toml", ".cargo/config.toml"]),
    (&["go"], &["go.mod"]),
    (&["mvn"], &["pom.xml"]),
    (&["gradle"], &["build.gradle", "build.gradle.kts"]),
    (&["composer"], &["composer.json"]),
    (&["poetry", "pdm", "hatch", "uv"], &["pyproject.toml"]),
    (&["tox"], &["tox.ini"]),
    (&["invoke", "inv"], &["tasks.py"]),
    (&["docker-compose"], &["docker-compose.yml", "compose.yml", "compose.yaml"]),
];

/// A program by the last part of its name, without version and ending: `/usr/bin/python3.12` is `python`.
pub(super) fn program_name(word: &str) -> &str {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    let name = name.strip_suffix(".exe").unwrap_or(name);
    let versioned = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    if versioned.is_empty() { name } else { versioned }
}

/// Whether the first operand of a program is a script, and the others are arguments of that.
pub(super) fn is_interpreter(program: &str) -> bool {
    INTERPRETERS.contains(&program)
}

/// Whether words behind a program may be code.
pub(super) fn runs_operands(program: &str) -> bool {
    INTERPRETERS.contains(&program) || WRAPPERS.contains(&program)
}

/// What an interpreter adds to a name to find a module.
pub(super) fn module_endings(program: &str) -> &'static [&'static str] {
    find(MODULES, program)
}

/// The files that say what a task runner runs.
pub(super) fn runner_files(program: &str) -> &'static [&'static str] {
    find(RUNNERS, program)
}

/// The module that an option names, when its value is glued to it.
pub(super) fn glued_module(program: &str, option: &str) -> Option<String> {
    let of = |name: &&&str| option.strip_prefix(**name).filter(|rest| !rest.is_empty());
    let named = MODULE_OPTIONS.iter().filter(|_| runs_operands(program)).find(|name| of(name).is_some())?;
    let value = option.strip_prefix(*named)?;
    match (named.starts_with("--"), value.strip_prefix('=')) {
        (_, Some(value)) => Some(value.to_owned()),
        (true, None) => None,
        (false, None) => Some(value.to_owned()),
    }
}

/// Whether the next word is a module.
pub(super) fn takes_module(program: &str, option: &str) -> bool {
    runs_operands(program) && MODULE_OPTIONS.contains(&option)
}

fn find(
    table: &[(&'static [&'static str], &'static [&'static str])],
    program: &str,
) -> &'static [&'static str] {
    table.iter().find(|(programs, _)| programs.contains(&program)).map_or(&[], |(_, found)| found)
}
