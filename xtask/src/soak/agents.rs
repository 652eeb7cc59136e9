//! Every scenario in every real agent. `--quick`: those of `cargo xtask test`.

use super::Options;
use crate::agents::{self, Extent};
use crate::command::Outcome;
use crate::progress::Progress;

/// Prints its own table; `--write` renews `conformance/agents/seen.json`.
pub fn soak(options: Options, progress: &mut Progress) -> Outcome<()> {
    let extent = match options {
        Options { quick: true, .. } => Extent::Small,
        Options { write: true, .. } => Extent::Written,
        _ => Extent::Full,
    };
    agents::drive(extent, progress)
}
