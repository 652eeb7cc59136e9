//! A small generator of random numbers: orders of rounds and moments of kills
//! need not be secret.

/// The generator.
pub struct Random(u64);

impl Random {
    /// The same seed gives the same numbers.
    pub fn seeded(seed: u64) -> Random {
        Random(seed | 1)
    }

    /// A number below the limit, which is not 0.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }

    /// Some order of the numbers below `count`.
    pub fn order(&mut self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        for last in (1..count).rev() {
            let other = self.below(last as u64 + 1) as usize;
            order.swap(last, other);
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_holds_every_number_once_and_changes() {
        let mut random = Random::seeded(42);
        let orders: Vec<Vec<usize>> = (0..20).map(|_| random.order(10)).collect();
        for order in &orders {
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..10).collect::<Vec<_>>());
        }
        assert!(orders.windows(2).any(|pair| pair[0] != pair[1]), "every round had the same order");
    }

    #[test]
    fn numbers_stay_below_their_limit() {
        let mut random = Random::seeded(7);
        assert!((0..1000).all(|_| random.below(30) < 30));
    }
}
