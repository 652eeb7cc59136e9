//! Runs the stages: randoms, asks, keeps the numbers, refuses void runs.

use std::collections::HashMap;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use crate::command::Outcome;
use crate::progress::Progress;
use crate::random::Random;

use super::Options;
use super::coprocess::Coprocess;
use super::prepare::Laboratory;
use super::stages::{AGAIN, Ask, FLOOR, Stage, Who, stages};
use super::statistics::Summary;

/// Rounds before the first that counts.
const WARM_UP: usize = 3;
/// A noisy stage is measured again, so often at most.
const ATTEMPTS: usize = 3;
/// The floor against itself must stay inside.
const HONEST: std::ops::RangeInclusive<f64> = 0.95..=1.05;
/// Events of the search for leaks.
const EVENTS: usize = 1000;

/// Everything that was measured.
pub struct Results {
    stages: HashMap<&'static str, Measured>,
    /// Per build: zombies, descriptors, threads, processes, bytes, nanoseconds.
    pub leaks: HashMap<Who, Vec<u64>>,
    /// How many events the search for leaks took.
    pub leak_events: usize,
    /// How long all of it took.
    pub seconds: f64,
}

/// One stage's numbers, in nanoseconds, by who and what; one per round.
pub struct Measured {
    numbers: HashMap<(Who, &'static str), Vec<f64>>,
    /// The floor against itself, for each build.
    pub noise: Vec<(Who, f64)>,
    /// In which attempt it succeeded; none did when it is void.
    pub valid: bool,
    /// How often it was measured.
    pub attempts: usize,
    /// How many rounds.
    pub rounds: usize,
}

impl Results {
    /// A stage by its name.
    pub fn stage(&self, name: &str) -> Option<&Measured> {
        self.stages.get(name)
    }

