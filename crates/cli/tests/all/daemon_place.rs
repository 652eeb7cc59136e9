//! Where the daemon listens, and who gets there: one daemon for each state
//! directory, one user, and files of the system that start it.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::json;

use crate::context::{TestContext, one_hook};
use crate::served::{Served, Talk, until};

const STATE: &str = "home/.local/state/boathook";

fn mode(path: &Path) -> u32 {
    path.symlink_metadata().expect("it is there").mode() & 0o7777
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("permissions");
}

fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|us| us.uid() == 0)
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Asks for the status from a process of its own; prints what came of it.
const CLIENT: &str = r#"
import os, socket, sys
uid, path = int(sys.argv[1]), sys.argv[2]
os.setsid()
if uid:
    os.setgroups([]); os.setgid(uid); os.setuid(uid)
s = socket.socket(socket.AF_UNIX)
try:
    s.connect(path)
except OSError as error:
    print("not connected:", type(error).__name__); sys.exit()
try:
    s.sendall(b'{"jsonrpc":"2.0","id":1,"method":"status"}\n')
    print("answered" if s.recv(100) else "closed without a word")
except OSError as error:
    print("closed without a word")
"#;

/// None where there is no Python.
fn client(uid: u32, socket: &Path) -> Option<String> {
    let mut python = Command::new("python3");
    let output = python.args(["-c", CLIENT, &uid.to_string()]).arg(socket).current_dir("/").output().ok()?;
    assert!(output.status.success(), "{}", stderr(&output));
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

#[test]
fn e05_another_user_cannot_connect_and_another_session_of_ours_can() {
    let context = TestContext::new();
    let daemon = Served::start(&context);
    let socket = daemon.socket().clone();
    let folder = socket.parent().expect("a folder");
    assert_eq!((mode(folder), mode(&socket)), (0o700, 0o600));
    let Some(ours) = client(0, &socket) else { return eprintln!("NOT TRIED: there is no python3") };
    assert_eq!(ours, "answered", "another session of the same user");
    if !is_root() {
        return eprintln!("NOT TRIED: only root can become another user");
    }
    const NOBODY: u32 = 65_534;
    assert_eq!(client(NOBODY, &socket).as_deref(), Some("not connected: PermissionError"));
    for open in socket.ancestors().skip(1).take_while(|part| part.starts_with(context.path(""))) {
        set_mode(open, 0o755);
    }
    assert_eq!(
        client(NOBODY, &socket).as_deref(),
        Some("not connected: PermissionError"),
        "the socket's own mode"
    );
    set_mode(&socket, 0o666);
    assert_eq!(client(NOBODY, &socket).as_deref(), Some("closed without a word"), "the peer is looked at");
    assert_eq!(client(0, &socket).as_deref(), Some("answered"));
}

#[test]
fn e07_the_lock_decides_and_a_stale_socket_is_replaced() {
    let context = TestContext::new();
    let mut daemon = Served::start(&context);
    let pid = daemon.pid();
    let second = context.output(["daemon"]);
    assert_eq!(second.status.code(), Some(1));
    assert!(
        stderr(&second).contains(&format!("a daemon is running already (process {pid})")),
        "{}",
        stderr(&second)
    );
    daemon.talk().result("status", json!({}));
    let socket = daemon.socket().clone();
    let inode = socket.metadata().expect("a socket").ino();
    daemon.signal("KILL");
    daemon.wait();
    assert!(socket.symlink_metadata().expect("it is left").file_type().is_socket());
    let status = context.output(["daemon", "status"]);
    assert_eq!((status.status.code(), stderr(&status).contains("no daemon runs")), (Some(1), true));
    let daemon = Served::start(&context);
    assert_ne!(socket.metadata().expect("a socket").ino(), inode);
    assert_eq!(daemon.talk().result("status", json!({}))["pid"], daemon.pid());
}

#[test]
fn e07_what_others_could_have_prepared_is_refused() {
    type Prepare = fn(&TestContext);
    let cases: [(&str, Prepare, &str); 5] = [
        (
            "a folder that others may write to",
            |context| set_mode(&context.path(&format!("{STATE}/daemon")), 0o777),
            "writable by others",
        ),
        (
            "a state directory that others may write to",
            |context| set_mode(&context.path(STATE), 0o777),
            "writable by others",
        ),
        (
            "a folder that others may look into",
            |context| set_mode(&context.path(&format!("{STATE}/daemon")), 0o755),
            "open to others",
        ),
        (
            "a folder that is a link",
            |context| {
                let folder = context.path(&format!("{STATE}/daemon"));
                fs::rename(&folder, context.path("elsewhere")).expect("it moves");
                symlink(context.path("elsewhere"), folder).expect("a link");
            },
            "symbolic link",
        ),
        (
            "a file in the socket's place",
            |context| {
                context.write(&format!("{STATE}/daemon/socket"), "mine");
            },
            "is no socket",
        ),
    ];
    for (name, prepare, word) in cases {
        let context = TestContext::new();
        Served::start(&context).end();
        prepare(&context);
        let output = context.output(["daemon"]);
        assert_eq!(output.status.code(), Some(1), "{name}");
        assert!(stderr(&output).contains(word), "{name}: {}", stderr(&output));
    }
}

#[test]
fn e07_a_socket_that_somebody_put_in_our_place_is_not_removed_at_the_end() {
    let context = TestContext::new();
    let mut daemon = Served::start(&context);
    let socket = daemon.socket().clone();
    fs::remove_file(&socket).expect("it is ours");
    let other = UnixListener::bind(&socket).expect("a socket");
    assert!(daemon.end().success());
    assert!(socket.exists(), "it is not ours to remove");
    drop(other);
}

#[test]
fn a_state_directory_with_a_long_name_works_where_the_system_allows() {
    let context = TestContext::new();
    context.write("home/.cursor/hooks.json", one_hook("beforeShellExecution", "exit 2"));
    let long = context.path(&format!("home/{}", "long/".repeat(30)));
    fs::create_dir_all(&long).expect("directories");
    let with = |args: &[&str]| {
        let mut command = context.command(args);
        command.env("XDG_STATE_HOME", &long);
        command
    };
    if !cfg!(target_os = "linux") {
        let output = with(&["daemon"]).output().expect("it runs");
        return assert!(stderr(&output).contains("too long for the name of a socket"));
    }
    let mut daemon = Served::started(with(&["daemon"]));
    let status = with(&["daemon", "status", "--json"]).output().expect("it runs");
    let status: serde_json::Value = serde_json::from_slice(&status.stdout).expect("JSON");
    assert_eq!(status["pid"], daemon.pid());
    let folder = fs::File::open(long.join("boathook/daemon")).expect("the folder");
    let through = format!("/proc/self/fd/{}/socket", std::os::fd::AsRawFd::as_raw_fd(&folder));
    let mut talk = Talk::to(std::os::unix::net::UnixStream::connect(through).expect("it listens"));
    assert_eq!(talk.handle("beforeShellExecution", json!({}))["blocked"], true);
    assert!(daemon.end().success());
}

#[test]
fn a_daemon_is_stopped_and_says_how_it_is() {
    let context = TestContext::new();
    assert_eq!(stderr(&context.output(["daemon", "stop"])), "no daemon runs\n");
    let mut daemon = Served::start(&context);
    daemon.talk().handle("stop", json!({ "workspace_roots": [context.project()] }));
    let told = context.run(["daemon", "status"]);
    for word in [
        &format!("process     {}, version", daemon.pid()),
        "requests    2, 0 at work",
        "workspace   [PROJECT]",
    ] {
        assert!(told.contains(word), "{told}");
    }
    let waiting = std::thread::spawn(move || daemon.wait());
    let output = context.output(["daemon", "stop"]);
    assert!(output.status.success() && stderr(&output).contains("has ended"), "{}", stderr(&output));
    assert!(waiting.join().expect("it is waited for").success());
    assert!(!context.path(&format!("{STATE}/daemon/socket")).exists());
}

#[test]
fn a_file_for_the_system_is_written_once_and_nobody_elses_is_touched() {
    if !cfg!(target_os = "linux") {
        return eprintln!("NOT TRIED: this looks at a unit of systemd");
    }
    let context = TestContext::new();
    let file = context.path("home/.config/systemd/user/boathook.service");
    let said = |args: &[&str]| stderr(&context.output(args));
    let shown = context.output(["daemon", "install", "--dry-run"]);
    assert!(!file.exists());
    assert!(said(&["daemon", "install"]).contains("wrote "));
    let written = fs::read_to_string(&file).expect("a unit");
    assert_eq!(written.trim_end(), String::from_utf8_lossy(&shown.stdout).trim_end());
    let command = format!(
        "ExecStart=\"{}\" --root \"{}\" daemon\n",
        env!("CARGO_BIN_EXE_boathook"),
        context.path("system").display()
    );
    assert!(written.contains(&command), "{written}");
    let again = said(&["daemon", "install"]);
    assert!(again.contains("is there already") && again.contains("systemctl --user"), "{again}");
    assert!(said(&["daemon", "uninstall", "--dry-run"]).contains("would remove") && file.exists());
    assert!(said(&["daemon", "uninstall"]).contains("removed") && !file.exists());
    assert!(said(&["daemon", "uninstall"]).contains("is not there"));
    fs::write(&file, "[Service]\nExecStart=/bin/true\n").expect("a file");
    for args in [["daemon", "install"], ["daemon", "uninstall"]] {
        let output = context.output(args);
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(&output).contains("somebody else wrote it"), "{}", stderr(&output));
    }
    assert_eq!(fs::read_to_string(&file).expect("it stays"), "[Service]\nExecStart=/bin/true\n");
}

