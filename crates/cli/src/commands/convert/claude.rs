//! `boathook convert claude`: the hooks of Claude Code's settings.

use std::path::{Path, PathBuf};

use boathook_engine::config::{self, NewEntry, add_entries};
use boathook_engine::definition::Definition;
use boathook_engine::dialect::claude::{Shape, to_native};
use boathook_engine::engine::Settings;
use boathook_engine::problem::{Problem, Severity};
use boathook_engine::read_file::{self, CONFIG_LIMIT, Owner, ReadError};
use boathook_engine::source::Source;

use crate::Status;
use crate::args::Global;
use crate::error::Failed;
use crate::report::{self, Texts};
use crate::settings::settings;
use crate::ui::Ui;
use crate::write_file::{Access, put, stays_below};

/// Write the hooks of Claude Code's settings into a hooks.json
///
/// Events, matchers and tools get their native names. The scripts go on
/// reading and answering in Claude Code's form: each entry says
/// `"dialect": "claude"`, an extension of Boathook's.
#[derive(Debug, clap::Args)]
pub struct ClaudeArgs {
    /// Convert ~/.claude/settings.json into ~/.cursor/hooks.json
    #[arg(long, conflicts_with = "project")]
    user: bool,
    /// Convert the workspace's settings into its .cursor/hooks.json [default]
    #[arg(long)]
    project: bool,
    /// Print the hooks.json instead of writing it
    #[arg(long)]
    dry_run: bool,
}

pub fn convert(ui: &mut Ui, global: &Global, args: &ClaudeArgs) -> Result<Status, Failed> {
    let settings = settings(ui, global, &[])?;
    let Places { sources, target, root } = places(&settings, args)?;
    stays_below(&root, &target)?;
    let text = read(&target)?.unwrap_or_default();
    let present = config::read(text.as_bytes(), settings.edition).definitions;
    let mut conversion = Conversion {
        of_user: args.user,
        present,
        entries: Vec::new(),
        problems: Vec::new(),
        found: 0,
        there: 0,
    };
    for file in &sources {
        if let Some(text) = read(file)? {
            conversion.add(file, config::read_settings(text.as_bytes(), settings.edition, Shape::Claude));
        }
    }
    let mut texts = Texts::default();
    conversion.problems.iter().for_each(|problem| report::problem(ui, problem, &mut texts));
    let converted = add_entries(&text, &conversion.entries).map_err(|problem| {
        Failed::other(
            format!("{}: {}", target.display(), problem.message),
            "`boathook check` says what is wrong with it",
        )
    })?;
    if args.dry_run {
        ui.line(converted.trim_end());
        return Ok(conversion.status());
    }
    if conversion.entries.is_empty() {
        nothing_new(ui, &conversion, &sources, &target);
    } else {
        put(&root, &target, &converted, Access::Read)?;
        wrote(ui, conversion.entries.len(), &target);
    }
    Ok(conversion.status())
}

/// What is read, what is written, and the folder it must not leave.
struct Places {
    sources: Vec<PathBuf>,
    target: PathBuf,
    root: PathBuf,
}

fn places(settings: &Settings, args: &ClaudeArgs) -> Result<Places, Failed> {
    let roots = &settings.roots;
    if args.user {
        let from = Source::claude_user(&roots.home, None, Shape::Claude).file;
        let user = Source::user(&roots.home);
        return Ok(Places { sources: vec![from], target: user.file, root: user.run_dir });
    }
    let Some(root) = roots.workspaces.first() else {
        return Err(Failed::other("there is no workspace", "name one with `--workspace DIR`"));
    };
    let from = [false, true].map(|local| Source::claude_project(root, local, Shape::Claude).file);
    Ok(Places { sources: from.to_vec(), target: Source::project(root).file, root: root.clone() })
}

/// The text of a file; none when there is no such file.
fn read(file: &Path) -> Result<Option<String>, Failed> {
    let help = "only a readable text file can be converted";
    match read_file::read(file, CONFIG_LIMIT, Owner::Anybody) {
        Ok(read) => match String::from_utf8(read.bytes) {
            Ok(text) => Ok(Some(text)),
            Err(_) => Err(Failed::other(format!("{}: it is not UTF-8", file.display()), help)),
        },
        Err(ReadError::Absent) => Ok(None),
        Err(error) => Err(Failed::other(format!("{}: {error}", file.display()), help)),
    }
}

/// What became of the hooks so far.
struct Conversion {
    of_user: bool,
    /// What stands in the native file already.
    present: Vec<Definition>,
    entries: Vec<NewEntry>,
    problems: Vec<Problem>,
    found: usize,
    /// How many of them the native file has already.
    there: usize,
}

impl Conversion {
    fn add(&mut self, file: &Path, read: config::Config) {
        let told = read.problems.into_iter().filter(|problem| problem.severity > Severity::Hint);
        let mut problems: Vec<Problem> = told.collect();
        for definition in &read.definitions {
            self.found += 1;
            match to_native(definition, self.of_user) {
                Ok(native) => {
                    let notes =
                        native.notes.iter().map(|note| placed(Problem::hint("converted", note), definition));
                    let entry = NewEntry { event: definition.event, fields: native.fields };
                    if self.stands(&entry) {
                        self.there += 1;
                    } else {
                        problems.extend(notes);
                        self.entries.push(entry);
                    }
                }
                Err(reason) => {
                    let message = format!("this hook is not converted: {reason}");
                    let problem = Problem::warning("not-converted", message);
                    problems.push(placed(problem, definition).help("it stays in the settings"));
                }
            }
        }
        problems.sort_by_key(|problem| problem.place.as_ref().map(|place| place.bytes.start));
        problems.iter_mut().for_each(|problem| problem.file = Some(file.to_owned()));
        self.problems.extend(problems);
    }

    /// Whether the entry stands in the file, or among those to be written.
    fn stands(&self, entry: &NewEntry) -> bool {
        let text = |name: &str| entry.fields.get(name).and_then(|value| value.as_str()).unwrap_or_default();
        let label = if text("command").is_empty() { text("prompt") } else { text("command") };
        let same = |hook: &Definition| {
            hook.event == entry.event && hook.label() == label && hook.matcher.pattern() == text("matcher")
        };
        let twin = |other: &NewEntry| other.event == entry.event && other.fields == entry.fields;
        self.present.iter().any(same) || self.entries.iter().any(twin)
    }

    fn status(&self) -> Status {
        let failed = self.problems.iter().any(|problem| problem.severity > Severity::Hint);
        if failed { Status::Failure } else { Status::Success }
    }
}

fn placed(problem: Problem, definition: &Definition) -> Problem {
    match &definition.place {
        Some(place) => problem.at(place.clone()),
        None => problem,
    }
}

fn nothing_new(ui: &mut Ui, conversion: &Conversion, sources: &[PathBuf], target: &Path) {
    if conversion.found == 0 {
        let files: Vec<String> = sources.iter().map(|file| file.display().to_string()).collect();
        ui.say(&format!("there are no hooks in {}", files.join(" or ")));
    } else if conversion.there == 0 {
        ui.say(&format!("none of them can be written to {}; nothing is written", target.display()));
    } else {
        ui.say(&format!("{} has them already; nothing is written", target.display()));
    }
}

fn wrote(ui: &mut Ui, count: usize, target: &Path) {
    let hooks = if count == 1 { "1 hook".to_owned() } else { format!("{count} hooks") };
    ui.say(&format!("wrote {hooks} to {}", target.display()));
    ui.hint("Claude Code's settings are read as well, so these hooks now run twice here: remove them there, or write `[third_party] claude = false` into config.toml");
}
