//! `boathook convert hookify`: hookify rules as entries of a hooks.json.

use std::fs;
use std::path::{Path, PathBuf};

use boathook_engine::config::{NewEntry, add_entries, change_command};
use boathook_engine::event::EventKind;
use boathook_engine::problem::Problem;
use boathook_engine::read_file::{self, Owner};
use boathook_engine::rule::hookify::{
    Mode, Options, Origin, Rule, command_line, read_rule, script_name, spelled,
};
use boathook_engine::source::Source;
use serde_json::Value;

use super::output::Output;
use super::script::script;
use crate::Status;
use crate::args::Global;
use crate::commands::hookify::WarnAsArg;
use crate::error::Failed;
use crate::report::{self, Texts};
use crate::settings::settings;
use crate::ui::Ui;

/// Write hookify rules as entries of a hooks.json
///
/// Each rule of the workspace's .claude becomes entries of .cursor/hooks.json
/// whose command is `boathook hookify FILE`: the original product runs that as
/// a process, Boathook decides the rule without one. A rule that hooks.json
/// names on an event is not asked a second time there for its own file.
///
/// With `--scripts` each rule becomes a script that needs nothing but grep. What
/// a script cannot say is reported and not written. An existing hooks.json keeps
/// its comments, and converting twice changes nothing.
#[derive(Debug, clap::Args)]
pub struct ConvertHookifyArgs {
    /// The rules [default: .claude/hookify.*.local.md]
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Write scripts, .cursor/hooks/hookify-RULE.sh, that need no Boathook
    #[arg(long)]
    scripts: bool,
    /// What a rule that warns does [default: message, with --scripts ask]
    #[arg(long, value_name = "WHAT", value_enum)]
    warn_as: Option<WarnAsArg>,
    /// Do what the hookify plugin does, also where that is not what authors want
    #[arg(long)]
    faithful: bool,
    /// Say what would be written, and write nothing
    #[arg(long)]
    dry_run: bool,
}

/// One entry to be.
struct Entry {
    event: EventKind,
    command: String,
    matcher: Option<String>,
    /// What an entry for the same rule names: the rule, or its script.
    names: [String; 2],
}

impl Entry {
    fn as_new(&self) -> NewEntry {
        let matcher =
            self.matcher.as_ref().map(|matcher| ("matcher".to_owned(), Value::from(matcher.as_str())));
        let command = ("command".to_owned(), Value::from(self.command.as_str()));
        NewEntry { event: self.event, fields: [command].into_iter().chain(matcher).collect() }
    }
}

pub fn convert_hookify(ui: &mut Ui, global: &Global, args: &ConvertHookifyArgs) -> Result<Status, Failed> {
    let settings = settings(ui, global, &[])?;
    let Some(root) = settings.roots.workspaces.first().cloned() else {
        return Err(Failed::other("there is no workspace", "name one with `--workspace DIR`"));
    };
    let files = if args.files.is_empty() { rules_of(&root) } else { named(&args.files)? };
    if files.is_empty() {
        ui.line("There are no hookify rules in .claude: nothing to convert.");
        return Ok(Status::Success);
    }
    let default = if args.scripts { WarnAsArg::Ask } else { WarnAsArg::Message };
    let mode = if args.faithful { Mode::Faithful } else { settings.hookify };
    let options = Options { mode, warn_as: args.warn_as.unwrap_or(default).into() };
    let mut work = Work { ui, root: &root, options, outputs: Vec::new(), entries: Vec::new(), left_out: 0 };
    for file in &files {
        work.rule(file, args.scripts)?;
    }
    let Work { mut outputs, entries, left_out, .. } = work;
    outputs.extend(hooks_json(&root, &entries)?);
    let mut wrote = false;
    for output in &outputs {
        wrote |= output.write(ui, &root, args.dry_run)?;
    }
    if wrote {
        ui.hint("project hooks run once you trust the workspace: `boathook trust`");
    }
    Ok(if left_out == 0 { Status::Success } else { Status::Failure })
}

struct Work<'a> {
    ui: &'a mut Ui,
    root: &'a Path,
    options: Options,
    outputs: Vec<Output>,
    entries: Vec<Entry>,
    left_out: usize,
}