    /// All stages in the order they ran.
    pub fn in_order(&self) -> impl Iterator<Item = (&'static str, &Measured)> {
        stages().into_iter().filter_map(|stage| Some((stage.name, self.stages.get(stage.name)?)))
    }
}

impl Measured {
    /// The numbers of one contender, one per round.
    pub fn of(&self, who: Who, name: &'static str) -> &[f64] {
        self.numbers.get(&(who, name)).map_or(&[], Vec::as_slice)
    }
}

/// Runs everything.
pub fn measure(laboratory: &Laboratory, options: &Options, progress: &mut Progress) -> Outcome<Results> {
    let started = Instant::now();
    let mut contenders = progress.step("contenders", || start(laboratory))?;
    let mut random = Random::seeded(seed());
    let mut results =
        Results { stages: HashMap::new(), leaks: HashMap::new(), leak_events: EVENTS, seconds: 0.0 };
    let wanted = |stage: &Stage| options.only.as_ref().is_none_or(|only| *only == stage.name);
    for mut stage in stages().into_iter().filter(wanted) {
        if options.quick {
            stage.rounds = stage.rounds.div_ceil(50);
        }
        let measured = progress.step(&format!("{}, {} rounds", stage.name, stage.rounds), || {
            valid_run(&stage, &mut contenders, &mut random, options)
        })?;
        results.stages.insert(stage.name, measured);
    }
    results.leak_events = if options.quick { EVENTS / 20 } else { EVENTS };
    progress.step(&format!("{} events whose hooks fail", results.leak_events), || {
        for who in [Who::Musl, Who::Glibc] {
            let counts = ask(&mut contenders, who, &format!("leaks {}", results.leak_events))?;
            results.leaks.insert(who, counts);
        }
        Ok(())
    })?;
    results.seconds = started.elapsed().as_secs_f64();
    Ok(results)
}

type Contenders = HashMap<Who, Coprocess>;

fn start(laboratory: &Laboratory) -> Outcome<Contenders> {
    let mut contenders = HashMap::from([
        (Who::Musl, laboratory.start_musl()?),
        (Who::Glibc, laboratory.start_glibc()?),
        (Who::LargeMusl, laboratory.start_musl()?),
        (Who::LargeGlibc, laboratory.start_glibc()?),
        (Who::Node, laboratory.start_node()?),
    ]);
    for who in [Who::LargeMusl, Who::LargeGlibc] {
        ask(&mut contenders, who, "grow 1073741824")?;
    }
    Ok(contenders)
}

fn ask(contenders: &mut Contenders, who: Who, request: &str) -> Outcome<Vec<u64>> {
    contenders.get_mut(&who).ok_or("this contender was not started")?.ask(request)
}

/// Measures a stage until the floor agrees with itself.
fn valid_run(
    stage: &Stage,
    contenders: &mut Contenders,
    random: &mut Random,
    options: &Options,
) -> Outcome<Measured> {
    for who in [Who::Musl, Who::Glibc, Who::LargeMusl, Who::LargeGlibc] {
        ask(contenders, who, if stage.pinned { "pin" } else { "unpin" })?;
    }
    let mut attempt = 1;
    loop {
        let mut measured = run(stage, contenders, random)?;
        measured.attempts = attempt;
        if measured.valid || options.quick || attempt == ATTEMPTS {
            return Ok(measured);
        }
        println!("    void: the floor against itself is {}", noise_of(&measured));
        attempt += 1;
    }
}

fn noise_of(measured: &Measured) -> String {
    let ratios: Vec<String> = measured.noise.iter().map(|(_, ratio)| format!("{ratio:.3}")).collect();
    ratios.join(", ")
}

fn run(stage: &Stage, contenders: &mut Contenders, random: &mut Random) -> Outcome<Measured> {
    let mut numbers: HashMap<(Who, &'static str), Vec<f64>> = HashMap::new();
    for round in 0..stage.rounds + WARM_UP {
        for (wanted, value) in one_round(stage, contenders, random)? {
            if round >= WARM_UP {
                numbers.entry((wanted.who, wanted.name)).or_default().push(value);
            }
        }
    }
    let ratio = |who| {
        let (first, second) = (&numbers[&(who, FLOOR)], &numbers[&(who, AGAIN)]);
        let ratios: Vec<f64> = first.iter().zip(second).map(|(first, second)| first / second).collect();
        Summary::of(&ratios).median
    };
    let noise: Vec<(Who, f64)> = [Who::Musl, Who::Glibc].map(|who| (who, ratio(who))).into();
    let valid = noise.iter().all(|(_, ratio)| HONEST.contains(ratio));
    Ok(Measured { numbers, noise, valid, attempts: 1, rounds: stage.rounds })
}

/// Asks everyone in a random order for everything in a random order.
///
/// A contender is given its part of the round at once, so that it does not
/// sleep between two measurements that will be compared.
fn one_round<'a>(
    stage: &'a Stage,
    contenders: &mut Contenders,
    random: &mut Random,
) -> Outcome<Vec<(&'a Ask, f64)>> {
    let order: Vec<&Ask> =
        random.order(stage.asks.len()).into_iter().map(|index| &stage.asks[index]).collect();
    let mut values = Vec::with_capacity(order.len());
    let mut asked: Vec<Who> = Vec::new();
    for first in &order {
        if asked.contains(&first.who) {
            continue;
        }
        asked.push(first.who);
        let part: Vec<&Ask> = order.iter().copied().filter(|ask| ask.who == first.who).collect();
        let requests: Vec<&str> = part.iter().flat_map(|ask| vec![ask.request; ask.times]).collect();
        let answer = ask(contenders, first.who, &format!("round {}", requests.join("|")))?;
        let mut answer = answer.into_iter().map(|nanos| nanos as f64);
        for wanted in part {
            let numbers: Vec<f64> = answer.by_ref().take(wanted.times).collect();
            values.push((wanted, Summary::of(&numbers).median));
        }
    }
    Ok(values)
}

fn seed() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(7, |now| now.as_nanos() as u64)
}
