//! Processes that outlive an event, with real ones.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::super::{
    Asked, Cancel, Exit, Invocation, Keeper, Limits, Origin, PERSISTENT, Read, STDOUT_LIMIT, Status,
    Unchanged, Wish, run_prepared,
};
use super::{SOON, dies, hook, is_answer, lives, ms, wait_until};
use crate::testing::TempDir;

/// Answers each line with its own number and what it read. It does not end for
/// want of lines.
const ECHO: &str = "while read -r line; do echo \"$$ $line\"; done; sleep 40";

fn quick() -> Limits {
    Limits { look: ms(20), ahead: ms(0), ..Limits::default() }
}

/// A line is good unless it says otherwise.
fn read(line: &[u8]) -> Result<Read, String> {
    match line {
        b"bad" => Err("it said bad".to_owned()),
        line => Ok(Read { exit_code: 0, stdout: line.to_vec(), stderr: Vec::new() }),
    }
}

fn always() -> Unchanged {
    Box::new(|| true)
}

fn asked(keeper: &Keeper, invocation: &Invocation, line: &str) -> (Exit, Vec<String>) {
    let wish = Wish { owner: Path::new("/hooks.json"), invocation, look: &always };
    match keeper.ask(&wish, format!("{line}\n").as_bytes(), &Cancel::default(), read) {
        Asked::Told(exit, warnings) | Asked::Mute(exit, warnings) => (exit, warnings),
        Asked::NotKept(why) => panic!("{why:?}"),
    }
}

/// The number of the process that answered, and what it said.
fn answer(keeper: &Keeper, invocation: &Invocation, line: &str) -> (String, String) {
    let (exit, _) = asked(keeper, invocation, line);
    assert_eq!(exit.status, Status::Code(0), "{exit:?}");
    let (pid, said) = exit.out().split_once(' ').expect("a number and a line");
    (pid.to_owned(), said.to_owned())
}

#[test]
fn one_process_answers_one_line_after_another() {
    let (dir, keeper) = (TempDir::new(), Keeper::new(quick()));
    let hook = hook(dir.path(), ECHO);
    let (first, said) = answer(&keeper, &hook, "one");
    assert_eq!(said, "one");
    for n in 0..50 {
        assert_eq!(answer(&keeper, &hook, &n.to_string()), (first.clone(), n.to_string()));
    }
    let long = "x".repeat(3 << 20);
    assert_eq!(answer(&keeper, &hook, &long), (first.clone(), long), "longer than a pipe");
    drop(keeper);
    assert!(dies(&first), "it ends with its keeper");
}

#[test]
fn it_runs_where_and_as_what_its_invocation_says() {
    let (dir, keeper) = (TempDir::new(), Keeper::new(quick()));
    let command = format!("read -r line; echo \"$PWD ${PERSISTENT} $NAME\"; read -r line");
    let (exit, _) = asked(&keeper, &hook(dir.path(), &command).with("NAME", "value"), "one");
    assert_eq!(exit.out(), format!("{} 1 value", dir.path().display()));
}

#[test]
fn other_surroundings_are_another_process() {
    let (dir, keeper) = (TempDir::new(), Keeper::new(quick()));
    let sub = dir.path().join("sub");
    fs::create_dir(&sub).unwrap();
    let own = hook(dir.path(), ECHO);
    let (first, _) = answer(&keeper, &own, "a");
    let others = [
        ("its environment", hook(dir.path(), ECHO).with("A", "1")),
        ("its directory", hook(&sub, ECHO)),
        ("its command", hook(dir.path(), &format!("{ECHO} "))),
    ];
    for (name, other) in others {
        assert_ne!(answer(&keeper, &other, "a").0, first, "{name}");
    }
    let same = Invocation { env: Arc::new(own.env.to_vec()), timeout: ms(9000), ..own.clone() };
    assert_eq!(answer(&keeper, &same, "a").0, first, "equal values are the same");
}

#[test]
fn red_team_m6_exit_code_2_takes_effect_however_long_after_stdout_was_closed() {
    let (dir, keeper) = (TempDir::new(), Keeper::new(quick()));
    // Longer than any fixed wait that a process could get for its end, and with more on
    // stderr than a pipe holds.
    let command = "read -r line; exec >&-; head -c 200000 /dev/zero >&2; sleep 0.6; exit 2";
    let (exit, _) = asked(&keeper, &hook(dir.path(), command).within(60_000), "one");
    assert_eq!(exit.status, Status::Code(2));
}

