//! The budget of memory and work that everything compiled and evaluated for one event shares.
//!
//! A stage that evaluates hooks opens a scope with [`scoped`]; a scope inside a scope shares the
//! budget of the outer one. Outside of a scope only the limits of each single pattern apply.
//! Compiling and backtracking are counted in steps, so that the same configuration and event have
//! the same result on every machine; searches of the library engines, whose steps cannot be
//! counted, are charged by the processor time they took, which does not depend on other load.
//!
//! What does not fit the budget counts as a match, and [`doubts`] goes up: a rule compares it
//! before and after its evaluation and is in doubt when it differs.
//!
//! Thread-local rather than an argument: a pattern is evaluated deep inside of conditions, and
//! each evaluation of an event happens on one thread.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::time::Duration;

/// Bytes that all patterns of one event may take together.
pub const MAX_MEMORY: u64 = 64 << 20;
/// How long all patterns of one event may take together.
pub const MAX_MILLISECONDS: u64 = 200;
/// How long one step takes, about.
const STEP_NANOSECONDS: u64 = 10;
/// The same time in steps.
pub const MAX_STEPS: u64 = MAX_MILLISECONDS * 1_000_000 / STEP_NANOSECONDS;

thread_local! {
    static SPENT: RefCell<Option<Spent>> = const { RefCell::new(None) };
    static DOUBTS: Cell<u64> = const { Cell::new(0) };
}

#[derive(Default)]
struct Spent {
    memory: u64,
    steps: u64,
    /// Compiled patterns whose memory was charged already, by their address.
    charged: HashSet<usize>,
}

/// The budget of the event is used up, so this pattern was not evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OverBudget;

/// Runs `work` within one budget, or within the budget of the scope around it.
pub fn scoped<T>(work: impl FnOnce() -> T) -> T {
    let opened = SPENT.with_borrow_mut(|spent| match spent {
        Some(_) => false,
        None => {
            *spent = Some(Spent::default());
            true
        }
    });
    // Closes the scope when `work` panics, too: the thread may serve another event.
    let _scope = opened.then(|| Scope);
    work()
}

struct Scope;

impl Drop for Scope {
    fn drop(&mut self) {
        SPENT.with_borrow_mut(|spent| *spent = None);
    }
}

/// How often a pattern on this thread counted as a match because it was past a limit.
pub fn doubts() -> u64 {
    DOUBTS.get()
}

/// Counts one pattern that was past a limit.
pub fn add_doubt() {
    DOUBTS.set(DOUBTS.get().wrapping_add(1));
}

/// Charges the memory of a compiled pattern, once in a scope for each address.
pub fn charge_memory(address: usize, bytes: u64) -> Result<(), OverBudget> {
    charge(|spent| {
        if spent.charged.contains(&address) {
            return Ok(());
        }
        let memory = spent.memory.saturating_add(bytes);
        if memory > MAX_MEMORY {
            return Err(OverBudget);
        }
        spent.memory = memory;
        spent.charged.insert(address);
        Ok(())
    })
}

/// Charges steps before they are taken.
pub fn charge_steps(steps: u64) -> Result<(), OverBudget> {
    charge(|spent| {
        let sum = spent.steps.saturating_add(steps);
        if sum > MAX_STEPS {
            return Err(OverBudget);
        }
        spent.steps = sum;
        Ok(())
    })
}

/// The steps that are left; `limit` at most.
pub fn steps_left(limit: usize) -> usize {
    SPENT.with_borrow(|spent| {
        let left = spent.as_ref().map_or(u64::MAX, |spent| MAX_STEPS.saturating_sub(spent.steps));
        usize::try_from(left).unwrap_or(usize::MAX).min(limit)
    })
}

/// Runs a search whose steps cannot be counted, and charges the time it took.
pub fn timed<T>(search: impl FnOnce() -> T) -> Result<T, OverBudget> {
    charge_steps(1)?;
    if SPENT.with_borrow(Option::is_none) {
        return Ok(search());
    }
    let started = processor_time();
    let found = search();
    charge_time(processor_time().saturating_sub(started));
    Ok(found)
}

/// The processor time of this thread.
#[cfg(unix)]
fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

/// The time since the first call: Windows counts processor time in steps of 15 ms.
#[cfg(not(unix))]
fn processor_time() -> Duration {
    static FIRST: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    FIRST.get_or_init(std::time::Instant::now).elapsed()
}

fn charge_time(time: Duration) {
    let steps = u64::try_from(time.as_nanos() / u128::from(STEP_NANOSECONDS)).unwrap_or(u64::MAX);
    SPENT.with_borrow_mut(|spent| {
        if let Some(spent) = spent {
            spent.steps = spent.steps.saturating_add(steps);
        }
    });
}

fn charge(with: impl FnOnce(&mut Spent) -> Result<(), OverBudget>) -> Result<(), OverBudget> {
    SPENT.with_borrow_mut(|spent| spent.as_mut().map_or(Ok(()), with))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_inside_a_scope_shares_its_budget() {
        scoped(|| {
            assert_eq!(charge_steps(MAX_STEPS), Ok(()));
            assert_eq!(scoped(|| charge_steps(1)), Err(OverBudget));
            assert_eq!(timed(|| 7), Err(OverBudget));
            assert_eq!(steps_left(9), 0);
        });
        assert_eq!(scoped(|| charge_steps(1)), Ok(()));
        assert_eq!(charge_steps(u64::MAX), Ok(()), "outside of a scope nothing is counted");
    }

    #[test]
    fn the_memory_of_a_pattern_is_charged_once() {
        scoped(|| {
            assert_eq!(charge_memory(1, MAX_MEMORY), Ok(()));
            assert_eq!(charge_memory(1, MAX_MEMORY), Ok(()));
            assert_eq!(charge_memory(2, 1), Err(OverBudget));
        });
    }
}