impl Work<'_> {
    fn rule(&mut self, file: &Path, scripts: bool) -> Result<(), Failed> {
        let read = read_file::read(file, read_file::CONFIG_LIMIT, Owner::Anybody)
            .map_err(|error| Failed::other(format!("{}: {error}", file.display()), "name a hookify rule"))?;
        let found = read_rule(&read.bytes, file, self.options);
        for mut problem in found.problems {
            problem.file = Some(file.to_owned());
            report::problem(self.ui, &problem, &mut Texts::default());
        }
        let shown = file.strip_prefix(self.root).unwrap_or(file).to_string_lossy().into_owned();
        match (found.rule, found.broken) {
            (Some(_), None) if !found.enabled => {
                self.ui.line(&format!("skipped {shown}: it is switched off"));
                Ok(())
            }
            (Some(rule), None) if scripts => self.script(&rule, file, &shown, &read.bytes),
            (Some(rule), None) => {
                self.native(&rule, file, &shown);
                Ok(())
            }
            (Some(_) | None, _) => {
                self.leave_out(&shown, "it cannot be decided");
                Ok(())
            }
        }
    }

    fn leave_out(&mut self, shown: &str, why: &str) {
        self.left_out += 1;
        self.ui.warning(&format!("{shown}: not converted: {why}"));
    }

    fn native(&mut self, rule: &Rule, file: &Path, shown: &str) {
        let Some(command) = command_line(shown, self.options) else {
            self.leave_out(shown, "its name cannot stand in a command line; rename the file");
            return;
        };
        let places = rule.places();
        if places.is_empty() {
            self.leave_out(shown, "it never applies");
        }
        self.entries.extend(places.into_iter().map(|place| Entry {
            event: place.event,
            command: command.clone(),
            matcher: place.matcher,
            names: [shown.to_owned(), script_of(file)],
        }));
    }

    fn script(&mut self, rule: &Rule, file: &Path, shown: &str, bytes: &[u8]) -> Result<(), Failed> {
        let made = match script(rule, shown, bytes) {
            Ok(made) => made,
            Err(why) => {
                self.leave_out(shown, &why);
                return Ok(());
            }
        };
        let name = script_of(file);
        let path = self.root.join(&name);
        let first = Origin::rule_line(shown);
        if self.outputs.iter().any(|output| output.path == path) {
            self.leave_out(shown, &format!("another rule is written to {name}; rename the file"));
            return Ok(());
        }
        // Somebody's own script is not ours to replace.
        if let Ok(there) = fs::read_to_string(&path)
            && there.lines().nth(1) != Some(first.as_str())
        {
            self.leave_out(shown, &format!("{name} was not generated from it; move that file away"));
            return Ok(());
        }
        self.outputs.push(Output { path, text: made.text, is_script: true });
        let command = format!("{name} \"${{{}}}\"", made.value);
        self.entries.push(Entry {
            event: made.event,
            command,
            matcher: None,
            names: [shown.to_owned(), name],
        });
        Ok(())
    }
}

/// The hooks.json with all entries in it.
fn hooks_json(root: &Path, entries: &[Entry]) -> Result<Option<Output>, Failed> {
    if entries.is_empty() {
        return Ok(None);
    }
    let path = Source::project(root).file;
    let there = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(Failed::file(&path, error)),
    };
    let text = with_entries(there, entries).map_err(|problem| {
        Failed::other(
            format!("{}: {}", path.display(), problem.message),
            "`boathook check` says what to write instead",
        )
    })?;
    Ok(Some(Output { path, text, is_script: false }))
}

/// An entry that is there is left, or changed when it is for the same rule;
/// what is missing is added.
fn with_entries(mut text: String, entries: &[Entry]) -> Result<String, Box<Problem>> {
    let mut missing = Vec::new();
    for entry in entries {
        let change = |is_it: &dyn Fn(&str) -> bool| {
            if text.trim().is_empty() {
                Ok(None)
            } else {
                change_command(&text, entry.event, is_it, &entry.command)
            }
        };
        let there = match change(&|command| command == entry.command)? {
            None => change(&|command| is_for(command, &entry.names))?,
            there => there,
        };
        match there {
            Some(changed) => text = changed,
            None => missing.push(entry.as_new()),
        }
    }
    add_entries(&text, &missing)
}

/// Whether a command is the one of this rule or its script, with whatever options.
fn is_for(command: &str, [rule, script]: &[String; 2]) -> bool {
    match spelled(command) {
        Some(named) => named.file == Path::new(rule),
        None => command.split_whitespace().next() == Some(script),
    }
}

/// Where the script of a rule is written.
fn script_of(file: &Path) -> String {
    format!(".cursor/hooks/{}", script_name(file))
}

fn rules_of(root: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(root.join(".claude")) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    files.retain(|file| {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("hookify.") && name.ends_with(".local.md")
    });
    files.sort();
    files
}

fn named(files: &[PathBuf]) -> Result<Vec<PathBuf>, Failed> {
    files.iter().map(|file| file.canonicalize().map_err(|error| Failed::file(file, error))).collect()
}
