//! The daemon under those who mean no good, or too much: limits hold, and
//! others are served meanwhile.
#![cfg(unix)]

use std::collections::{BTreeMap, VecDeque};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::context::TestContext;
use crate::served::{PATIENCE, Served, Talk};

const DENY_RM: &str = r#"{"version":1,"hooks":{"beforeShellExecution":[
    {"command":"boathook rule rm","rule":{"shell":["rm"],"deny":"no"}}]}}"#;

/// Numbers that look random and are the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % sides as u64) as usize
    }

    fn bytes(&mut self, most: usize) -> Vec<u8> {
        (0..self.roll(most) + 1).map(|_| self.roll(256) as u8).collect()
    }
}

/// Somebody decent, who asks all the time and notes how long answers take.
struct Decent {
    stop: Arc<AtomicBool>,
    asking: JoinHandle<Vec<Duration>>,
}

impl Decent {
    /// Over one connection, or over a fresh one each time.
    fn asks(daemon: &Served, anew: bool) -> Decent {
        let stop = Arc::new(AtomicBool::new(false));
        let (stopped, socket) = (Arc::clone(&stop), daemon.socket().clone());
        let connect = move || Talk::to(UnixStream::connect(&socket).expect("it listens"));
        let asking = thread::spawn(move || {
            let (mut talk, mut took) = (connect(), Vec::new());
            while !stopped.load(Ordering::SeqCst) || took.len() < 20 {
                let start = Instant::now();
                if anew {
                    talk = connect();
                }
                let refused = took.len() % 2 == 0;
                let command = if refused { "rm x" } else { "ls" };
                let handled = talk.handle("beforeShellExecution", json!({ "command": command }));
                assert_eq!(handled["blocked"], refused, "{handled}");
                took.push(start.elapsed());
                thread::sleep(Duration::from_millis(2));
            }
            took
        });
        Decent { stop, asking }
    }

    /// Prints the 99th of a hundred. The machine may be busy with other things.
    fn was_served(self, how: &str) {
        self.stop.store(true, Ordering::SeqCst);
        let mut took = self.asking.join().expect("it was always answered");
        took.sort();
        let (median, late) = (took[took.len() / 2], took[took.len() * 99 / 100]);
        eprintln!("{how}: {} events, median {median:?}, p99 {late:?}", took.len());
        assert!(late < Duration::from_secs(30), "{how}: {late:?}");
    }
}

#[test]
fn e06_ten_thousand_connections_do_not_keep_others_out() {
    let context = TestContext::new();
    context.write("home/.cursor/hooks.json", DENY_RM);
    let mut daemon = Served::start(&context);
    let (open, anew) = (Decent::asks(&daemon, false), Decent::asks(&daemon, true));
    let mut dice = Dice(6);
    let mut held: VecDeque<UnixStream> = VecDeque::new();
    let start = Instant::now();
    for number in 0..10_000 {
        let mut stream = UnixStream::connect(daemon.socket()).expect("it listens");
        let begun: Vec<u8> = match number % 5 {
            0 => Vec::new(),
            1 => b"{".to_vec(),
            2 => [&[0xff, 0xff, 0xff, 0xff][..], &dice.bytes(100)].concat(),
            3 => dice.bytes(500),
            _ => br#"{"jsonrpc":"2.0","id":1,"method":"handle","params":{"event":"stop","payload":{"a":""#
                .to_vec(),
        };
        // It may be sent away before it said anything.
        let _ = stream.write_all(&begun);
        held.push_back(stream);
        if held.len() > 400 {
            held.pop_front();
        }
    }
    eprintln!("10,000 connections in {:?}", start.elapsed());
    let connected = daemon.talk().result("status", json!({}))["connections"].as_u64();
    assert!(connected.is_some_and(|connected| connected <= 320), "{connected:?}");
    open.was_served("over an open connection");
    anew.was_served("over a fresh one each time");
    assert!(daemon.is_alive());
    if let Some(peak) = daemon.memory("VmHWM") {
        eprintln!("at most {} MB", peak / 1024);
        assert!(peak < 400 * 1024, "{peak} kB");
    }
}

