//! Medians and quartiles.

/// What is said about a series of numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Summary {
    /// Half are below.
    pub median: f64,
    /// A quarter are below.
    pub lower: f64,
    /// A quarter are above.
    pub upper: f64,
    /// One in twenty is above.
    pub p95: f64,
    /// The largest.
    pub max: f64,
}

impl Summary {
    /// Of these numbers; of none, all are zero.
    pub fn of(numbers: &[f64]) -> Summary {
        let mut sorted = numbers.to_vec();
        sorted.sort_by(f64::total_cmp);
        let at = |share| quantile(&sorted, share);
        Summary { median: at(0.5), lower: at(0.25), upper: at(0.75), p95: at(0.95), max: at(1.0) }
    }
}

/// The value below which this share lies, between neighbours in proportion.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return 0.0 };
    let place = share * last as f64;
    let (below, above) = (place.floor() as usize, place.ceil() as usize);
    sorted[below] + (sorted[above] - sorted[below]) * (place - place.floor())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_gives_the_quantiles() {
        let cases: [(&str, &[f64], [f64; 5]); 4] = [
            ("nothing", &[], [0.0; 5]),
            ("one number", &[7.0], [7.0; 5]),
            ("an odd count, unsorted", &[3.0, 1.0, 2.0], [2.0, 1.5, 2.5, 2.9, 3.0]),
            ("an even count lies between", &[1.0, 2.0, 3.0, 4.0], [2.5, 1.75, 3.25, 3.85, 4.0]),
        ];
        for (name, numbers, [median, lower, upper, p95, max]) in cases {
            let summary = Summary::of(numbers);
            let expected = Summary { median, lower, upper, p95, max };
            let close = |one: f64, two: f64| (one - two).abs() < 1e-9;
            assert!(close(summary.median, expected.median), "{name}: {summary:?}");
            assert!(close(summary.lower, expected.lower), "{name}: {summary:?}");
            assert!(close(summary.upper, expected.upper), "{name}: {summary:?}");
            assert!(close(summary.p95, expected.p95), "{name}: {summary:?}");
            assert!(close(summary.max, expected.max), "{name}: {summary:?}");
        }
    }
}