#[test]
fn a_process_that_fails_is_a_failed_hook_and_the_next_event_has_another() {
    let cases: [(&str, &str, Status, &str); 8] = [
        ("a crash", "read -r line; echo oops >&2; exit 3", Status::Code(3), "oops\n"),
        ("a signal", "read -r line; kill -9 $$", Status::Signal(9), ""),
        ("exit code 2 refuses as ever", "read -r line; echo no >&2; exit 2", Status::Code(2), "no\n"),
        (
            "an end without a word is no opinion of anybody",
            "read -r line",
            Status::NoAnswer("it ended, with code 0".into()),
            "",
        ),
        (
            "what the caller cannot read",
            "read -r line; echo bad; sleep 50",
            Status::NoAnswer("it said bad".into()),
            "",
        ),
        (
            "stdout closed",
            "read -r line; exec >&-; sleep 50",
            Status::NoAnswer("it closed its stdout".into()),
            "",
        ),
        ("silence", "read -r line; echo slow >&2; sleep 50", Status::TimedOut(ms(6000)), "slow\n"),
        ("a flood", "read -r line; head -c 17825792 /dev/zero; sleep 50", Status::TooMuchOutput, ""),
    ];
    for (name, command, status, stderr) in cases {
        let (dir, keeper) = (TempDir::new(), Keeper::new(quick()));
        // The first process does what the case says; the second answers.
        let command = format!("if mkdir once; then {command}; else {ECHO}; fi");
        // Silence and a closed stdout use up their time.
        let timeout = if matches!(name, "silence" | "stdout closed") { 6000 } else { 60_000 };
        let failing = hook(dir.path(), &command).within(timeout);
        let begun = Instant::now();
        let (exit, _) = asked(&keeper, &failing, "one");
        assert_eq!((&exit.status, exit.err()), (&status, stderr), "{name}");
        assert!(begun.elapsed() < ms(SOON), "{name}: it was not waited for");
        assert_eq!(keeper.count(), 0, "{name}: it is gone");
        assert_eq!(answer(&keeper, &hook(dir.path(), &command), "two").1, "two", "{name}");
    }
    assert_eq!(STDOUT_LIMIT, 16 << 20, "the flood is more than this");
}

#[test]
fn what_nobody_asked_for_costs_a_process_and_no_answer() {
    let cases = [
        ("more than one line", "read -r line; printf '%s %s\\nmore\\n' $$ \"$line\"; sleep 20"),
        ("an end after the answer", "read -r line; echo \"$$ $line\""),
    ];
    for (name, command) in cases {
        let (dir, keeper) = (TempDir::new(), Keeper::new(quick()));
        let odd = hook(dir.path(), &format!("if mkdir once; then {command}; else {ECHO}; fi"));
        let (first, said) = answer(&keeper, &odd, "one");
        assert_eq!(said, "one", "{name}");
        wait_until("it has ended", || !lives(&first));
        let (second, said) = answer(&keeper, &odd, "two");
        assert_eq!(said, "two", "{name}");
        assert_ne!(first, second, "{name}: it was another process");
    }
    let (dir, keeper) = (TempDir::new(), Keeper::new(Limits { look: ms(60_000), ..quick() }));
    let late = "read -r line; echo \"0 $line\"; until [ -e go ]; do sleep 0.02; done; echo late; touch done; sleep 50";
    let late = hook(dir.path(), late);
    answer(&keeper, &late, "one");
    dir.write("go", "");
    wait_until("it printed", || dir.path().join("done").exists());
    let (exit, warnings) = asked(&keeper, &late, "two");
    assert_eq!(exit.status, Status::Code(0));
    assert!(warnings[0].contains("printed something that nobody had asked for"), "{warnings:?}");
}

