//! Where one run happens: a home, a project, and what the hooks wrote down.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

use crate::Outcome;

/// The directories of one run.
pub struct Place {
    /// Everything is below it.
    pub root: PathBuf,
    /// `$HOME`, clean.
    pub home: PathBuf,
    /// A git repository.
    pub project: PathBuf,
    /// What each hook was given.
    records: PathBuf,
    /// `$TMPDIR`, gone with the run. It is short: sockets are made there.
    pub temporary: PathBuf,
    /// A file that connects the agent, once it is connected.
    pub connection: OnceLock<PathBuf>,
}

/// Agents unpack libraries there and leave them.
impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.temporary);
    }
}

static RUNS: AtomicUsize = AtomicUsize::new(0);

impl Place {
    /// Empty, whatever an earlier run left there.
    pub fn fresh(root: PathBuf) -> Outcome<Place> {
        if root.exists() {
            fs::remove_dir_all(&root).map_err(|error| cannot("empty", &root, &error))?;
        }
        let [home, project, records] = ["home", "project", "records"].map(|name| root.join(name));
        let number = RUNS.fetch_add(1, Ordering::Relaxed);
        let temporary = PathBuf::from(format!("/tmp/boathook-{}-{number}", std::process::id()));
        for directory in [&home, &project, &records, &temporary] {
            fs::create_dir_all(directory).map_err(|error| cannot("make", directory, &error))?;
        }
        let git = Command::new("git").args(["init", "--quiet"]).arg(&project).stdin(Stdio::null()).status();
        match git {
            Ok(status) if status.success() => {
                let connection = OnceLock::new();
                Ok(Place { root, home, project, records, temporary, connection })
            }
            Ok(status) => Err(format!("`git init` failed ({status})")),
            Err(error) => Err(format!("`git init` did not start: {error}")),
        }
    }

    /// Removes everything of the run.
    pub fn remove(&self) {
        if let Err(error) = fs::remove_dir_all(&self.root) {
            eprintln!("{}", cannot("remove", &self.root, &error));
        }
    }

    /// Writes a file and the directories above it. The path is relative to the root.
    pub fn write(&self, path: &str, text: &str) -> Outcome<PathBuf> {
        let file = self.root.join(path);
        let above = file.parent().unwrap_or(&self.root);
        fs::create_dir_all(above).map_err(|error| cannot("make", above, &error))?;
        fs::write(&file, text).map_err(|error| cannot("write", &file, &error))?;
        Ok(file)
    }

    /// Writes a program.
    pub fn write_program(&self, path: &str, text: &str) -> Outcome<PathBuf> {
        let file = self.write(path, text)?;
        let mode = fs::Permissions::from_mode(0o755);
        fs::set_permissions(&file, mode).map_err(|error| cannot("mark", &file, &error))?;
        Ok(file)
    }

    /// A JSON file, or an empty object where there is none.
    pub fn read_json(&self, path: &str) -> Outcome<Value> {
        let file = self.root.join(path);
        match fs::read_to_string(&file) {
            Ok(text) => serde_json::from_str(&text).map_err(|error| format!("{}: {error}", file.display())),
            Err(_) => Ok(Value::Object(serde_json::Map::new())),
        }
    }

    /// Where the hook of this name writes down what it is given.
    pub fn record(&self, hook: &str) -> PathBuf {
        self.records.join(format!("{hook}.jsonl"))
    }

    /// What the hook of this name was given, call by call.
    pub fn recorded(&self, hook: &str) -> Vec<Value> {
        let text = fs::read_to_string(self.record(hook)).unwrap_or_default();
        let values = serde_json::Deserializer::from_str(&text).into_iter::<Value>();
        values.map(|value| value.unwrap_or_else(|_| Value::String("no JSON".to_owned()))).collect()
    }

    /// The records of Boathook's log.
    pub fn logged(&self) -> Vec<Value> {
        let files = fs::read_dir(self.home.join(".local/state/boathook/log")).into_iter().flatten().flatten();
        let texts = files.map(|file| fs::read_to_string(file.path()).unwrap_or_default());
        let values = |text: String| -> Vec<Value> {
            text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
        };
        texts.flat_map(values).collect()
    }

    /// Whether a file exists in the project.
    pub fn has(&self, name: &str) -> bool {
        self.project.join(name).exists()
    }

    /// A path of the project; one that begins with `@` or `./` stays as written.
    pub fn spelt(&self, path: &str) -> String {
        if path.starts_with('@') || path.starts_with("./") {
            return path.to_owned();
        }
        text_of(&self.project.join(path))
    }

    /// The copy of Boathook that this run may lose.
    pub fn program(&self) -> PathBuf {
        self.root.join("bin/boathook")
    }

    /// A text of a scenario with this run's directories in it.
    pub fn fill(&self, text: &str) -> String {
        let connection = self.connection.get().map(|file| text_of(file)).unwrap_or_default();
        let text = text.replace("@RECORDS@", &text_of(&self.records)).replace("@CONNECTION@", &connection);
        let text = text.replace("@PROGRAM@", &text_of(&self.program()));
        text.replace("@PROJECT@", &text_of(&self.project)).replace("@HOME@", &text_of(&self.home))
    }
}

/// A path as text; ours are.
pub fn text_of(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn cannot(verb: &str, path: &Path, error: &std::io::Error) -> String {
    format!("cannot {verb} {}: {error}", path.display())
}
