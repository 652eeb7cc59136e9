//! A generation that hooks run from stays until they have ended.

use std::fs::File;
use std::path::Path;

use super::seal;
use crate::read_file;

/// Keeps a generation from being collected until it is dropped.
#[derive(Debug)]
pub(crate) struct Lease {
    _seal: File,
}

/// Keeps this generation; none when it is going or gone, so that the link must
/// be followed again. Whoever collects holds the seal alone, and gives the
/// folder another name before he lets go.
pub(crate) fn lease(generation: &Path) -> Option<Lease> {
    let path = generation.join(seal::NAME);
    let file = File::open(&path).ok()?;
    file.try_lock_shared().ok()?;
    read_file::link_facts(&path).map(|_| Lease { _seal: file })
}
