//! `boathook new`: a hook that already works, its entry, and its test cases.

mod case;
mod script;

use std::fs;
use std::path::Path;

use boathook_engine::config;
use boathook_engine::definition::{Definition, Lifetime};
use boathook_engine::engine::{Settings, load_options};
use boathook_engine::event::{EventKind, Subject};
use boathook_engine::load::{Hook, HookState, Loader};
use boathook_engine::matcher::{Matcher, Verdict};
use boathook_engine::problem::Severity;
use boathook_engine::read_file::{self, Owner, ReadError};
use boathook_engine::source::{Level, Os};
use serde_json::json;

use crate::Status;
use crate::args::Global;
use crate::commands::init::{Place, places, write};
use crate::error::Failed;
use crate::payload_args::event_name;
use crate::settings::settings;
use crate::ui::{Style, Ui};
use crate::write_file::{Access, replace, stays_below};
use script::Language;

/// Write a new hook: its script, its entry in hooks.json and its test cases
///
/// The script reads its event and answers correctly as it is, with the fields
/// of the event in its comments; it acts on an example, which is where your own
/// rule goes. The entry is added to hooks.json with everything else in that
/// file left as it is. Nothing that exists is overwritten.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  boathook new beforeShellExecution                       .cursor/hooks/before-shell-execution.sh
  boathook new stop --lang python --name until-tests-pass
  boathook new preToolUse --lang node --matcher 'Write|Delete'
  boathook new preToolUse --lang python --persistent      a process that stays, see the manual
  boathook new beforeSubmitPrompt --user                  for all your work, in ~/.cursor")]
pub struct NewArgs {
    /// The event, as it is named in hooks.json
    #[arg(value_name = "EVENT", value_parser = event_name(), hide_possible_values = true)]
    event: EventKind,
    /// What to write it in
    #[arg(long, value_name = "LANG", value_enum, default_value = "bash")]
    lang: Language,
    /// The script's name, without its ending [default: after the event]
    #[arg(long)]
    name: Option<String>,
    /// For the workspace, to commit [default]
    #[arg(long)]
    project: bool,
    /// For all your work, in ~/.cursor
    #[arg(long, conflicts_with = "project")]
    user: bool,
    /// Only when this regular expression fits: a command, a tool's name; see the manual of the event
    #[arg(long, value_name = "PATTERN")]
    matcher: Option<String>,
    /// Let its process stay from event to event under a daemon; python and node, with a helper beside it
    #[arg(long)]
    persistent: bool,
}

pub fn new(ui: &mut Ui, global: &Global, args: &NewArgs) -> Result<Status, Failed> {
    let settings = settings(ui, global, &[])?;
    let name = args.name.clone().unwrap_or_else(|| dashed(args.event.name()));
    check_name(&name)?;
    let matcher = matcher(args)?;
    if args.persistent && args.lang.helper().is_none() {
        let problem = "--persistent: there is no helper for bash, and a line of JSON is not read without one";
        return Err(Failed::other(problem.to_owned(), "write --lang python or --lang node"));
    }
    let places = places(&settings, !args.user).map_err(|failed| {
        Failed::other(failed.to_string(), "go into a project, name one with --workspace, or write --user")
    })?;
    let trusted = if args.user { 0 } else { trusted_hooks(&settings) };
    for place in places {
        if !args.user {
            stays_inside(&place)?;
        }
        write_hook(ui, &place, args, &name, &matcher, settings.roots.os)?;
    }
    if !args.user {
        ui.hint("project hooks run once you trust the workspace: `boathook trust`");
    }
    match trusted {
        0 => {}
        1 => ui.hint("the hook that was trusted here is withheld now as well, until you look at the difference"),
        number => ui.hint(&format!(
            "the {number} hooks that were trusted here are withheld now as well, until you look at the difference"
        )),
    }
    let test = if args.user { "boathook test --user" } else { "boathook test" };
    ui.hint(&format!("`{test}` runs its cases; put your own rule where the script looks for the example"));
    Ok(Status::Success)
}