#[test]
fn options_of_every_command_stand_in_the_file_for_the_system() {
    if !cfg!(target_os = "linux") {
        return eprintln!("NOT TRIED: this looks at a unit of systemd");
    }
    let context = TestContext::new();
    context.write("project/my plugin/hooks/hooks.json", "{}");
    let here = context.path("project").canonicalize().expect("the project").display().to_string();
    let cases: [(&[&str], String); 5] = [
        (&[], "daemon".to_owned()),
        (&["--workspace", "."], format!(r#"--workspace "{here}" daemon"#)),
        (
            &["--plugin-dir", "my plugin", "--plugin-dir", "/opt/p", "--http"],
            format!(r#"--plugin-dir "{here}/my plugin" --plugin-dir "/opt/p" daemon --http"#),
        ),
        (&["--root", "image", "--edition", "2.3"], format!(r#"--root "{here}/image" --edition 2.3 daemon"#)),
        (&["--color", "never"], "daemon".to_owned()),
    ];
    let install = |options: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_boathook"));
        command.args(["daemon", "install", "--dry-run"]).args(options);
        command.current_dir(context.project()).env("HOME", context.path("home"));
        command.output().expect("it runs")
    };
    for (options, expected) in cases {
        let shown = install(options);
        let text = String::from_utf8_lossy(&shown.stdout).into_owned();
        let line = format!("ExecStart=\"{}\" {expected}\n", env!("CARGO_BIN_EXE_boathook"));
        assert!(text.contains(&line), "{options:?}: {text}{}", stderr(&shown));
    }
    let refused = install(&["--workspace", "gone"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(stderr(&refused).contains("gone"), "{}", stderr(&refused));
}

#[test]
fn those_who_start_at_once_become_one_daemon() {
    let context = TestContext::new();
    let mut started: Vec<_> = (0..8)
        .map(|_| {
            let mut command = context.command(["daemon"]);
            command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
            command.spawn().expect("it starts")
        })
        .collect();
    let mut left = 8;
    until("all but one give up", || {
        left = started.iter_mut().filter_map(|child| child.try_wait().expect("it can be waited for")).count();
        left >= 7
    });
    assert_eq!(left, 7);
    until("the one listens", || context.output(["daemon", "status"]).status.success());
    assert!(context.output(["daemon", "stop"]).status.success());
    started.iter_mut().for_each(|child| drop(child.wait()));
}
