//! What is bundled: a hooks.json and the files beside it, read once and
//! checked as a whole.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use boathook_engine::bundle::manifest::{LARGEST_SCRIPT, os_named};
use boathook_engine::bundle::name;
use boathook_engine::config::{self, Config};
use boathook_engine::definition::{Action, Definition};
use boathook_engine::edition::Edition;
use boathook_engine::problem::Severity;
use boathook_engine::read_file::{self, Owner};
use boathook_engine::source::Os;
use boathook_engine::trust::Scope;
use serde_json::Value;

use crate::error::Failed;

pub const HOOKS: &str = "hooks.json";
const SEAL: &str = "seal.json";
const SYSTEMS: &str = "_operating_systems";
/// No folder of hooks has more files.
const MOST_FILES: usize = 2000;

/// One file of a bundle.
#[derive(Debug, Clone)]
pub struct File {
    /// Below the folder of the hooks.json, with `/`.
    pub name: String,
    pub bytes: Vec<u8>,
    pub executable: bool,
}

/// All that is bundled.
#[derive(Debug)]
pub struct Content {
    folder: PathBuf,
    hooks: Vec<u8>,
    files: Vec<File>,
}

impl Content {
    /// Reads a folder. Anything that could not run elsewhere refuses the whole.
    pub fn read(folder: &Path) -> Result<Content, Failed> {
        let path = folder.join(HOOKS);
        let hooks = read_file::read(&path, read_file::CONFIG_LIMIT, Owner::Anybody)
            .map_err(|error| {
                Failed::other(format!("{}: {error}", path.display()), "name the folder that holds it")
            })?
            .bytes;
        let mut files = Vec::new();
        walk(folder, "", &mut files)?;
        let content = Content { folder: folder.to_owned(), hooks, files };
        content.check()?;
        Ok(content)
    }

    /// The files of a system: its own entries, and nothing that only others
    /// speak of.
    pub fn files_for(&self, os: Os) -> Vec<File> {
        let hooks = self.hooks_for(os);
        let config = config::read(&hooks, Edition::default());
        let own = self.scripts(&config);
        let (all, needed) =
            (self.mentioned(&config::read(&self.hooks, Edition::default())), self.mentioned(&config));
        let is_wanted = |file: &&File| needed.contains(&file.name) || !all.contains(&file.name);
        let first = File { name: HOOKS.to_owned(), bytes: hooks, executable: false };
        let mut files = vec![first];
        files.extend(self.files.iter().filter(is_wanted).cloned().map(|file| {
            let executable = file.executable || own.contains(&file.name);
            File { executable, ..file }
        }));
        files
    }

    fn check(&self) -> Result<(), Failed> {
        let path = self.folder.join(HOOKS);
        let config = config::read(&self.hooks, Edition::default());
        let mut problems = config.problems.clone();
        problems.extend(config::check_matchers(&config.definitions));
        if let Some(problem) = problems.iter().find(|problem| problem.severity == Severity::Error) {
            let line = problem.place.as_ref().map_or(1, |place| place.line);
            let text = format!("{}:{line}: {}", path.display(), problem.message);
            return Err(Failed::other(
                text,
                problem.help.clone().unwrap_or("`boathook check` says more".into()),
            ));
        }
        for definition in &config.definitions {
            self.check_script(definition)?;
        }
        self.check_systems(&path)
    }

    /// A command that names a script must find it in the bundle.
    fn check_script(&self, definition: &Definition) -> Result<(), Failed> {
        let Action::Command(command) = &definition.action else { return Ok(()) };
        let Some(script) = config::script_of(definition, &self.scope()) else { return Ok(()) };
        if command.starts_with('/') || command.starts_with('~') {
            return Ok(());
        }
        match self.named(&script) {
            Some(_) => Ok(()),
            None => Err(Failed::other(
                format!("`{command}` names {}, which is not in {}", script.display(), self.folder.display()),
                "put the script beside hooks.json and write \"command\": \"./NAME\": hooks run in that folder",
            )),
        }
    }

    fn check_systems(&self, path: &Path) -> Result<(), Failed> {
        if !self.says_systems() {
            return Ok(());
        }
        let wrong = |problem: String| {
            Failed::other(
                format!("{}: {problem}", path.display()),
                "write [\"Linux\", \"Macintosh\", \"Windows\"], or some of them",
            )
        };
        let mut hooks: Value = serde_json::from_slice(&self.hooks)
            .map_err(|error| wrong(format!("with `{SYSTEMS}` it must be JSON without comments: {error}")))?;
        for entry in entries(&mut hooks) {
            let Some(systems) = entry.get(SYSTEMS) else { continue };
            let names = systems.as_array().ok_or_else(|| wrong(format!("`{SYSTEMS}` is no list")))?;
            if let Some(name) = names.iter().find(|name| name.as_str().and_then(os_named).is_none()) {
                return Err(wrong(format!("`{SYSTEMS}` names {name}, which is no system")));
            }
        }
        Ok(())
    }

