//! A Node hook that is asked one question after another waits awake for the next, and sleeps when none comes.
#![cfg(target_os = "linux")]

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

const HOOK: &str = r#"import { serve } from "./boathook_hook.mjs";
serve((event) => ({ length: event.text.length, limit: Error.stackTraceLimit }));
"#;

/// A hook that stays, and a loop that asks it.
struct Asked {
    process: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    count: usize,
    _folder: tempfile::TempDir,
}

/// A hook that stays and reads this, with its folder.
fn started(stdin: impl Into<Stdio>) -> (Child, tempfile::TempDir) {
    let folder = tempfile::tempdir().expect("a folder");
    let helper = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../helpers/boathook_hook.mjs");
    fs::copy(helper, folder.path().join("boathook_hook.mjs")).expect("the helper");
    fs::write(folder.path().join("hook.mjs"), HOOK).expect("the hook");
    let process = Command::new("node")
        .arg(folder.path().join("hook.mjs"))
        .env("BOATHOOK_PERSISTENT", "1")
        .stdin(stdin)
        .stdout(Stdio::piped())
        .spawn()
        .expect("Node starts");
    (process, folder)
}

fn question(id: usize, length: usize) -> String {
    format!("{}\n", json!({ "id": id.to_string(), "input": { "text": "x".repeat(length) } }))
}

fn assert_answers(line: &str, id: usize, length: usize) {
    let answer: Value = serde_json::from_str(line).expect("JSON");
    assert_eq!(answer, json!({ "id": id.to_string(), "output": { "length": length, "limit": 10 } }));
}

impl Asked {
    fn start() -> Asked {
        let (mut process, folder) = started(Stdio::piped());
        let stdin = process.stdin.take();
        let stdout = BufReader::new(process.stdout.take().expect("its stdout"));
        Asked { process, stdin, stdout, count: 0, _folder: folder }
    }

    /// A text of this length is what it is asked about, and what it answers about.
    fn ask(&mut self, length: usize) {
        self.count += 1;
        let line = question(self.count, length);
        self.stdin.as_mut().expect("its stdin").write_all(line.as_bytes()).expect("it reads");
        let mut answer = String::new();
        self.stdout.read_line(&mut answer).expect("it answers");
        assert_answers(&answer, self.count, length);
    }

    /// How often it has its stdin open: once more from the first time on that it waited awake.
    fn ways_to_stdin(&self) -> usize {
        let folder = format!("/proc/{}/fd", self.process.id());
        let link = |name: &Path| fs::read_link(name).ok();
        let stdin = link(&Path::new(&folder).join("0"));
        let all = fs::read_dir(&folder).expect("its descriptors");
        all.filter(|fd| fd.as_ref().is_ok_and(|fd| link(&fd.path()) == stdin)).count()
    }

    fn sleeps_in_the_read(&self) -> bool {
        let place = fs::read_to_string(format!("/proc/{}/wchan", self.process.id()));
        place.is_ok_and(|place| place.contains("pipe"))
    }

    /// How long it was at work, in the kernel's steps of ten milliseconds.
    fn worked(&self) -> u64 {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.process.id())).expect("its state");
        let behind_its_name = stat.rsplit(')').next().unwrap_or_default();
        let times = behind_its_name.split_ascii_whitespace().skip(11).take(2);
        times.map(|time| time.parse::<u64>().expect("a number")).sum()
    }
}

fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < Duration::from_secs(20), "not so: {what}");
    }
}

#[test]
fn every_question_is_answered_awake_or_asleep() {
    let mut hook = Asked::start();
    wait_until("it waits awake", || {
        hook.ask(100);
        hook.ways_to_stdin() == 2
    });
    // Through its sleeps and wakes, and more than it reads at once.
    for length in (0..1000).map(|index| if index % 100 == 50 { 300_000 } else { index }) {
        hook.ask(length);
    }
    assert_eq!(hook.ways_to_stdin(), 2, "one more way is enough");
    hook.stdin = None;
    assert!(hook.process.wait().expect("it ends").success());
}

#[test]
fn questions_from_a_file_are_answered_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("questions");
    let questions: String = (0..1000).map(|id| question(id, 20_000)).collect();
    fs::write(&file, questions).expect("written");
    let (process, _folder) = started(fs::File::open(&file).expect("a file"));
    let output = process.wait_with_output().expect("it ends");
    assert!(output.status.success());
    let answers = String::from_utf8(output.stdout).expect("text");
    assert_eq!(answers.lines().count(), 1000);
    answers.lines().enumerate().for_each(|(id, line)| assert_answers(line, id, 20_000));
}

#[test]
fn nobody_stays_awake_for_long() {
    let mut hook = Asked::start();
    for _ in 0..300 {
        hook.ask(100);
    }
    wait_until("it sleeps in the read", || hook.sleeps_in_the_read());
    // Node's other threads may still tidy up behind the last answers.
    wait_until("it works no more while nobody asks", || {
        let before = hook.worked();
        std::thread::sleep(Duration::from_millis(500));
        hook.worked() - before <= 2
    });
    hook.ask(7);
    hook.process.kill().expect("killed");
    hook.process.wait().expect("it is gone");
}
