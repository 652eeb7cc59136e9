//! A million damaged payloads of agents, behind a rule that denies everything:
//! the test that every change runs with fewer of them.

use super::Finding;
use crate::command::{self, Outcome};

const TEST: &str = "agent_payloads::no_mutated_payload_passes_a_gate";
/// How the test's own sentence begins.
const SEEN: &str = "damaged payloads: ";

/// Runs the test with so many payloads, optimised.
pub fn payloads(times: usize) -> Outcome<Finding> {
    let mut test = command::cargo();
    test.args(["test", "--release", "--package", "boathook", "--test", "all", TEST]);
    test.args(["--", "--nocapture"]).env("BOATHOOK_MUTATIONS", times.to_string());
    let (seen, good) = match command::output_of(&mut test) {
        Ok(printed) => (seen_in(&printed), printed.contains("1 passed")),
        Err(reason) => {
            eprintln!("{reason}");
            ("one got through, or something broke: see above".to_owned(), false)
        }
    };
    Ok(Finding {
        what: "a recorded payload of an agent, damaged, behind a rule that denies everything".to_owned(),
        times,
        wanted: "refused or not understood on every gate, no panic".to_owned(),
        seen,
        good,
    })
}

fn seen_in(printed: &str) -> String {
    let line = printed.lines().find_map(|line| line.split_once(SEEN));
    line.map_or("nothing".to_owned(), |(_, seen)| seen.to_owned())
}
