//! The keys of the file and of an entry: read, accepted in silence, or unknown.

use jsonc_parser::ast::{Object, ObjectProp, Value};

use super::nearest::{Nearest, bare, nearest};
use super::reader::{Reader, in_force};
use super::syntax::{bytes_of, excerpt, property};
use crate::event::EventKind;
use crate::problem::{Fix, Problem};

/// What an entry may say.
pub(super) const OPTIONS: [&str; 13] = [
    "command",
    "type",
    "prompt",
    "model",
    "timeout",
    "matcher",
    "failClosed",
    "monitor",
    "loop_limit",
    "dialect",
    "persistent",
    "prestart",
    "rule",
];
/// What the hooks of a group inherit, in Claude Code's form.
pub(super) const INHERITED: [&str; 4] = ["matcher", "failClosed", "loop_limit", "timeout"];

/// Only so many unknown keys of one object are compared with the known ones.
const GUESSED: usize = 50;

/// Warns about the keys of the file that nobody reads.
pub(super) fn check_top(reader: &mut Reader, top: &Object) {
    for key in in_force(top) {
        let name = key.name.as_str();
        if !matches!(name, "version" | "hooks" | "environment" | "$schema" | "description")
            && !name.starts_with('_')
        {
            let problem = unknown_at_top(top, key);
            reader.add(bytes_of(&key.name), problem);
        }
    }
}

/// Warns about the keys of an entry that nobody reads.
pub(super) fn check_entry(reader: &mut Reader, entry: &Object) {
    let mut guessed = 0;
    for key in &entry.properties {
        let name = key.name.as_str();
        if OPTIONS.contains(&name) || is_note(name) {
            continue;
        }
        guessed += 1;
        let problem = unknown_option(entry, key, guessed <= GUESSED);
        reader.add(bytes_of(&key.name), problem);
    }
}

/// Warns about the keys of a group that its hooks do not inherit.
pub(super) fn check_group(reader: &mut Reader, group: &Object) {
    for key in &group.properties {
        let name = key.name.as_str();
        if name == "hooks" || INHERITED.contains(&name) || is_note(name) {
            continue;
        }
        let problem =
            Problem::warning("unknown-key", format!("`{}` has no effect on a group", excerpt(name)))
                .help("write it into the hooks of the group");
        reader.add(bytes_of(&key.name), problem);
    }
}

/// Keys that authors and installers keep for themselves.
fn is_note(name: &str) -> bool {
    matches!(name, "description" | "name" | "comment" | "event" | "id") || name.starts_with('_')
}

fn unknown_at_top(top: &Object, key: &ObjectProp) -> Problem {
    let name = key.name.as_str();
    let message = format!("unknown key `{}` is ignored", excerpt(name));
    let problem = Problem::warning("unknown-key", message);
    if EventKind::named(name).is_some() {
        return problem.help(format!("events stand inside `hooks`: \"hooks\": {{\"{name}\": […]}}"));
    }
    if is_setting(name) {
        return Problem { code: "setting-in-hooks-file", ..problem }.help(
            "a hooks file sets no trust, endpoint or log; settings stand in Boathook's own config.toml",
        );
    }
    let mut problem = problem.help("a hooks file holds `version` and `hooks`; notes start with `_`");
    suggest(&mut problem, top, key, &["hooks", "version"]);
    problem
}

/// What a hostile file would like to decide, and no file may.
fn is_setting(name: &str) -> bool {
    const STARTS: [&str; 9] =
        ["trust", "endpoint", "log", "managed", "edition", "judge", "policy", "sandbox", "team"];
    let bare = bare(name);
    STARTS.iter().any(|start| bare.starts_with(start))
        || bare.ends_with("trusted")
        || bare.ends_with("endpoint")
}

fn unknown_option(entry: &Object, key: &ObjectProp, guess: bool) -> Problem {
    let name = key.name.as_str();
    let mut message = format!("unknown key `{}` is ignored", excerpt(name));
    let bare = bare(name);
    if bare == "failclosed" && matches!(&key.value, Value::BooleanLit(flag) if flag.value) {
        message.push_str("; a failure of this hook does not block");
    }
    let problem = Problem::warning("unknown-key", message);
    if let Some((_, help)) = HABITS.iter().find(|(habit, _)| *habit == bare) {
        return problem.help(*help);
    }
    let mut problem = problem.help("notes of your own start with `_`");
    if guess {
        suggest(&mut problem, entry, key, &OPTIONS);
    }
    problem
}

/// Names the key that was meant, as a repair where nothing else has its name.
fn suggest(problem: &mut Problem, object: &Object, key: &ObjectProp, known: &[&'static str]) {
    let name = key.name.as_str();
    let meant = |name: &str| match nearest(name, known.iter().copied()) {
        Nearest::One(meant) => Some(meant),
        Nearest::Several(_) | Nearest::Nothing => None,
    };
    let Some(meaning) = meant(name) else { return };
    let rival = object
        .properties
        .iter()
        .take(GUESSED)
        .map(|other| other.name.as_str())
        .any(|other| other != name && !known.contains(&other) && meant(other) == Some(meaning));
    problem.help = Some(format!("did you mean `{meaning}`?"));
    if property(object, meaning).is_none() && !rival {
        problem.fix = Some(Fix::replace(bytes_of(&key.name), format!("\"{meaning}\"")));
    }
}

/// Keys of other products, without case, hyphens and underscores.
const HABITS: &[(&str, &str)] = &[
    ("timeoutms", "write `timeout`, in seconds"),
    ("timeoutseconds", "write `timeout`; it is in seconds"),
    ("async", "hooks of one event run together, and all are waited for"),
    ("env", "put variables in front of the command: NAME=value ./hook.sh"),
    ("args", "write arguments into `command`, behind the program"),
    ("cwd", "change the directory in the command: cd DIR && ./hook.sh"),
    ("shell", "the command always goes to the shell"),
    ("script", "write `command`"),
    ("scripts", "write one entry with `command` for each script"),
    ("run", "write `command`"),
    ("cmd", "write `command`"),
    ("exec", "write `command`"),
    ("enabled", "an entry always runs; remove it to switch it off"),
    ("disabled", "an entry always runs; remove it to switch it off"),
    ("if", "use `matcher`, or decide in the script"),
    ("pattern", "write `matcher`"),
    ("once", "the hook runs every time; let the script remember"),
    ("hooks", "write one entry with `command` for each hook"),
    ("canblock", "what a hook can hold back depends on its event"),
    ("action", "a hook decides by what its command answers"),
    ("reason", "a hook gives its reason in its answer, as `user_message`"),
    ("continueonerror", "a failing hook lets the action proceed unless `failClosed` is true"),
    ("failopen", "a failing hook lets the action proceed unless `failClosed` is true"),
    ("statusmessage", "a hook speaks in its answer, as `user_message`"),
    ("runifavailable", "test for the program in the command: command -v tool >/dev/null || exit 0; tool"),
];
