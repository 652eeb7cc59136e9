//! Who listens is known before anything is said, and where no daemon can help nobody is asked.

#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use boathook_engine::remote::Reason;

use crate::context::{TestContext, pipe};
use crate::false_daemon::{ALLOWED, FalseDaemon, ask, guarded, place, response, state};

/// A listener in Python: the standard library can neither choose the length of a
/// queue nor become somebody else. None, and said aloud, without Python.
struct Listener(Child);

impl Listener {
    /// Runs this before it listens, with this queue; never takes a call.
    fn new(cx: &TestContext, before: &str, queue: u32) -> Option<Listener> {
        let program = format!(
            "import os, socket, sys\ns = socket.socket(socket.AF_UNIX)\ns.bind(sys.argv[1])\n{before}\ns.listen({queue})\nprint('ready', flush=True)\nsys.stdin.read()"
        );
        let mut command = Command::new("python3");
        command.args(["-c", &program]).arg(place(cx)).stdin(Stdio::piped()).stdout(Stdio::piped());
        let Ok(mut child) = command.spawn() else {
            println!("SKIPPED: python3 is missing, so nobody listens as this test needs it");
            return None;
        };
        let mut line = String::new();
        let stdout = child.stdout.take().expect("a pipe");
        BufReader::new(stdout).read_line(&mut line).expect("a line");
        assert_eq!(line, "ready\n", "it listens");
        Some(Listener(child))
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_queue_that_is_full_holds_nobody() {
    let cx = guarded();
    let Some(_listener) = Listener::new(&cx, "pass", 0) else { return };
    let _only = UnixStream::connect(place(&cx)).expect("the one place there is");
    let asked = ask(&cx);
    assert!(matches!(asked.reason, Some(Reason::NotTaken(_))), "{asked:?}");
    assert!(asked.handled.blocked);
    let output = cx.output(["daemon", "status"]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(stderr.contains("the daemon did not take the call within 250 ms"), "{stderr}");
}

/// E07, the client's side: where others could have put the socket, nobody asks.
#[test]
fn e07_a_socket_that_others_could_have_made_is_never_asked() {
    let mut cases: Vec<(&str, fn(&Path), &str)> = vec![
        ("a folder that all may write to", |state| chmod(&state.join("daemon"), 0o777), "writable by others"),
        ("one for its group", |state| chmod(&state.join("daemon"), 0o770), "writable by others"),
        ("a state directory that all may write to", |state| chmod(state, 0o777), "writable by others"),
        ("a linked folder", |state| move_away(&state.join("daemon")), "symbolic link"),
        ("a linked state directory", move_away, "symbolic link"),
    ];
    match is_root() {
        true => cases.extend([(
            "a folder of somebody else's",
            give_away as fn(&Path),
            "owned by another user (uid 65534)",
        )]),
        false => println!("SKIPPED: only root can give a folder away"),
    }
    for (name, spoil, expected) in cases {
        let cx = guarded();
        let daemon = FalseDaemon::new(&cx, |talk| {
            let id = talk.hear();
            talk.say(&response(&id, ALLOWED));
            talk.wait();
        });
        assert!(!ask(&cx).handled.blocked, "{name}: he would be believed");
        let heard = daemon.heard();
        spoil(&state(&cx));
        let asked = ask(&cx);
        assert!(asked.handled.blocked, "{name}: {asked:?}");
        let fallback = asked.handled.fallback.unwrap_or_default();
        assert!(fallback.contains("not to be trusted") && fallback.contains(expected), "{name}: {fallback}");
        assert_eq!(daemon.heard(), heard, "{name}: he was told nothing");
    }
}

/// E05, E07: he who listens is known by the system and not by the folder.
#[cfg(target_os = "linux")]
#[test]
fn e07_a_listener_of_another_uid_is_never_asked() {
    if !is_root() {
        println!("SKIPPED: only root can have somebody else listen in its own folder");
        return;
    }
    let cx = guarded();
    let Some(_listener) = Listener::new(&cx, "os.setuid(65534)", 5) else { return };
    let asked = ask(&cx);
    assert!(matches!(&asked.reason, Some(Reason::Stranger(who)) if who == "uid 65534"), "{asked:?}");
    assert!(asked.handled.blocked);
}

#[test]
fn what_is_no_socket_or_a_stale_one_is_no_daemon() {
    let cases: [(&str, fn(&Path), bool); 4] = [
        ("a stale socket", |place| drop(UnixListener::bind(place).expect("a socket")), false),
        ("a file", |place| fs::write(place, "").expect("a file"), false),
        ("a folder", |place| fs::create_dir(place).expect("a folder"), false),
        ("a dangling link", |place| symlink("nowhere", place).expect("a link"), false),
    ];
    for (name, make, trouble) in cases {
        let cx = guarded();
        make(&place(&cx));
        let asked = ask(&cx);
        assert!(asked.handled.blocked, "{name}");
        assert_eq!(asked.handled.fallback.as_deref(), Some("no daemon"), "{name}");
        assert_eq!(asked.reason.is_some_and(|reason| reason.is_trouble()), trouble, "{name}");
    }
}

/// Inside a hook, and with what only the command knows, nobody is asked.
#[test]
fn run_asks_nobody_where_a_daemon_cannot_stand_for_it() {
    let cx = guarded();
    cx.write("plugin/hooks/hooks.json", r#"{"hooks": {}}"#);
    let daemon = FalseDaemon::new(&cx, |talk| {
        let id = talk.hear();
        talk.say(&response(&id, ALLOWED));
        talk.wait();
    });
    let plugin = cx.path("plugin").to_string_lossy().into_owned();
    let cases: [(&[&str], Option<&str>, &str); 3] = [
        (&["--trust"], None, "only this process knows what is trusted for this call alone"),
        (&["--plugin-dir", &plugin], None, "only this process knows which plugins were named"),
        (&[], Some("1"), "inside a hook the daemon is not asked"),
    ];
    for (words, depth, expected) in cases {
        let args = ["run", "beforeShellExecution", "--daemon", "--trace", "--field", "command=forbidden"];
        let mut command = cx.command(args.iter().chain(words));
        command.envs(depth.map(|depth| ("BOATHOOK_DEPTH", depth)));
        let output = pipe(command, b"");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{words:?}: {stderr}");
        assert!(stderr.contains(&format!("\"fallback\":\"{expected}\"")), "{words:?}: {stderr}");
        assert!(!stderr.contains("warning: the daemon"), "{words:?}: {stderr}");
    }
    assert_eq!(daemon.heard(), 0);
}

fn chmod(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("permissions");
}

fn move_away(path: &Path) {
    let away = path.with_extension("away");
    fs::rename(path, &away).expect("moved");
    symlink(&away, path).expect("a link");
}

fn give_away(state: &Path) {
    std::os::unix::fs::chown(state.join("daemon"), Some(65_534), None).expect("we are root");
}

/// A folder that was just made is its maker's.
fn is_root() -> bool {
    tempfile::tempdir().and_then(|dir| dir.path().metadata()).is_ok_and(|made| made.uid() == 0)
}
