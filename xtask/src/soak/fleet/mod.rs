//! 100,000 devices come back after an outage: the real server, the first part
//! of the twenty minutes over which their jitter spreads them, and reports far
//! above what it takes. Reports are sent away; polls are not, and wait for nothing.

mod devices;
mod http;
mod play;
mod server;

use std::time::Duration;

use super::Finding;
use crate::command::Outcome;
use crate::progress::Progress;
use devices::Files;
use play::{Played, SYNCS_A_SECOND, Scene};
use server::Server;

/// Polls wait less than this, but for one in a hundred.
const AIM: Duration = Duration::from_millis(200);
/// The server stays below, in MiB.
const MEMORY: u64 = 256;

/// Plays so many seconds: how it was measured, and what was seen.
pub fn findings(seconds: usize, progress: &mut Progress) -> Outcome<(String, Vec<Finding>)> {
    let (binary, built) = server::binary()?;
    let server = progress.step(&format!("the team server ({built})"), || Server::start(&binary))?;
    let count = (SYNCS_A_SECOND * seconds as f64).ceil() as usize;
    let devices = progress.step(&format!("{count} devices"), || devices::enrol(&server, count))?;
    let files = Files::learn(server.address, &devices[0])?;
    let scene = Scene { address: server.address, devices: &devices, files: &files };
    let mut played = progress.step(&format!("{seconds} s of coming back"), || Ok(play::play(&scene)))?;
    let memory = server.memory()?;
    played.polls.sort_unstable();
    let note = format!(
        "`cargo xtask soak --fleet`: {built}, SQLite, plain HTTP; server, devices and disk on one machine with {}.",
        machine()
    );
    Ok((note, vec![refused(&played, count), waited(&played), reports(&played), held(memory)]))
}

fn refused(played: &Played, count: usize) -> Finding {
    let seconds = played.took.as_secs_f64();
    let refused: usize = played.refused.values().sum();
    let why: Vec<String> = played.refused.iter().map(|(what, times)| format!(", {times} × {what}")).collect();
    Finding {
        what: "syncs of devices at the rate of 100,000 in 20 minutes, every second one with a new release"
            .to_owned(),
        times: count,
        wanted: format!("{SYNCS_A_SECOND:.0} a second, 0 polls refused"),
        seen: format!(
            "{:.0} a second, {:.0} polls a second, {refused} refused{}",
            count as f64 / seconds,
            played.polls.len() as f64 / seconds,
            why.concat()
        ),
        good: refused == 0 && count as f64 / seconds > SYNCS_A_SECOND * 0.95,
    }
}

fn waited(played: &Played) -> Finding {
    let [half, most, all] = [0.5, 0.99, 1.0].map(|share| quantile(&played.polls, share));
    Finding {
        what: "how long a poll takes meanwhile".to_owned(),
        times: played.polls.len(),
        wanted: format!("p99 under {} ms", AIM.as_millis()),
        seen: format!(
            "p50 {} ms, p99 {} ms, longest {} ms",
            half.as_millis(),
            most.as_millis(),
            all.as_millis()
        ),
        good: most < AIM && !played.polls.is_empty(),
    }
}

fn reports(played: &Played) -> Finding {
    let of = |status: u16| played.reports.get(&status).copied().unwrap_or(0);
    let all: usize = played.reports.values().sum();
    let (taken, shed) = (of(204), of(503));
    let other = all - taken - shed;
    Finding {
        what: format!("reports meanwhile, {:.0} a second", all as f64 / played.took.as_secs_f64()),
        times: all,
        wanted: "some taken, the rest shed, no other answer".to_owned(),
        seen: format!("{taken} taken, {shed} shed, {other} other"),
        good: taken > 0 && shed > 0 && other == 0,
    }
}

fn held(memory: u64) -> Finding {
    Finding {
        what: "the most memory of the server".to_owned(),
        times: 1,
        wanted: format!("under {MEMORY} MiB"),
        seen: format!("{memory} MiB"),
        good: memory < MEMORY,
    }
}

/// The smallest that is not below this share of all; they are sorted.
fn quantile(sorted: &[Duration], share: f64) -> Duration {
    let rank = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or_default()
}

/// What else the machine did.
fn machine() -> String {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().unwrap_or("?").to_owned();
    format!("{processors} processors and a load of {load} (with this run)")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantile_is_one_of_the_values() {
        let waits: Vec<Duration> = (1..=200).map(Duration::from_millis).collect();
        for (share, expected) in [(0.5, 100), (0.99, 198), (1.0, 200)] {
            assert_eq!(quantile(&waits, share), Duration::from_millis(expected), "{share}");
        }
        assert_eq!(quantile(&[], 0.99), Duration::ZERO);
    }
}