/// How many hooks run here today because somebody trusted their file, which
/// changes now.
fn trusted_hooks(settings: &Settings) -> usize {
    let mut loader = Loader::new(settings.roots.clone(), load_options(settings, false));
    let set = loader.hooks(&settings.roots.workspaces);
    let ready = |hook: &&Hook| hook.source.level == Level::Project && hook.state == HookState::Ready;
    set.hooks.iter().filter(ready).count()
}

/// Everything that can be refused is refused first. Then the script comes
/// first: a hooks.json never names a script that is not there.
fn write_hook(
    ui: &mut Ui,
    place: &Place,
    args: &NewArgs,
    name: &str,
    matcher: &Matcher,
    os: Os,
) -> Result<(), Failed> {
    let spec = args.event.spec();
    let file_name = format!("{name}.{}", args.lang.extension());
    let command = command(place, &file_name, args.lang, os);
    let hooks_json = place.folder.join("hooks.json");
    let before = read_hooks(&hooks_json)?;
    let after =
        with_entry(&hooks_json, before.as_deref(), args.event, &entry(&command, matcher, args.persistent))?;
    let script = place.folder.join("hooks").join(&file_name);
    let cases = place.folder.join("hooks/tests").join(format!("{name}.json"));
    make_room(&[&script, &cases])?;
    let lifetime = if args.persistent { Lifetime::Stays } else { Lifetime::Event };
    if let Some((helper, text)) = args.lang.helper().filter(|_| args.persistent) {
        let helper = place.folder.join("hooks").join(helper);
        if helper.symlink_metadata().is_err() {
            write(ui, &helper, text, Access::Read)?;
        }
    }
    write(ui, &script, &script::text(spec, args.lang, lifetime), Access::Execute)?;
    write(ui, &cases, &case::text(spec, name, matcher), Access::Read)?;
    if before.is_none() {
        write(ui, &hooks_json, &after, Access::Read)?;
        return Ok(());
    }
    replace(&hooks_json, after.as_bytes()).map_err(|error| Failed::file(&hooks_json, error))?;
    let word = ui.styled("added ", Style::Green);
    let path = crate::ui::clean(&hooks_json.display().to_string());
    ui.painted_line(&format!("{word} the hook to {path}"));
    Ok(())
}

/// The text of hooks.json with the entry in it.
fn with_entry(file: &Path, before: Option<&str>, event: EventKind, entry: &str) -> Result<String, Failed> {
    let Some(text) = before else {
        let list = format!("\"{}\": [{entry}]", event.name());
        return Ok(format!("{{\n  \"version\": 1,\n  \"hooks\": {{\n    {list}\n  }}\n}}\n"));
    };
    config::insert_hook(text, event, entry).map_err(|problem| {
        let at = problem.place.as_ref().map_or(String::new(), |at| format!(":{}:{}", at.line, at.column));
        let problem = format!("{}{at}: {}", file.display(), problem.message);
        Failed::other(problem, config::entry_to_add(event, entry))
    })
}

/// The folders of new files, when none of the files is there.
fn make_room(files: &[&Path]) -> Result<(), Failed> {
    if let Some(file) = files.iter().find(|file| file.symlink_metadata().is_ok()) {
        let problem = format!("{} exists already", file.display());
        return Err(Failed::other(problem, "choose another name with --name"));
    }
    for folder in files.iter().filter_map(|file| file.parent()) {
        fs::create_dir_all(folder).map_err(|error| Failed::file(folder, error))?;
    }
    Ok(())
}

/// The text of the file; none when there is no file.
fn read_hooks(file: &Path) -> Result<Option<String>, Failed> {
    let bytes = match read_file::read(file, read_file::CONFIG_LIMIT, Owner::Anybody) {
        Ok(read) => read.bytes,
        Err(ReadError::Absent) if file.symlink_metadata().is_err() => return Ok(None),
        Err(error) => {
            return Err(Failed::other(format!("{}: {error}", file.display()), "`boathook check` says more"));
        }
    };
    String::from_utf8(bytes).map(Some).map_err(|_| {
        Failed::other(format!("{}: it is not UTF-8", file.display()), "`boathook check` says more")
    })
}

