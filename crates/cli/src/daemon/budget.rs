//! Memory for long lines, shared by all connections.
//!
//! A line may be long and there may be many connections; both together may not
//! be more than the daemon has. Short lines are free.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use boathook_engine::remote::wire::LONGEST_LINE;

/// All long lines that are read or worked on may have so many bytes together.
pub const ALL: usize = 4 * LONGEST_LINE;

/// What is left.
#[derive(Debug, Default)]
pub struct Budget {
    used: AtomicUsize,
}

/// Some of it, until it is dropped.
#[derive(Debug)]
pub struct Share {
    budget: Arc<Budget>,
    bytes: usize,
}

impl Budget {
    /// A share of nothing, which can grow.
    pub fn share(self: &Arc<Budget>) -> Share {
        Share { budget: Arc::clone(self), bytes: 0 }
    }
}

impl Share {
    /// Has so many bytes from now on; false, and as many as before, when they
    /// are not there.
    pub fn grow_to(&mut self, bytes: usize) -> bool {
        let more = bytes.saturating_sub(self.bytes);
        let used = self.budget.used.fetch_add(more, Ordering::Relaxed);
        let fits = used + more <= ALL;
        if fits {
            self.bytes += more;
        } else {
            self.budget.used.fetch_sub(more, Ordering::Relaxed);
        }
        fits
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.budget.used.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_shares_together_have_a_limit() {
        let budget = Arc::new(Budget::default());
        let mut shares: Vec<Share> = (0..5).map(|_| budget.share()).collect();
        assert!(shares[..4].iter_mut().all(|share| share.grow_to(LONGEST_LINE)));
        assert!(!shares[4].grow_to(1));
        shares.remove(0);
        assert!(shares[3].grow_to(1), "what was given back is there again");
    }
}