#[test]
fn what_is_written_to_stderr_during_a_request_belongs_to_it() {
    let (dir, keeper) = (TempDir::new(), Keeper::new(quick()));
    let command = "while read -r line; do echo \"err $line\" >&2; echo \"0 $line\"; echo between >&2; touch $line; done";
    let noisy = hook(dir.path(), command);
    for line in ["one", "two"] {
        let (exit, _) = asked(&keeper, &noisy, line);
        assert!(exit.err().starts_with(&format!("err {line}\n")), "{}", exit.err());
        wait_until("it said more", || dir.path().join(line).exists());
    }
    let flood =
        hook(dir.path(), "while read -r line; do head -c 3000000 /dev/zero >&2; echo \"0 $line\"; done");
    for _ in 0..3 {
        let (exit, _) = asked(&keeper, &flood, "a");
        assert_eq!(exit.status, Status::Code(0));
        assert!(exit.stderr.len() < 200_000, "{}", exit.stderr.len());
    }
}

#[test]
fn a_hook_that_fails_again_and_again_gets_a_process_per_event_for_a_while() {
    // One rests for longer than a busy machine may pause, one for a moment.
    for rest in [ms(60_000), ms(50)] {
        let limits = Limits { faults: 2, rest, ..quick() };
        let (dir, keeper) = (TempDir::new(), Keeper::new(limits));
        let failing = hook(dir.path(), "exit 1");
        let wish = Wish { owner: Path::new("/hooks.json"), invocation: &failing, look: &always };
        let ask = || keeper.ask(&wish, b"a\n", &Cancel::default(), read);
        for _ in 0..2 {
            assert!(matches!(ask(), Asked::Mute(exit, _) if exit.status == Status::Code(1)));
        }
        if rest == ms(50) {
            wait_until("it may try again", || matches!(ask(), Asked::Mute(..)));
            continue;
        }
        match ask() {
            Asked::NotKept(why) => assert!(why[0].contains("did not stay 2 times in a row"), "{why:?}"),
            Asked::Told(exit, _) | Asked::Mute(exit, _) => panic!("{exit:?}"),
        }
    }
}

#[test]
fn a_process_does_not_survive_what_it_was_started_from() {
    let (dir, keeper) = (TempDir::new(), Keeper::new(Limits { look: ms(60_000), ..quick() }));
    let hook = hook(dir.path(), ECHO);
    let same = Arc::new(AtomicBool::new(true));
    let look = || -> Unchanged {
        let same = Arc::clone(&same);
        same.store(true, Ordering::SeqCst);
        Box::new(move || same.load(Ordering::SeqCst))
    };
    let wish = Wish { owner: Path::new("/hooks.json"), invocation: &hook, look: &look };
    let pid = || match keeper.ask(&wish, b"a\n", &Cancel::default(), read) {
        Asked::Told(exit, _) | Asked::Mute(exit, _) => {
            exit.out().split(' ').next().unwrap_or_default().to_owned()
        }
        Asked::NotKept(why) => panic!("{why:?}"),
    };
    let first = pid();
    same.store(false, Ordering::SeqCst);
    let second = pid();
    assert!(first != second && dies(&first) && lives(&second));
    let may_stay = |owner: &Path, command: &str, run_dir: &Path| {
        owner == Path::new("/hooks.json") && command == ECHO && run_dir == dir.path()
    };
    keeper.keep_only(&[Path::new("/hooks.json")], &may_stay);
    assert!(lives(&second), "it may stay");
    keeper.keep_only(&[Path::new("/other.json")], &|_, _, _| false);
    assert!(lives(&second), "others have no say");
    keeper.keep_only(&[Path::new("/hooks.json")], &|_, _, _| false);
    assert!(dies(&second) && keeper.count() == 0);
}

#[test]
fn one_that_is_busy_ends_when_it_has_answered() {
    let (dir, keeper) = (TempDir::new(), Keeper::new(quick()));
    let slow = hook(
        dir.path(),
        "read -r line; touch asked; while [ ! -e go ]; do sleep 0.01; done; echo \"$$ $line\"; cat",
    );
    thread::scope(|scope| {
        let busy = scope.spawn(|| answer(&keeper, &slow, "one"));
        wait_until("it is asked", || dir.path().join("asked").exists());
        keeper.keep_only(&[Path::new("/hooks.json")], &|_, _, _| false);
        fs::write(dir.path().join("go"), "").unwrap();
        let (pid, said) = busy.join().unwrap();
        assert_eq!(said, "one", "an answer that was asked for counts");
        assert!(dies(&pid) && keeper.count() == 0);
    });
}

