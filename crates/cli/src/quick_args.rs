//! The plain forms of `run` and `agent hook`, read by hand.
//!
//! They are typed at every step of an agent, and to describe all commands to
//! the general parser takes longer than everything else they do before a hook
//! starts. Only what is read here exactly as there is read here: an option as
//! two words, once unless it may be repeated. Whatever else was typed, help and
//! mistakes included, is none of ours.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use boathook_engine::edition::Edition;
use boathook_engine::event::EventKind;
use clap::ColorChoice;

use crate::args::{Args, Command, Global};
use crate::commands::agent::hook::HookArgs;
use crate::commands::agent::{AgentArgs, AgentCommand};
use crate::commands::run::RunArgs;
use crate::settings::Given;

/// The words behind the program's name, understood; none where anything about
/// them is not plain.
pub fn read(words: &[OsString]) -> Option<Args> {
    let mut before = nothing();
    let mut words = words.iter().map(OsString::as_os_str);
    let mut first = words.next()?.to_str()?;
    let leads = is_option(first);
    while is_option(first) {
        of_all_commands(&mut before, first, words.next())?;
        first = words.next()?.to_str()?;
    }
    let (behind, command) = match first {
        "agent" if words.next()? == "hook" => agent_hook(words)?,
        "run" => run(words)?,
        _ => return None,
    };
    // What counts where options stand before the command and behind it is the
    // general parser's business.
    let global = match (leads, behind) {
        (true, Some(_)) => return None,
        (_, behind) => behind.unwrap_or(before),
    };
    Some(Args { global, command })
}

fn agent_hook<'w>(mut words: impl Iterator<Item = &'w OsStr>) -> Option<(Option<Global>, Command)> {
    let (mut global, mut given, mut named) = (None, Given::default(), Vec::new());
    while let Some(word) = words.next() {
        match word.to_str()? {
            "--home" => once(&mut given.home, directory(words.next())?)?,
            "--state-dir" => once(&mut given.state_dir, directory(words.next())?)?,
            "--config-dir" => once(&mut given.config_dir, directory(words.next())?)?,
            option if is_option(option) => {
                of_all_commands(global.get_or_insert_with(nothing), option, words.next())?
            }
            name => named.push(name.to_owned()),
        }
    }
    let mut named = named.into_iter();
    let hook = HookArgs { name: named.next()?, event: named.next(), given };
    if named.next().is_some() {
        return None;
    }
    Some((global, Command::Agent(AgentArgs { command: AgentCommand::Hook(hook) })))
}

fn run<'w>(mut words: impl Iterator<Item = &'w OsStr>) -> Option<(Option<Global>, Command)> {
    let (mut global, mut event) = (None, None);
    while let Some(word) = words.next() {
        match word.to_str()? {
            option if is_option(option) => {
                of_all_commands(global.get_or_insert_with(nothing), option, words.next())?
            }
            name => once(&mut event, EventKind::named(name)?)?,
        }
    }
    Some((global, Command::Run(RunArgs::of(event?))))
}

fn of_all_commands(global: &mut Global, option: &str, value: Option<&OsStr>) -> Option<()> {
    match option {
        "--workspace" => global.workspace.push(directory(value)?),
        "--plugin-dir" => global.plugin_dir.push(directory(value)?),
        "--root" => once(&mut global.root, directory(value)?)?,
        "--edition" => once(&mut global.edition, Edition::named(value?.to_str()?)?)?,
        _ => return None,
    }
    Some(())
}

fn nothing() -> Global {
    Global {
        workspace: Vec::new(),
        plugin_dir: Vec::new(),
        root: None,
        edition: None,
        color: ColorChoice::Auto,
    }
}

/// Anything that is neither empty nor looks like an option.
fn directory(value: Option<&OsStr>) -> Option<PathBuf> {
    value.filter(|value| !value.is_empty() && !is_option(&value.to_string_lossy())).map(PathBuf::from)
}

/// An empty word is left to the general parser, too.
fn is_option(word: &str) -> bool {
    word.is_empty() || word.starts_with('-')
}

fn once<T>(place: &mut Option<T>, value: T) -> Option<()> {
    place.replace(value).is_none().then_some(())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    fn by_hand(line: &str) -> Option<String> {
        let words: Vec<OsString> = words(line).map(OsString::from).collect();
        read(&words).map(|args| format!("{args:?}"))
    }

    fn by_the_parser(line: &str) -> Option<String> {
        let args = Args::try_parse_from(["boathook"].into_iter().chain(words(line)));
        args.ok().map(|args| format!("{args:?}"))
    }

    fn words(line: &str) -> impl Iterator<Item = &str> {
        line.split_whitespace().map(|word| if word == "''" { "" } else { word })
    }

    #[test]
    fn plain_words_are_read_as_the_parser_reads_them() {
        for line in [
            "agent hook claude",
            "agent hook claude PreToolUse",
            "agent hook claude --home /h",
            "agent hook cline PreToolUse --home /h --state-dir /s --config-dir /c",
            "agent hook --home /h claude --root /r PreToolUse --workspace /a --workspace /b",
            "agent hook claude --plugin-dir /p --edition 2.3",
            "--root /r --workspace /a agent hook claude --home /h",
            "agent hook nobody",
            "agent hook help",
            "run preToolUse",
            "--root /r run preToolUse",
            "run --workspace relative beforeShellExecution --root /r --edition docs",
        ] {
            assert!(by_hand(line).is_some(), "{line}");
            assert_eq!(by_hand(line), by_the_parser(line), "{line}");
        }
    }

    #[test]
    fn what_is_not_plain_is_left_to_the_parser() {
        for line in [
            "",
            "agent",
            "agent hook",
            "agent status",
            "--root /r agent status",
            "--root /r --workspace /a agent hook claude --workspace /b",
            "--root /r --root /r agent hook claude",
            "--home /h agent hook claude",
            "--root agent hook claude",
            "--root",
            "agent hook claude PreToolUse more",
            "agent hook claude --home",
            "agent hook claude --home --root /r",
            "agent hook claude --home ''",
            "agent hook claude --home=/h",
            "agent hook claude --home /h --home /h",
            "agent hook claude --root /r --root /r",
            "agent hook claude --edition 9",
            "agent hook claude --color never",
            "agent hook claude --help",
            "agent hook claude -h",
            "agent hook claude --",
            "agent hook claude -- --home",
            "agent hook claude -",
            "agent hook ''",
            "run",
            "run nothingOfTheKind",
            "run preToolUse stop",
            "run preToolUse --trust",
            "run preToolUse --field a=b",
            "help run",
        ] {
            assert_eq!(by_hand(line), None, "{line}");
        }
    }
}