#[test]
fn e06_a_line_that_does_not_end_is_cut_off() {
    let context = TestContext::new();
    let daemon = Served::start(&context);
    let mut slow: Vec<Talk> = (0..3).map(|_| daemon.talk()).collect();
    slow[0].stream.write_all(b"{").expect("it reads");
    slow[1].stream.write_all(br#"{"jsonrpc":"2.0","#).expect("it reads");
    let start = Instant::now();
    // The third goes on, a byte at a time, and is no better off.
    let mut stream = slow[2].stream.try_clone().expect("a handle");
    let dribble = thread::spawn(move || {
        while stream.write_all(b" ").is_ok() {
            thread::sleep(Duration::from_millis(100));
        }
    });
    let mut idle = daemon.talk();
    for talk in &mut slow {
        let answer = talk.line().expect("an answer");
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&Value::Null, &json!(-32600)), "{answer}");
        assert_eq!(talk.line(), None, "it is closed");
    }
    assert!(start.elapsed() >= Duration::from_secs(9), "a slow one has its time");
    dribble.join().expect("it ends");
    idle.result("status", json!({}));
}

#[test]
fn a_line_that_is_too_long_is_refused_and_memory_is_bounded() {
    let context = TestContext::new();
    context.write("home/.cursor/hooks.json", DENY_RM);
    let mut daemon = Served::start(&context);
    let decent = Decent::asks(&daemon, false);
    let chunk = Arc::new(vec![b'x'; 1024 * 1024]);
    let long: Vec<JoinHandle<Vec<Value>>> = (0..6)
        .map(|_| {
            let (mut talk, chunk) = (daemon.talk(), Arc::clone(&chunk));
            thread::spawn(move || {
                // Sixty-five are too many; who waits for memory may be cut off.
                let sent = (0..65).take_while(|_| talk.stream.write_all(&chunk).is_ok()).count();
                eprintln!("{sent} MiB were read");
                std::iter::from_fn(|| talk.line()).collect()
            })
        })
        .collect();
    for long in long {
        let answers = long.join().expect("it is answered");
        let code = answers[0]["error"]["code"].as_i64();
        assert!(answers.len() == 1 && matches!(code, Some(-32_004 | -32_002 | -32_600)), "{answers:?}");
    }
    decent.was_served("beside long lines");
    let text = "y".repeat(20 * 1024 * 1024);
    let handled = daemon.talk().handle("beforeShellExecution", json!({ "command": "ls", "text": text }));
    assert_eq!(handled["blocked"], false, "a long line that is not too long is answered");
    assert!(daemon.is_alive());
    if let Some(peak) = daemon.memory("VmHWM") {
        eprintln!("at most {} MB", peak / 1024);
        assert!(peak < 800 * 1024, "{peak} kB");
    }
}

/// A line that is no good, or not quite.
fn hostile(dice: &mut Dice) -> Vec<u8> {
    const GOOD: [&str; 8] = [
        r#"{"jsonrpc":"2.0","id":1,"method":"handle","params":{"event":"beforeShellExecution","payload":{"command":"ls"}}}"#,
        r#"{"jsonrpc":"2.0","id":"x","method":"handle","params":{"event":"stop","payload":{"status":"completed"},"workspaces":["/"],"beat":true}}"#,
        r#"{"jsonrpc":"2.0","id":3,"method":"status"}"#,
        r#"{"jsonrpc":"2.0","id":4,"method":"has_hook","params":{"event":"stop"}}"#,
        r#"{"jsonrpc":"2.0","id":5,"method":"problems","params":{"workspaces":["/"]}}"#,
        r#"{"jsonrpc":"2.0","id":6,"method":"list","params":{"edition":"2.3","surface":"cloud"}}"#,
        r#"{"jsonrpc":"2.0","id":7,"method":"reload"}"#,
        r#"{"jsonrpc":"2.0","id":8,"method":"handle","params":{"event":"preToolUse","payload":{"tool_input":{"a":[1,2.5e300,null]}},"caller":{"version":"0","home":"/","config":"/","root":"/"}}}"#,
    ];
    const ODD: [&str; 10] = [
        "null",
        "\"\"",
        "-0e999",
        "{}",
        "[[[[",
        "{\"jsonrpc\":2.0}",
        "\u{feff}{}",
        "{\"id\":{}}",
        r#"{"jsonrpc":"2.0","id":1e999,"method":"status"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"status","method":7,"params":"x"}"#,
    ];
    let mut line = GOOD[dice.roll(GOOD.len())].as_bytes().to_vec();
    match dice.roll(8) {
        0 => line.truncate(dice.roll(line.len()) + 1),
        1 => line = dice.bytes(2_000),
        2 => line = ODD[dice.roll(ODD.len())].as_bytes().to_vec(),
        3 => line = [b"{\"a\":".repeat(dice.roll(20_000)), b"1".to_vec()].concat(),
        4 => {
            line =
                format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{}"}}"#, "m".repeat(dice.roll(100_000))).into()
        }
        5 => {
            let (at, other) = (dice.roll(line.len()), dice.bytes(8));
            line.splice(at..at, other);
        }
        _ => {
            for _ in 0..dice.roll(4) + 1 {
                let at = dice.roll(line.len());
                line[at] = dice.roll(256) as u8;
            }
        }
    }
    // One line each, and something in it.
    line.iter_mut().filter(|byte| matches!(byte, b'\n')).for_each(|byte| *byte = b'?');
    line.insert(0, if line[0].is_ascii_whitespace() { b'?' } else { line[0] });
    line.remove(1);
    line.push(b'\n');
    line
}