    /// The hooks.json of a system; as it stands where it is for all of them.
    fn hooks_for(&self, os: Os) -> Vec<u8> {
        if !self.says_systems() {
            return self.hooks.clone();
        }
        let Ok(mut hooks) = serde_json::from_slice::<Value>(&self.hooks) else { return self.hooks.clone() };
        for list in lists(&mut hooks) {
            list.retain(|entry| is_for(entry, os));
        }
        entries(&mut hooks).for_each(|entry| {
            entry.as_object_mut().map(|entry| entry.shift_remove(SYSTEMS));
        });
        if let Some(events) = hooks.get_mut("hooks").and_then(Value::as_object_mut) {
            events.retain(|_, list| list.as_array().is_none_or(|list| !list.is_empty()));
        }
        let text = serde_json::to_string_pretty(&hooks).unwrap_or_default() + "\n";
        text.into_bytes()
    }

    fn says_systems(&self) -> bool {
        String::from_utf8_lossy(&self.hooks).contains(SYSTEMS)
    }

    /// The files that the commands of a configuration name.
    fn scripts(&self, config: &Config) -> Vec<String> {
        let scope = self.scope();
        let paths = config.definitions.iter().filter_map(|definition| config::script_of(definition, &scope));
        paths.filter_map(|path| self.named(&path)).collect()
    }

    /// The files that commands speak of, and that those speak of in turn.
    fn mentioned(&self, config: &Config) -> BTreeSet<String> {
        let mut texts: Vec<String> = Vec::new();
        for definition in &config.definitions {
            if let Action::Command(command) = &definition.action {
                texts.push(command.clone());
            }
        }
        let mut found = BTreeSet::new();
        while let Some(text) = texts.pop() {
            for file in self.files.iter().filter(|file| mentions(&text, &file.name)) {
                if found.insert(file.name.clone()) {
                    texts.push(String::from_utf8_lossy(&file.bytes).into_owned());
                }
            }
        }
        found
    }

    fn named(&self, script: &Path) -> Option<String> {
        let below = script.strip_prefix(&self.folder).ok()?;
        let parts: Vec<&str> = below.iter().map(|part| part.to_str()).collect::<Option<_>>()?;
        let name = parts.into_iter().filter(|part| *part != ".").collect::<Vec<_>>().join("/");
        self.files.iter().any(|file| file.name == name).then_some(name)
    }

    fn scope(&self) -> Scope<'_> {
        Scope { os: Os::current(), run_dir: &self.folder, workspace: None, plugin: None, home: &self.folder }
    }
}

/// Whether a text names a file, as a word or at the end of a path.
fn mentions(text: &str, name: &str) -> bool {
    let part_of_a_name = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
    text.match_indices(name).any(|(at, _)| {
        let (before, after) = (text[..at].chars().next_back(), text[at + name.len()..].chars().next());
        !before.is_some_and(|c| part_of_a_name(c) || c == '.') && !after.is_some_and(part_of_a_name)
    })
}

fn lists(hooks: &mut Value) -> impl Iterator<Item = &mut Vec<Value>> {
    let events = hooks.get_mut("hooks").and_then(Value::as_object_mut);
    events.into_iter().flat_map(|events| events.values_mut()).filter_map(Value::as_array_mut)
}

fn entries(hooks: &mut Value) -> impl Iterator<Item = &mut Value> {
    lists(hooks).flatten()
}

fn is_for(entry: &Value, os: Os) -> bool {
    let Some(systems) = entry.get(SYSTEMS).and_then(Value::as_array) else { return true };
    systems.is_empty() || systems.iter().any(|name| name.as_str().and_then(os_named) == Some(os))
}

/// Every file below a folder but ours and hidden ones. Links are refused: what
/// they lead to is not in the folder.
fn walk(folder: &Path, above: &str, files: &mut Vec<File>) -> Result<(), Failed> {
    let failed = |error| Failed::file(folder, error);
    let mut entries: Vec<_> =
        fs::read_dir(folder).map_err(failed)?.collect::<Result<_, _>>().map_err(failed)?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let (path, plain) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        if plain.starts_with('.') || (above.is_empty() && [HOOKS, SEAL].contains(&plain.as_str())) {
            continue;
        }
        if let Some(reason) = name::refusal(&plain) {
            return Err(Failed::other(
                format!("{}: the name {reason}", path.display()),
                "give it another name",
            ));
        }
        let kind = entry.file_type().map_err(failed)?;
        if kind.is_dir() {
            walk(&path, &format!("{above}{plain}/"), files)?;
            continue;
        }
        if !kind.is_file() {
            let problem = format!("{} is no plain file", path.display());
            return Err(Failed::other(problem, "put the file itself there, or take it away"));
        }
        let read = read_file::hash(&path, LARGEST_SCRIPT, read_file::Links::Refused).map_err(|error| {
            Failed::other(format!("{}: {error}", path.display()), "take it away, or make it smaller")
        })?;
        let bytes = read.bytes.unwrap_or_default();
        files.push(File { name: format!("{above}{plain}"), bytes, executable: read.executable != 0 });
        if files.len() > MOST_FILES {
            let problem = format!("{} has more than {MOST_FILES} files", folder.display());
            return Err(Failed::other(problem, "name the folder that holds hooks and nothing else"));
        }
    }
    Ok(())
}
