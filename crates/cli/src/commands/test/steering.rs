//! Names of variables that steer other programs: a case may not set them,
//! because it must not choose which code a trusted hook loads.

/// Names that steer other programs: loaders, shells, interpreters, git, pagers.
const STEERING: &[&str] = &[
    "IFS",
    "CDPATH",
    "ENV",
    "BASH_ENV",
    "BASHOPTS",
    "SHELLOPTS",
    "PS4",
    "GLOBIGNORE",
    "PROMPT_COMMAND",
    "FPATH",
    "ZDOTDIR",
    "NULLCMD",
    "READNULLCMD",
    "TERMCAP",
    "PATH_LOCALE",
    "NLSPATH",
    "HOSTALIASES",
    "RES_OPTIONS",
    "LOCALDOMAIN",
    "JAVA_TOOL_OPTIONS",
    "_JAVA_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "NODE_OPTIONS",
    "NODE_PATH",
    "NODE_EXTRA_CA_CERTS",
    "SSH_ASKPASS",
    "PAGER",
    "LESSOPEN",
    "LESSCLOSE",
    "EDITOR",
    "VISUAL",
    "TMPPREFIX",
    "GCONV_PATH",
    "LOCPATH",
    "OPENSSL_CONF",
    "MANPAGER",
];
/// The same, by how they begin.
const STEERING_FAMILIES: &[&str] = &[
    "LD_",
    "_RLD",
    "DYLD_",
    "PERL",
    "PYTHON",
    "RUBY",
    "BUN_",
    "DENO_",
    "GIT_",
    "TERMINFO",
    "BASH_FUNC_",
    "Malloc",
    "BOATHOOK_",
];
/// Needed by every program; another value for them steers it.
const STEERING_BASICS: &[&str] = &["PATH", "HOME", "SHELL", "TMPDIR", "USER", "LOGNAME"];

/// Whether a value for this name steers other programs.
pub(super) fn steers_programs(name: &str) -> bool {
    STEERING.contains(&name)
        || STEERING_BASICS.contains(&name)
        || STEERING_FAMILIES.iter().any(|family| name.starts_with(family))
}