#[test]
fn what_nobody_needs_is_ended() {
    let (dir, keeper) = (TempDir::new(), Keeper::new(Limits { idle: ms(100), ..quick() }));
    let (pid, _) = answer(&keeper, &hook(dir.path(), ECHO), "a");
    wait_until("an idle process ends", || keeper.count() == 0 && !lives(&pid));

    let keeper = Keeper::new(Limits { total: 2, ..quick() });
    let pids: Vec<String> = ["1", "2", "3"]
        .map(|value| answer(&keeper, &hook(dir.path(), ECHO).with("N", value), "a").0)
        .to_vec();
    assert_eq!(keeper.count(), 2);
    assert!(dies(&pids[0]) && lives(&pids[1]) && lives(&pids[2]), "the oldest went");
}

#[test]
fn many_at_once_share_a_few_processes() {
    let (dir, keeper) = (TempDir::new(), Keeper::new(quick()));
    let hook = hook(dir.path(), ECHO);
    thread::scope(|scope| {
        for n in 0..50 {
            let (keeper, hook) = (&keeper, &hook);
            scope.spawn(move || {
                for round in 0..20 {
                    let line = format!("{n}.{round}");
                    let wish = Wish { owner: Path::new("/hooks.json"), invocation: hook, look: &always };
                    let said = keeper.ask(&wish, format!("{line}\n").as_bytes(), &Cancel::default(), read);
                    // One that waited too long gets a process of its own, which is not ours to run.
                    if let Asked::Told(exit, _) = said {
                        assert!(exit.out().ends_with(&format!(" {line}")), "{exit:?}");
                    }
                }
            });
        }
    });
    assert!((1..=Limits::default().alike).contains(&keeper.count()), "{}", keeper.count());
}

#[test]
fn a_cancelled_question_ends_its_process() {
    let (dir, keeper) = (TempDir::new(), Keeper::new(quick()));
    let slow = hook(dir.path(), "echo $$ > pid; read -r line; touch asked; sleep 20");
    let cancel = Cancel::default();
    let asked = dir.path().join("asked");
    let watched = cancel.or_when(move || asked.exists());
    let wish = Wish { owner: Path::new("/hooks.json"), invocation: &slow, look: &always };
    match keeper.ask(&wish, b"a\n", &watched, read) {
        Asked::Told(exit, _) | Asked::Mute(exit, _) => assert_eq!(exit.status, Status::Cancelled),
        Asked::NotKept(why) => panic!("{why:?}"),
    }
    let pid = fs::read_to_string(dir.path().join("pid")).unwrap();
    assert!(dies(pid.trim()) && keeper.count() == 0);
}

#[test]
fn a_process_that_was_started_ahead_gets_its_event() {
    let (dir, keeper) = (TempDir::new(), Keeper::new(quick()));
    let command = "echo x >> starts; read -r line; echo \"{ $$ $line }\"; cat >/dev/null; exit 3";
    for size in [3, 1 << 20] {
        let _ = fs::remove_file(dir.path().join("starts"));
        let input = format!("{}\n", "i".repeat(size));
        let hook = hook(dir.path(), command).reading(input.clone());
        let wish = Wish { owner: Path::new("/hooks.json"), invocation: &hook, look: &always };
        let cold = keeper.take(&wish);
        assert!(cold.prepared.is_none() && cold.warnings.is_empty());
        keeper.prepare(&wish, cold.next);
        wait_until("it waits", || dir.path().join("starts").exists() && keeper.idle() == 1);
        let ahead = keeper.take(&wish);
        let all = std::slice::from_ref(&hook);
        let exit = run_prepared(all, vec![ahead.prepared], is_answer, &Cancel::default()).remove(0);
        assert_eq!(exit.status, Status::Code(3), "it is an ordinary end");
        assert!(exit.out().contains(input.trim()), "{size}");
        assert_eq!(fs::read_to_string(dir.path().join("starts")).unwrap(), "x\n", "no other was started");
        keeper.keep_only(&[Path::new("/hooks.json")], &|_, _, _| false);
    }
}

