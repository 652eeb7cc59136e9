//! The real team server on a database of its own, and its admin.

use std::fs::{self, DirBuilder, File};
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::command::{self, Outcome};
use crate::{dist, project};

const GUARD: &str = "#!/bin/sh\ncat >/dev/null\nexit 2\n";

/// A server that runs until it is dropped.
pub struct Server {
    child: Child,
    binary: PathBuf,
    folder: PathBuf,
    /// Where it answers.
    pub address: SocketAddr,
}

/// The binary that is measured, and how it was built.
pub fn binary() -> Outcome<(PathBuf, &'static str)> {
    let target = project::target()?;
    let shipped = dist::static_target().map(|name| target.join(name).join("release/boathook"));
    let built = [
        (shipped.unwrap_or_default(), "static release build"),
        (target.join("release/boathook"), "release build"),
        (target.join("debug/boathook"), "debug build"),
    ];
    let found = built.into_iter().find(|(path, _)| path.is_file());
    found.ok_or_else(|| "no binary is built: `cargo build` or `cargo xtask dist`".to_owned())
}

impl Server {
    /// Its first start: with one hook for everybody.
    pub fn start(binary: &Path) -> Outcome<Server> {
        let folder = project::target()?.join("soak").join(format!("fleet-{}", std::process::id()));
        let mut private = DirBuilder::new();
        private.recursive(true).mode(0o700);
        private.create(folder.join("home")).map_err(|error| format!("{}: {error}", folder.display()))?;
        let log = File::create(folder.join("log")).map_err(|error| error.to_string())?;
        let mut command = Command::new(binary);
        command.args(["serve", "--listen", "127.0.0.1:0", "--database"]).arg(folder.join("hooks.db"));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log);
        let mut child = command.spawn().map_err(|error| format!("{}: {error}", binary.display()))?;
        let told = child.stdout.take().map(told).unwrap_or_default();
        let address = told.url.strip_prefix("http://").and_then(|address| address.parse().ok());
        let Some(address) = address else {
            let _ = child.kill();
            return Err(format!("the server did not begin; see {}", folder.join("log").display()));
        };
        let server = Server { child, binary: binary.to_owned(), folder, address };
        server.admin(&["login", &told.url, "--token", &told.token])?;
        server.publish()?;
        Ok(server)
    }

    /// A token that machines enrol with.
    pub fn enrolment(&self) -> Outcome<String> {
        let line = self.admin(&["token", "new", "enrolment"])?;
        let mut words = line.split_whitespace().skip_while(|word| *word != "--token").skip(1);
        words.next().map(str::to_owned).ok_or_else(|| format!("no token in {line:?}"))
    }

    /// The most memory that it held so far, in MiB.
    pub fn memory(&self) -> Outcome<u64> {
        let path = format!("/proc/{}/status", self.child.id());
        let text = fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
        kilobytes.map(|kilobytes| kilobytes / 1024).ok_or_else(|| format!("{path}: no VmHWM"))
    }

    fn publish(&self) -> Outcome<()> {
        let script = self.folder.join("guard.sh");
        fs::write(&script, GUARD).map_err(|error| format!("{}: {error}", script.display()))?;
        self.admin(&["hook", "add", "beforeShellExecution", "--script", &script.display().to_string()])?;
        self.admin(&["publish"]).map(drop)
    }

    fn admin(&self, words: &[&str]) -> Outcome<String> {
        let mut command = Command::new(&self.binary);
        command.args(["team", "admin"]).args(words).current_dir(&self.folder);
        command.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", self.folder.join("home"));
        command::output_of(&mut command)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// What a server prints at its first start.
#[derive(Default)]
struct Told {
    token: String,
    url: String,
}

fn told(stdout: impl std::io::Read) -> Told {
    let mut told = Told::default();
    for line in BufReader::new(stdout).lines().map_while(Result::ok) {
        if let Some(token) = line.strip_prefix("sign-in token ") {
            told.token = token.to_owned();
        }
        // Its last line says where it answers.
        if let Some(url) = line.strip_prefix("serving ") {
            told.url = url.to_owned();
            break;
        }
    }
    told
}