/// On Windows no file is a program by its first line.
fn command(place: &Place, file_name: &str, language: Language, os: Os) -> String {
    let interpreter = match (os, language) {
        (Os::Windows, Language::Python) => "python ",
        (Os::Windows, Language::Node) => "node ",
        _ => "",
    };
    format!("{interpreter}{}{file_name}", place.prefix)
}

fn entry(command: &str, matcher: &Matcher, persistent: bool) -> String {
    let mut fields = vec![format!("\"command\": {}", json!(command))];
    if !matcher.is_everything() {
        fields.push(format!("\"matcher\": {}", json!(matcher.pattern())));
    }
    if persistent {
        fields.push("\"persistent\": true".to_owned());
    }
    format!("{{ {} }}", fields.join(", "))
}

/// A matcher that could never fit would make a hook that never runs.
fn matcher(args: &NewArgs) -> Result<Matcher, Failed> {
    let Some(pattern) = &args.matcher else { return Ok(Matcher::everything()) };
    let matcher = Matcher::new(pattern.as_str());
    if matcher.error().is_some() {
        return fits_something(args.event, matcher);
    }
    let name = args.event.name();
    match args.event.spec().subject {
        Subject::None => Err(Failed::other(
            format!("{name} has nothing to match: a matcher is ignored"),
            "leave out --matcher",
        )),
        Subject::Constant(word) if matcher.matches(word) != Verdict::Match => Err(Failed::other(
            format!("--matcher {pattern} never fits: on {name} it is held against `{word}`"),
            "leave out --matcher",
        )),
        Subject::Constant(_) | Subject::Field(_) | Subject::McpTool => fits_something(args.event, matcher),
    }
}

/// What `check` would warn about is not written in the first place.
fn fits_something(event: EventKind, matcher: Matcher) -> Result<Matcher, Failed> {
    let definition = Definition { matcher, ..Definition::command(event, "true") };
    let mut problems = config::check_matchers(std::slice::from_ref(&definition)).into_iter();
    match problems.find(|problem| problem.severity >= Severity::Warning) {
        Some(problem) => {
            Err(Failed::other(format!("--matcher: {}", problem.message), problem.help.unwrap_or_default()))
        }
        None => Ok(definition.matcher),
    }
}

/// A name that is one word of a command line, and no path.
fn check_name(name: &str) -> Result<(), Failed> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    if name.is_empty() || name.len() > 100 || name.starts_with(['.', '-']) || !name.bytes().all(plain) {
        let help = "use letters, digits, `.`, `_` and `-`, like `block-force-push`";
        return Err(Failed::other(format!("--name {name}: this is no name of a script"), help));
    }
    Ok(())
}

/// Nothing of a hook for the workspace is written outside it.
fn stays_inside(place: &Place) -> Result<(), Failed> {
    let root = place.folder.parent().unwrap_or(&place.folder);
    let paths = ["hooks/tests", "hooks.json"].map(|name| place.folder.join(name));
    paths.iter().try_for_each(|path| stays_below(root, path))
}

/// `beforeShellExecution` → `before-shell-execution`; `MCP` stays together.
fn dashed(event: &str) -> String {
    let mut name = String::new();
    let mut before = 'A';
    for (at, letter) in event.char_indices() {
        let next_is_small = event[at + 1..].starts_with(|next: char| next.is_ascii_lowercase());
        if letter.is_ascii_uppercase() && (before.is_ascii_lowercase() || next_is_small) && at > 0 {
            name.push('-');
        }
        name.push(letter.to_ascii_lowercase());
        before = letter;
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_from_events() {
        let cases = [
            ("beforeShellExecution", "before-shell-execution"),
            ("beforeMCPExecution", "before-mcp-execution"),
            ("stop", "stop"),
        ];
        for (event, expected) in cases {
            assert_eq!(dashed(event), expected);
        }
    }

    #[test]
    fn only_plain_names_are_accepted() {
        for name in ["", ".x", "-x", "a/b", "a b", "a;b", "é", "../x"] {
            assert!(check_name(name).is_err(), "{name}");
        }
        assert!(check_name("block-force_push.2").is_ok());
    }
}