#[test]
fn one_that_acted_before_its_event_is_not_used() {
    let cases = [
        ("it printed", "echo $$ > pid; echo early; touch acted; cat", "printed something before its event"),
        ("it ended", "echo $$ > pid", "ended before its event"),
    ];
    // Whoever finds it first, an event or the keeper's round, its author is told.
    for ((name, command, expected), look) in
        cases.into_iter().flat_map(|case| [(case, ms(60_000)), (case, ms(1))])
    {
        let (dir, keeper) = (TempDir::new(), Keeper::new(Limits { look, ..quick() }));
        let hook = hook(dir.path(), command);
        let wish = Wish { owner: Path::new("/hooks.json"), invocation: &hook, look: &always };
        keeper.prepare(&wish, always());
        let pid = || fs::read_to_string(dir.path().join("pid")).unwrap_or_default();
        wait_until("it started", || pid().ends_with('\n'));
        let acted = || dir.path().join("acted").exists() || !lives(pid().trim());
        // The round ends it as soon as it acts, in the middle of its command.
        wait_until("it acted", || if look == ms(1) { keeper.count() == 0 } else { acted() });
        // The process can end before the keeper has registered it.
        let mut warnings = Vec::new();
        wait_until("a warning comes", || {
            let taken = keeper.take(&wish);
            assert!(taken.prepared.is_none(), "{name}");
            warnings = taken.warnings;
            !warnings.is_empty()
        });
        assert!(warnings.len() == 1 && warnings[0].contains(expected), "{name}: {warnings:?}");
        assert_eq!(keeper.take(&wish).warnings, [""; 0], "{name}: once is enough");
    }
}

#[test]
fn one_that_ended_between_two_events_is_told_to_its_author() {
    for look in [ms(60_000), ms(1)] {
        let (dir, keeper) = (TempDir::new(), Keeper::new(Limits { look, ..quick() }));
        let hook = hook(dir.path(), "read -r line; echo \"$$ $line\"");
        let (pid, _) = answer(&keeper, &hook, "one");
        wait_until("it ended", || !lives(&pid) && (look != ms(1) || keeper.count() == 0));
        let (exit, warnings) = asked(&keeper, &hook, "two");
        assert!(exit.out().ends_with("two"), "{exit:?}");
        assert_eq!(warnings, ["its process had ended before this event; a new one was started"]);
    }
}

#[test]
fn what_one_conversation_has_spoiled_another_is_told() {
    let (dir, keeper) = (TempDir::new(), Keeper::new(Limits { look: ms(1), ..quick() }));
    let of = |conversation: &str| {
        hook(dir.path(), "[ $CONVERSATION = a ] || { touch waits; cat; }").with("CONVERSATION", conversation)
    };
    let (spoiled, good) = (of("a"), of("b"));
    let wish = |invocation| Wish { owner: Path::new("/hooks.json"), invocation, look: &always };
    keeper.prepare(&wish(&spoiled), always());
    keeper.prepare(&wish(&good), always());
    // While it is being started it counts, and cannot be taken yet.
    wait_until("one waits", || {
        dir.path().join("waits").exists() && keeper.count() == 1 && keeper.idle() == 1
    });
    let ahead = keeper.take(&wish(&good));
    assert!(ahead.prepared.is_some());
    assert!(ahead.warnings.len() == 1 && ahead.warnings[0].contains("ended before"), "{:?}", ahead.warnings);
}

#[test]
fn many_that_end_between_two_events_are_one_fault() {
    let (dir, keeper) = (TempDir::new(), Keeper::new(Limits { look: ms(1), faults: 2, ..quick() }));
    let command = "read -r line; echo \"$$ $line\"; until [ -e go ]; do sleep 0.02; done";
    let of = |conversation: &str| hook(dir.path(), command).with("CONVERSATION", conversation);
    for conversation in ["a", "b", "c"] {
        answer(&keeper, &of(conversation), "one");
    }
    dir.write("go", "");
    wait_until("all were found", || keeper.count() == 0);
    let (exit, warnings) = asked(&keeper, &of("a"), "two");
    assert!(exit.out().ends_with("two"), "{exit:?}");
    assert_eq!(warnings.len(), 1, "{warnings:?}");
}