#[test]
fn ten_thousand_hostile_frames_are_each_answered_and_others_are_served() {
    let context = TestContext::new();
    context.write("home/.cursor/hooks.json", DENY_RM);
    let mut daemon = Served::start(&context);
    let decent = Decent::asks(&daemon, false);
    let senders: Vec<JoinHandle<()>> = (1..=5)
        .map(|number| {
            let stream = UnixStream::connect(daemon.socket()).expect("it listens");
            thread::spawn(move || send_hostile(stream, &mut Dice(number), 2_000))
        })
        .collect();
    senders.into_iter().for_each(|sender| sender.join().expect("every frame was answered"));
    decent.was_served("beside hostile frames");
    assert!(daemon.is_alive());
    assert!(daemon.end().success());
}

/// Each line has one answer, in whatever order.
fn send_hostile(stream: UnixStream, dice: &mut Dice, count: usize) {
    stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    let mut writer = stream.try_clone().expect("a handle");
    let reader = thread::spawn(move || {
        let lines = BufReader::new(stream).split(b'\n').map(|line| line.expect("it goes on"));
        let answers = lines.map(|line| serde_json::from_slice::<Value>(&line).expect("an answer is JSON"));
        answers.filter(|line| line.get("method").is_none()).take(count).count()
    });
    for _ in 0..count {
        let line = hostile(dice);
        // In pieces, now and then.
        let cut = if dice.roll(10) == 0 { dice.roll(line.len()) } else { 0 };
        writer.write_all(&line[..cut]).expect("it reads");
        writer.write_all(&line[cut..]).expect("it reads");
    }
    assert_eq!(reader.join().expect("it reads to the end"), count);
}

#[test]
fn who_does_not_read_is_not_read_from_and_loses_nothing() {
    let context = TestContext::new();
    context.write("home/.cursor/hooks.json", DENY_RM);
    let daemon = Served::start(&context);
    let mut stream = UnixStream::connect(daemon.socket()).expect("it listens");
    stream.set_write_timeout(Some(Duration::from_millis(700))).expect("a timeout");
    let line = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"status\"}\n";
    let sent = (0..200_000).take_while(|_| stream.write_all(line.as_bytes()).is_ok()).count();
    assert!(sent < 200_000, "all was read, though nothing was taken");
    assert_eq!(daemon.talk().handle("beforeShellExecution", json!({ "command": "rm x" }))["blocked"], true);
    stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    let lines = BufReader::new(stream).lines().take(sent);
    assert_eq!(lines.filter(|line| line.as_ref().is_ok_and(|line| line.contains("\"pid\""))).count(), sent);
}

#[test]
fn a_slow_subscriber_is_told_how_much_it_lost() {
    let context = TestContext::new();
    let daemon = Served::start(&context);
    let (mut talk, mut listener, mut quick) = (daemon.talk(), daemon.talk(), daemon.talk());
    listener.result("subscribe", json!({}));
    quick.result("subscribe", json!({}));
    let text = "z".repeat(200_000);
    for _ in 0..30 {
        talk.handle("stop", json!({ "text": text }));
        assert_eq!(quick.line().expect("a notice")["method"], "record", "who reads loses nothing");
    }
    let (mut heard, mut lost, mut sent) = (0, 0, 30);
    while lost == 0 {
        let line = listener.line().expect("a notice");
        match line["method"].as_str() {
            Some("record") => heard += 1,
            Some("lost") => lost += line["params"]["records"].as_u64().expect("a number"),
            other => panic!("{other:?}"),
        }
        // What was lost is told with the next record.
        talk.handle("stop", json!({}));
        sent += 1;
    }
    while heard + lost < sent {
        assert_eq!(listener.line().expect("a notice")["method"], "record");
        heard += 1;
    }
    eprintln!("{heard} records were heard and {lost} were lost");
}

