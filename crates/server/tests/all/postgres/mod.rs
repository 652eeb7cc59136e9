//! A PostgreSQL of the tests' own: a cluster in a folder of its own, on a Unix
//! socket, gone when the test's process is gone, however that ends.
//!
//! `BOATHOOK_TEST_POSTGRES` names the folder with `bin/initdb` and
//! `bin/postgres`. PostgreSQL refuses to run as root: root starts it as
//! `nobody`.
//!
//! Shared with other crates' tests by `#[path]`; needs the standard library
//! alone.

#![cfg(unix)]

mod talk;

use std::fs::{self, DirBuilder};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// Nobody, as root sees it.
const NOBODY: u32 = 65534;
/// How long PostgreSQL may take to come up on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// Runs the server until its input ends, then removes all of it; at the word
/// `stop` it lets clients finish nothing and keeps the data.
const KEEPER: &str = r#"
folder=$1; shift
"$@" </dev/null >>"$folder/log" 2>&1 &
server=$!
if read -r word; then kill -INT "$server"; else kill -QUIT "$server"; fi
wait "$server"
[ -n "$word" ] || rm -rf "$folder"
"#;

/// A running cluster.
pub struct Cluster {
    seat: Seat,
    programs: PathBuf,
    keeper: Child,
}

/// Where a cluster lives, and as whom.
struct Seat {
    folder: PathBuf,
    /// Another user than the one who runs the tests.
    user: Option<u32>,
}

/// The cluster that all tests of this process share; nothing, said aloud, when
/// there is no PostgreSQL.
pub fn shared() -> Option<&'static Cluster> {
    static SHARED: OnceLock<Option<Cluster>> = OnceLock::new();
    SHARED.get_or_init(Cluster::start).as_ref()
}

impl Cluster {
    /// A new cluster, when the environment names a PostgreSQL.
    pub fn start() -> Option<Cluster> {
        let named = std::env::var_os("BOATHOOK_TEST_POSTGRES").filter(|named| !named.is_empty());
        let Some(named) = named else {
            eprintln!(
                "skipped: nothing was tried on PostgreSQL; set BOATHOOK_TEST_POSTGRES to the folder that has \
                 bin/initdb and bin/postgres (cargo xtask test does)"
            );
            return None;
        };
        let seat = Seat::new();
        let programs = seat.readable_programs(Path::new(&named));
        seat.initialise(&programs);
        let keeper = seat.keep(&programs);
        let cluster = Cluster { seat, programs, keeper };
        cluster.wait_until_it_answers();
        Some(cluster)
    }

    /// An empty database: its address.
    pub fn database(&self) -> String {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("t{}_{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        self.ask("postgres", &format!("CREATE DATABASE {name}"));
        format!("postgres://boathook@localhost/{name}?host={}", self.seat.folder.display())
    }

    /// Does something as the database's owner.
    pub fn ask(&self, database: &str, statement: &str) {
        talk::ask(&self.socket(), database, statement).expect("PostgreSQL does what it is asked");
    }

    /// Ends the connections of everybody else to the database of an address.
    pub fn cut_off(&self, address: &str) {
        let name =
            address.split('/').nth(3).and_then(|rest| rest.split('?').next()).expect("an address of ours");
        let all = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()";
        self.ask("postgres", &format!("{all} AND datname = '{name}'"));
    }

    /// Stops the server. The data stay.
    pub fn stop(&mut self) {
        let mut input = self.keeper.stdin.take().expect("the keeper listens");
        input.write_all(b"stop\n").expect("the keeper listens");
        self.keeper.wait().expect("the keeper ends");
    }

    /// Starts the server again.
    pub fn start_again(&mut self) {
        self.keeper = self.seat.keep(&self.programs);
        self.wait_until_it_answers();
    }

    fn socket(&self) -> PathBuf {
        self.seat.folder.join(".s.PGSQL.5432")
    }

    fn wait_until_it_answers(&self) {
        let start = Instant::now();
        while let Err(error) = talk::ask(&self.socket(), "postgres", "SELECT 1") {
            let log = || fs::read_to_string(self.seat.folder.join("log")).unwrap_or_default();
            assert!(start.elapsed() < PATIENCE, "PostgreSQL does not answer: {error}\n{}", log());
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        drop(self.keeper.stdin.take());
        let _ = self.keeper.wait();
    }
}

/// A start that fails leaves nothing behind either.
impl Drop for Seat {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

impl Seat {
    /// A new folder whose path is short enough for a socket.
    fn new() -> Seat {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("boathook-pg-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let folder = Path::new("/tmp").join(name);
        let _ = fs::remove_dir_all(&folder);
        DirBuilder::new().mode(0o700).create(&folder).expect("a folder for PostgreSQL");
        // Who made the folder is who we are.
        let root = fs::metadata(&folder).expect("our own folder").uid() == 0;
        let user = root.then_some(NOBODY);
        if user.is_some() {
            chown(&folder, user, user).expect("root may give a folder away");
        }
        Seat { folder, user }
    }

    /// The programs where the server's user can read them. A checkout in root's
    /// home cannot be read by anybody else: then they are copied.
    fn readable_programs(&self, named: &Path) -> PathBuf {
        let works = |program: PathBuf| {
            let mut version = self.command(&program);
            version.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
            version.status().is_ok_and(|status| status.success())
        };
        if works(named.join("bin/postgres")) {
            return named.to_owned();
        }
        let copy = self.folder.join("postgres");
        let copied = Command::new("cp").arg("-RL").arg(named).arg(&copy).status().expect("`cp` starts");
        assert!(copied.success(), "{} cannot be copied", named.display());
        // Theirs, so that the keeper can remove it.
        if let Some(user) = self.user {
            let mut give = Command::new("chown");
            let given =
                give.arg("-R").arg(format!("{user}:{user}")).arg(&copy).status().expect("`chown` starts");
            assert!(given.success(), "{} cannot be given away", copy.display());
        }
        assert!(works(copy.join("bin/postgres")), "{} does not run", named.display());
        copy
    }

    fn initialise(&self, programs: &Path) {
        let mut initdb = self.command(&programs.join("bin/initdb"));
        initdb.args(["--username=boathook", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"]);
        let output = initdb.arg("-D").arg(self.folder.join("data")).output().expect("`initdb` starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "`initdb` failed: {said}");
    }

    fn keep(&self, programs: &Path) -> Child {
        let mut keeper = self.command(Path::new("/bin/sh"));
        keeper.args(["-c", KEEPER, "keeper"]).arg(&self.folder).arg(programs.join("bin/postgres"));
        keeper.arg("-D").arg(self.folder.join("data")).arg("-k").arg(&self.folder);
        for setting in ["listen_addresses=", "fsync=off", "full_page_writes=off", "max_connections=100"] {
            keeper.args(["-c", setting]);
        }
        keeper.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        keeper.spawn().expect("`sh` starts")
    }

    /// A program as the user who may run the server.
    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.folder).env_remove("PGDATA").env("LC_ALL", "C");
        if let Some(user) = self.user {
            command.uid(user).gid(user);
        }
        command
    }
}
