//! What can be said of a hook when it is written or changed.

use std::path::{Path, PathBuf};
use std::{fs, io};

use boathook_server::team::wire::HookDraft;

use crate::error::Failed;

/// The options of `hook add` and `hook edit`.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct DraftArgs {
    /// Its file name on members' machines; a new hook has that of its script
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// A system it is for: linux, macos, windows or all; repeat it for several. A new hook is for all
    #[arg(long, value_name = "SYSTEM", value_parser = system)]
    os: Vec<System>,
    /// When it runs, a regular expression; '' is always
    #[arg(long, value_name = "PATTERN")]
    matcher: Option<String>,
    /// How many seconds it may take; 0 is the default
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<u32>,
    /// Refuse when it fails; `--fail-closed=false` takes it back
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true", hide_possible_values = true)]
    fail_closed: Option<bool>,
    /// Report what it would refuse, and refuse nothing; `--monitor=false` takes it back
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true", hide_possible_values = true)]
    monitor: Option<bool>,
    /// How many automatic follow-ups it may send: a number, `none` for no limit, or `default`
    #[arg(long, value_name = "LIMIT", value_parser = loop_limit)]
    loop_limit: Option<Limit>,
    /// Take part in the next release; `--active=false` leaves it out
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true", hide_possible_values = true)]
    active: Option<bool>,
    /// Where the value of such an option ends up when a blank stands before it
    #[arg(hide = true, value_name = "VALUE", value_parser = stray)]
    _stray: Option<String>,
}

fn stray(text: &str) -> Result<String, String> {
    match text.parse::<bool>() {
        Ok(_) => Err(format!("write `=` before it, such as `--fail-closed={text}`")),
        Err(_) => Err("nothing more is expected here; options begin with `--`".to_owned()),
    }
}

/// A name of a system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum System {
    One(&'static str),
    All,
}

/// How many follow-ups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit(Option<i64>);

fn system(text: &str) -> Result<System, String> {
    match text.to_ascii_lowercase().as_str() {
        "linux" => Ok(System::One("Linux")),
        "macos" | "macintosh" => Ok(System::One("Macintosh")),
        "windows" => Ok(System::One("Windows")),
        "all" => Ok(System::All),
        _ => Err("write linux, macos, windows or all".to_owned()),
    }
}

fn loop_limit(text: &str) -> Result<Limit, String> {
    match text {
        "default" => Ok(Limit(None)),
        "none" => Ok(Limit(Some(-1))),
        number => {
            let number = number.parse().ok().filter(|number| *number >= 0);
            number
                .map(|number| Limit(Some(number)))
                .ok_or_else(|| "write a number, none or default".to_owned())
        }
    }
}

/// A script from its file, and the name it has there.
pub struct Script {
    pub name: String,
    pub content: String,
}

impl Script {
    pub fn read(file: &PathBuf) -> Result<Script, Failed> {
        let bytes = fs::read(file).map_err(|error| unread(file, error))?;
        let help =
            "a script is text in UTF-8; a program goes to machines in another way, and a script starts it";
        let content = String::from_utf8(bytes)
            .map_err(|_| Failed::other(format!("{} is not text", file.display()), help))?;
        let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        Ok(Script { name, content })
    }
}

/// What a person mistyped most often is said in words.
fn unread(file: &Path, error: io::Error) -> Failed {
    let (problem, help) = match error.kind() {
        io::ErrorKind::NotFound => ("there is no such file", "write where the script is"),
        io::ErrorKind::IsADirectory => ("it is a folder", "write which file of it is the script"),
        _ => return Failed::file(file, error),
    };
    Failed::other(format!("--script {}: {problem}", file.display()), help)
}

/// A number that a list shows.
pub fn number(text: &str) -> Result<i64, String> {
    let number = text.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| "write the number that `list` shows".to_owned())
}

impl DraftArgs {
    /// Changes what was said, and nothing else.
    pub fn apply(&self, draft: &mut HookDraft) {
        if let Some(name) = &self.name {
            draft.script_name.clone_from(name);
        }
        if !self.os.is_empty() {
            let all = self.os.contains(&System::All);
            let named = self.os.iter().filter_map(|system| match system {
                System::One(name) if !all => Some((*name).to_owned()),
                System::One(_) | System::All => None,
            });
            draft.operating_systems = named.collect();
        }
        if let Some(matcher) = &self.matcher {
            draft.matcher = Some(matcher.clone()).filter(|matcher| !matcher.is_empty());
        }
        if let Some(timeout) = self.timeout {
            draft.timeout = Some(timeout).filter(|timeout| *timeout > 0);
        }
        if let Some(Limit(limit)) = self.loop_limit {
            draft.loop_limit = limit;
        }
        draft.fail_closed = self.fail_closed.unwrap_or(draft.fail_closed);
        draft.monitor = self.monitor.unwrap_or(draft.monitor);
        draft.is_active = self.active.unwrap_or(draft.is_active);
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        draft: DraftArgs,
    }

    #[test]
    fn a_script_that_is_not_there_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        for (file, expected) in
            [(folder.path().join("none.sh"), "no such file"), (folder.path().into(), "folder")]
        {
            let error = Script::read(&file).err().expect("no script").to_string();
            assert!(error.contains(expected) && !error.contains("os error"), "{error}");
        }
        assert_eq!(number("3"), Ok(3));
        assert!(number("x").is_err() && number("-1").is_err());
    }

    fn written() -> HookDraft {
        HookDraft {
            hook_step: "stop".to_owned(),
            script_name: "a.sh".to_owned(),
            script_content: String::new(),
            operating_systems: vec!["Linux".to_owned()],
            is_active: true,
            matcher: Some("x".to_owned()),
            timeout: Some(5),
            fail_closed: true,
            loop_limit: Some(3),
            monitor: false,
        }
    }

    #[test]
    fn what_is_said_changes_and_the_rest_stays() {
        let cases: [(&str, fn(&mut HookDraft)); 8] = [
            ("", |_| {}),
            ("--name b.sh", |it| it.script_name = "b.sh".to_owned()),
            ("--os macos --os windows", |it| {
                it.operating_systems = vec!["Macintosh".to_owned(), "Windows".to_owned()];
            }),
            ("--os all", |it| it.operating_systems = vec![]),
            ("--matcher= --timeout 0", |it| (it.matcher, it.timeout) = (None, None)),
            ("--fail-closed=false --monitor", |it| (it.fail_closed, it.monitor) = (false, true)),
            ("--loop-limit none", |it| it.loop_limit = Some(-1)),
            ("--loop-limit default --active=false", |it| (it.loop_limit, it.is_active) = (None, false)),
        ];
        for (line, change) in cases {
            let words = std::iter::once("x").chain(line.split_whitespace());
            let typed = Line::try_parse_from(words).expect("these are options");
            let (mut draft, mut expected) = (written(), written());
            typed.draft.apply(&mut draft);
            change(&mut expected);
            assert_eq!(draft, expected, "{line}");
        }
        let words = ["x", "--fail-closed", "true"];
        let error = Line::try_parse_from(words).expect_err("a blank").to_string();
        assert!(error.contains("`--fail-closed=true`"), "{error}");
        for line in ["--os beos", "--loop-limit -2", "--timeout x", "--monitor=maybe"] {
            let words = std::iter::once("x").chain(line.split_whitespace());
            assert!(Line::try_parse_from(words).is_err(), "{line}");
        }
    }
}
