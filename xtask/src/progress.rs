//! Shows which step runs, how long it took, and one line at the end.

use std::time::Instant;

use crate::command::Outcome;

/// The steps of one task, as they are taken.
pub struct Progress {
    task: &'static str,
    started: Instant,
    steps: usize,
    skipped: Vec<String>,
}

impl Progress {
    /// Starts the clock.
    pub fn of(task: &'static str) -> Progress {
        Progress { task, started: Instant::now(), steps: 0, skipped: Vec::new() }
    }

    /// Takes one step. Its error ends the task.
    pub fn step<T>(&mut self, name: &str, work: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
        println!("==> {name}");
        let started = Instant::now();
        let result = work().map_err(|reason| format!("{}: {name}: {reason}", self.task));
        if result.is_ok() {
            self.steps += 1;
            println!("    done in {:.1} s", started.elapsed().as_secs_f64());
        }
        result
    }

    /// Notes what this machine cannot do; the last line repeats it.
    pub fn skip(&mut self, what: &str, why: &str) {
        println!("!!! SKIPPED: {what}\n    {}", why.replace('\n', "\n    "));
        self.skipped.push(what.to_owned());
    }

    /// The last line.
    pub fn finish(self) {
        let seconds = self.started.elapsed().as_secs_f64();
        let skipped = match self.skipped.as_slice() {
            [] => "nothing skipped".to_owned(),
            names => format!("SKIPPED: {}", names.join(", ")),
        };
        println!("xtask {}: {} steps passed in {seconds:.0} s; {skipped}", self.task, self.steps);
    }
}