#[test]
fn what_changed_is_neither_started_ahead_nor_used() {
    let (dir, keeper) = (TempDir::new(), Keeper::new(quick()));
    let hook = hook(dir.path(), "touch started; cat");
    let wish = Wish { owner: Path::new("/hooks.json"), invocation: &hook, look: &always };
    let looked = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&looked);
    keeper.prepare(
        &wish,
        Box::new(move || {
            seen.store(true, Ordering::SeqCst);
            false
        }),
    );
    wait_until("somebody looked", || looked.load(Ordering::SeqCst) && keeper.count() == 0);
    assert!(!dir.path().join("started").exists());
    let same = Arc::new(AtomicBool::new(true));
    let still = Arc::clone(&same);
    keeper.prepare(&wish, Box::new(move || still.load(Ordering::SeqCst)));
    wait_until("it waits", || dir.path().join("started").exists() && keeper.idle() == 1);
    same.store(false, Ordering::SeqCst);
    assert!(keeper.take(&wish).prepared.is_none());
}

/// Files that never change, of a hook that may say when it is done.
struct Helped;

impl Origin for Helped {
    fn is_unchanged(&mut self) -> bool {
        true
    }

    fn may_say_done(&self) -> bool {
        true
    }
}

/// What a process that waits for this hook's event answers to it.
fn ahead(keeper: &Keeper, hook: &Invocation) -> Exit {
    let wish = Wish { owner: Path::new("/hooks.json"), invocation: hook, look: &always };
    keeper.prepare(&wish, Box::new(Helped));
    let prepared = std::iter::repeat_with(|| {
        thread::sleep(ms(5));
        keeper.take(&wish).prepared
    });
    let prepared = prepared.take(2000).find(Option::is_some).expect("one waits");
    run_prepared(std::slice::from_ref(hook), vec![prepared], is_answer, &Cancel::default()).remove(0)
}

#[test]
fn one_that_says_it_is_done_is_not_waited_for() {
    let (dir, keeper) = (TempDir::new(), Keeper::new(quick()));
    let command = "test ${BOATHOOK_DONE%:*} = $PPID || exit 9; cat; echo $$ > pid; echo why >&2; \
        echo '{}'; printf %s ${BOATHOOK_DONE#*:}; sleep 0.1; echo ' 3'; sleep 60";
    let pid = || fs::read_to_string(dir.path().join("pid")).unwrap();
    let begin = Instant::now();
    let exit = ahead(&keeper, &hook(dir.path(), command));
    assert!(begin.elapsed() < Duration::from_secs(50));
    assert_eq!((exit.status.clone(), exit.out()), (Status::Code(3), "{}\n"), "{exit:?}");
    assert_eq!(exit.stderr, b"why\n");
    let first = pid();
    assert!(lives(first.trim()), "it may end by itself");
    let exit = ahead(&keeper, &hook(dir.path(), command).within(6000));
    assert_eq!(exit.status, Status::Code(3));
    wait_until("its time is over", || !lives(pid().trim()));
    assert!(lives(first.trim()));
    drop(keeper);
    assert!(dies(first.trim()), "nothing outlives its keeper");
}

#[test]
fn only_its_own_word_speaks_for_a_hook() {
    let cases = [
        ("another word", "cat; echo '{}'; echo 0123456789abcdef0123456789abcdef 0; exit 2"),
        ("no number", "cat; echo ${BOATHOOK_DONE#*:} zero; exit 2"),
        ("not at the end", "cat; echo ${BOATHOOK_DONE#*:} 0 and more; exit 2"),
        ("in the middle of a line", "cat; echo so ${BOATHOOK_DONE#*:} 0; exit 2"),
        ("on stderr", "cat; echo ${BOATHOOK_DONE#*:} 0 >&2; exit 2"),
    ];
    for (name, command) in cases {
        let (dir, keeper) = (TempDir::new(), Keeper::new(quick()));
        assert_eq!(ahead(&keeper, &hook(dir.path(), command)).status, Status::Code(2), "{name}");
    }
}

#[test]
fn a_hook_that_would_not_say_it_is_not_told_the_word() {
    let (dir, keeper) = (TempDir::new(), Keeper::new(quick()));
    let hook = hook(dir.path(), "touch started; cat; echo \"<$BOATHOOK_DONE$BOATHOOK_PERSISTENT>\"");
    let wish = Wish { owner: Path::new("/hooks.json"), invocation: &hook, look: &always };
    keeper.prepare(&wish, always());
    wait_until("it waits", || dir.path().join("started").exists() && keeper.idle() == 1);
    let prepared = vec![keeper.take(&wish).prepared];
    let exit = run_prepared(std::slice::from_ref(&hook), prepared, is_answer, &Cancel::default()).remove(0);
    assert_eq!(exit.out(), "<>\n");
}
