//! The run directory of one case: its files, its placeholders, and what its
//! hooks left behind.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use tempfile::TempDir;

use super::case::{Case, Trusted};

/// A run directory; it is removed with the value.
pub struct Layout {
    _keep: TempDir,
    root: PathBuf,
}

impl Layout {
    /// The directories, and the case's files in them.
    pub fn of(case: &Case) -> Layout {
        let keep = tempfile::tempdir().expect("a run directory");
        let root = keep.path().canonicalize().expect("the directory was just made");
        let layout = Layout { _keep: keep, root };
        for name in
            ["project", "home", "system", "state", "config", "case"].into_iter().chain([case.cwd.as_str()])
        {
            fs::create_dir_all(layout.path(name)).expect("a directory");
        }
        for name in &case.workspaces {
            fs::create_dir_all(layout.path(name)).expect("a workspace");
        }
        layout.write(&case.files);
        layout
    }

    /// A path in the run directory.
    pub fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// The workspaces the case names.
    pub fn workspaces(&self, case: &Case) -> Vec<PathBuf> {
        case.workspaces.iter().map(|name| self.path(name)).collect()
    }

    /// The workspaces that are trusted before the first step and have something to trust.
    pub fn trusted(&self, case: &Case) -> Vec<PathBuf> {
        let names: &[String] = match &case.trusted {
            Trusted::All(true) => &case.workspaces,
            Trusted::All(false) => &[],
            Trusted::These(names) => names,
        };
        let paths = names.iter().map(|name| self.path(name));
        let files = [".cursor/hooks.json", ".claude/settings.json", ".claude/settings.local.json"];
        let has_hooks = |path: &PathBuf| files.iter().any(|file| path.join(file).exists());
        let plugins = !self.plugin_options(case).is_empty();
        paths.filter(|path| plugins || has_hooks(path)).collect()
    }

    /// `--plugin-dir` and its values, as far as the case has them.
    pub fn plugin_options(&self, case: &Case) -> Vec<String> {
        let pairs = case.options.windows(2).filter(|pair| pair[0] == "--plugin-dir");
        pairs.flatten().map(|option| self.fill(option)).collect()
    }

    /// The environment of the case.
    pub fn env(&self, case: &Case) -> Vec<(String, String)> {
        let own = [
            ("HOME", "home"),
            ("XDG_STATE_HOME", "state"),
            ("XDG_CONFIG_HOME", "config"),
            ("CASE_DIR", "case"),
        ];
        let path = ("PATH".to_owned(), std::env::var("PATH").unwrap_or_default());
        own.into_iter()
            .map(|(name, directory)| (name.to_owned(), self.path(directory).display().to_string()))
            .chain([path])
            .chain(case.env.iter().map(|(name, value)| (name.clone(), self.fill(value))))
            .collect()
    }

    /// Writes files; see the README for what a value means.
    pub fn write(&self, files: &Map<String, Value>) {
        for (name, value) in files {
            self.write_one(&self.path(name), name, value);
        }
    }

    /// Removes a file.
    pub fn remove(&self, name: &str) {
        fs::remove_file(self.path(name)).expect("a file to remove");
    }

    /// The text with its placeholders filled.
    pub fn fill(&self, text: &str) -> String {
        let places = [("[RUN]", ""), ("[PROJECT]", "project"), ("[HOME]", "home"), ("[CASE]", "case")];
        places.into_iter().fold(text.to_owned(), |text, (placeholder, directory)| {
            let path = if directory.is_empty() { self.root.clone() } else { self.path(directory) };
            text.replace(placeholder, &path.display().to_string())
        })
    }

    /// The value with the placeholders in its strings filled.
    pub fn fill_value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.fill(text)),
            Value::Array(items) => items.iter().map(|item| self.fill_value(item)).collect(),
            Value::Object(fields) => Value::Object(
                fields.iter().map(|(key, value)| (key.clone(), self.fill_value(value))).collect(),
            ),
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        }
    }

    /// What goes to stdin: an object compact, a string as it is.
    pub fn payload(&self, payload: Option<&Value>) -> String {
        match payload {
            None => "{}".to_owned(),
            Some(Value::String(text)) => self.fill(text),
            Some(other) => repeated(&self.fill_value(other)).to_string(),
        }
    }

    /// Who ran since the record was last emptied, sorted.
    pub fn ran(&self) -> Vec<String> {
        let mut names: Vec<String> =
            self.text("case/ran").unwrap_or_default().lines().map(str::to_owned).collect();
        names.sort();
        names
    }

    /// Empties the record of who ran.
    pub fn forget_who_ran(&self) {
        let _ = fs::remove_file(self.path("case/ran"));
    }

    /// The text of a file, if it is there.
    pub fn text(&self, name: &str) -> Option<String> {
        fs::read(self.path(name)).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    fn write_one(&self, path: &Path, name: &str, value: &Value) {
        fs::create_dir_all(path.parent().expect("a file stands in a directory")).expect("directories");
        let mode = if name.ends_with(".sh") { 0o755 } else { 0o644 };
        match value {
            Value::Object(link) if link.contains_key("link") => {
                symlink(self.fill(link["link"].as_str().expect("a target")), path).expect("a link");
            }
            Value::Object(file) if file.contains_key("mode") => {
                let mode = file["mode"].as_str().expect("a mode as text");
                let mode = u32::from_str_radix(mode, 8).expect("an octal mode");
                write_text(path, &self.text_of(&file["text"]), mode);
            }
            other => write_text(path, &self.text_of(other), mode),
        }
    }

    fn text_of(&self, value: &Value) -> String {
        match value {
            Value::String(text) => self.fill(text),
            Value::Array(lines) => lines
                .iter()
                .map(|line| format!("{}\n", self.fill(line.as_str().expect("a line of text"))))
                .collect(),
            other => serde_json::to_string_pretty(&self.fill_value(other)).expect("JSON"),
        }
    }
}

fn write_text(path: &Path, text: &str, mode: u32) {
    fs::write(path, text).expect("a file");
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("permissions");
}

/// `{"$repeat": ["x", 3]}` becomes `"xxx"`.
fn repeated(value: &Value) -> Value {
    match value {
        Value::Object(fields) => match fields.get("$repeat") {
            Some(repeat) => {
                let text = repeat[0].as_str().expect("a text to repeat");
                let times = repeat[1].as_u64().expect("a number of times");
                Value::String(text.repeat(usize::try_from(times).expect("a small number")))
            }
            None => Value::Object(fields.iter().map(|(key, value)| (key.clone(), repeated(value))).collect()),
        },
        Value::Array(items) => items.iter().map(repeated).collect(),
        other => other.clone(),
    }
}
