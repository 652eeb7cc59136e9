//! Generated command lines in the real bash, against the rules: the test that every change runs with fewer lines.

use super::Finding;
use crate::command::{self, Outcome};

const TEST: &str = "shell_comparison::no_generated_line_gets_past_the_rules_in_bash";
/// How the test's own sentence begins.
const SEEN: &str = "shell lines: ";
/// Every seed gives other lines.
const SEEDS: [u64; 3] = [1, 2, 3];

/// Runs the test with so many lines, in equal parts for each seed.
pub fn findings(lines: usize) -> Outcome<Vec<Finding>> {
    let part = lines.div_ceil(SEEDS.len());
    Ok(SEEDS.into_iter().map(|seed| finding(part, seed)).collect())
}

fn finding(lines: usize, seed: u64) -> Finding {
    let mut test = command::cargo();
    test.args(["test", "--package", "boathook", "--test", "all", TEST, "--", "--nocapture"]);
    test.env("BOATHOOK_SHELL_LINES", lines.to_string()).env("BOATHOOK_SHELL_SEED", seed.to_string());
    let (seen, good) = match command::output_of(&mut test) {
        Ok(printed) => (seen_in(&printed), printed.contains("1 passed")),
        Err(reason) => {
            eprintln!("{reason}");
            (seen_in(&reason), false)
        }
    };
    Finding {
        what: format!("a generated line in bash and against rules that deny and allow, seed {seed}"),
        times: lines,
        wanted: "0 past the rules outside the documented blind spots".to_owned(),
        seen,
        good,
    }
}

fn seen_in(printed: &str) -> String {
    let line = printed.lines().find_map(|line| line.split_once(SEEN));
    line.map_or("nothing: see above".to_owned(), |(_, seen)| seen.to_owned())
}
