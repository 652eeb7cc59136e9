//! A process that stays warm and times itself: a line out, a line of numbers back.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::command::Outcome;

/// One contender.
pub struct Coprocess {
    name: &'static str,
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Coprocess {
    /// Starts it.
    pub fn start(name: &'static str, command: &mut Command) -> Outcome<Coprocess> {
        let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = spawned.map_err(|error| format!("{name} did not start: {error}"))?;
        let (requests, answers) = (child.stdin.take(), child.stdout.take());
        let (Some(requests), Some(answers)) = (requests, answers) else {
            return Err(format!("{name} has no pipes"));
        };
        Ok(Coprocess { name, child, requests, answers: BufReader::new(answers) })
    }

    /// Asks for one measurement.
    pub fn ask(&mut self, request: &str) -> Outcome<Vec<u64>> {
        writeln!(self.requests, "{request}").map_err(|error| self.died(request, &error.to_string()))?;
        let mut answer = String::new();
        self.answers.read_line(&mut answer).map_err(|error| self.died(request, &error.to_string()))?;
        if answer.is_empty() {
            return Err(self.died(request, "it ended"));
        }
        let numbers: Result<Vec<u64>, _> = answer.split_whitespace().map(str::parse).collect();
        numbers.map_err(|_| format!("{}: `{request}`: {}", self.name, answer.trim()))
    }

    fn died(&self, request: &str, why: &str) -> String {
        format!("{}: no answer to `{request}`: {why}", self.name)
    }
}

impl Drop for Coprocess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