#[test]
fn five_hundred_events_with_four_hooks_each_are_all_answered() {
    let context = TestContext::new();
    let hook = |number: usize| json!({ "command": format!("cat > /dev/null; echo '{{\"user_message\":\"{number}\",\"permission\":\"deny\"}}'") });
    let hooks =
        json!({ "version": 1, "hooks": { "beforeShellExecution": (0..4).map(hook).collect::<Vec<_>>() } });
    context.write("home/.cursor/hooks.json", hooks.to_string());
    let mut daemon = Served::start(&context);
    let (most, done) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
    let counter = {
        let (pid, most, done) = (daemon.pid(), Arc::clone(&most), Arc::clone(&done));
        thread::spawn(move || {
            while !done.load(Ordering::SeqCst) {
                most.fetch_max(children(pid), Ordering::SeqCst);
                thread::sleep(Duration::from_millis(20));
            }
        })
    };
    let start = Instant::now();
    let callers: Vec<JoinHandle<Vec<Duration>>> = (0..25)
        .map(|_| {
            let mut talk = daemon.talk();
            thread::spawn(move || twenty_at_once(&mut talk))
        })
        .collect();
    let mut took: Vec<Duration> =
        callers.into_iter().flat_map(|it| it.join().expect("all were answered")).collect();
    let all = start.elapsed();
    done.store(true, Ordering::SeqCst);
    counter.join().expect("it counts");
    took.sort();
    assert_eq!(took.len(), 500);
    let most = most.load(Ordering::SeqCst);
    let peak = daemon.memory("VmHWM").unwrap_or_default();
    let (median, late) = (took[250], took[495]);
    eprintln!(
        "500 events in {all:?}: median {median:?}, p99 {late:?}, {most} processes at most, {} MB",
        peak / 1024
    );
    assert!(most <= 128, "{most} processes at once");
    assert!(peak < 300 * 1024, "{peak} kB");
    assert!(daemon.end().success());
    let log = String::from_utf8(context.output(["log", "--json"]).stdout).expect("text");
    assert_eq!(log.lines().count(), 2_000, "every run has its record");
}

/// Sends twenty events together; tells how long each took.
fn twenty_at_once(talk: &mut Talk) -> Vec<Duration> {
    let begun: BTreeMap<u64, Instant> = (0..20)
        .map(|_| {
            let id = talk
                .call("handle", json!({ "event": "beforeShellExecution", "payload": { "command": "ls" } }));
            (id, Instant::now())
        })
        .collect();
    let mut answered = BTreeMap::new();
    while answered.len() < 20 {
        let answer = talk.answer();
        let handled = &answer["result"];
        let outcomes = handled["hooks"]
            .as_array()
            .map(|hooks| hooks.iter().filter(|hook| hook["outcome"] == "answer").count());
        assert_eq!((&handled["blocked"], outcomes), (&json!(true), Some(4)), "{answer}");
        let id = answer["id"].as_u64().expect("an id");
        assert!(answered.insert(id, begun[&id].elapsed()).is_none(), "{id} was answered twice");
    }
    answered.into_values().collect()
}

/// How many processes have this one for a parent.
fn children(parent: u32) -> usize {
    let processes =
        std::fs::read_dir("/proc").map(|entries| entries.flatten().collect()).unwrap_or_else(|_| Vec::new());
    let has_parent = |stat: String| {
        let behind = stat.rsplit(')').next().unwrap_or_default();
        behind.split_whitespace().nth(1) == Some(&parent.to_string())
    };
    let read = |entry: &std::fs::DirEntry| {
        let mut text = String::new();
        let file = std::fs::File::open(entry.path().join("stat")).ok()?;
        file.take(1_000).read_to_string(&mut text).ok().map(|_| text)
    };
    processes.iter().filter_map(read).filter(|stat| has_parent(stat.clone())).count()
}
