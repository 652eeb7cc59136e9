//! A team's signed hooks, after their signatures were checked: what a manifest
//! says, which of its hooks a device takes, and how they are installed, all or
//! nothing.
//!
//! Signatures are checked by the caller: the engine has no cryptography beyond
//! a digest.
//!
//! The rooms: `manifest` and `name` (what is published), `managed` (the folder
//! of a team on this device), `install` (a new generation, written, checked
//! and swapped in), `written` (its `hooks.json`), `self_check` (whether it
//! could run here), `collect` (old ones go), `seal` (what a generation must
//! hold), `hold` (one works at a time), `lease` (one that hooks run from stays),
//! `fresh` (how old the newest signed word is), `expected` (that there must be
//! hooks, should they be gone), `disk` (files that are really written).

mod collect;
#[cfg_attr(unix, path = "disk_unix.rs")]
#[cfg_attr(windows, path = "disk_windows.rs")]
mod disk; // both give: make_folder, write_new, sync_folder, swap_link, open_folder, open_lock
mod expected;
mod fresh;
mod hold;
mod install;
mod lease;
mod managed;
pub mod manifest;
pub mod name;
mod seal;
mod self_check;
#[cfg(test)]
mod tests;
mod written;

pub(crate) use expected::file as expected_file;
pub use expected::{Expected, NAME as EXPECTED};
pub(crate) use fresh::NAME as FRESH;
pub use fresh::{Age, Fresh, age_in_words};
pub use install::{InstallError, Installed, Offer};
pub(crate) use lease::{Lease, lease};
pub use managed::{Current, Managed, Marker};
pub(crate) use managed::{LINK, in_force, is_ours, read_fresh, sealed_generation};
pub use seal::{Fault, Seal, Tampered};
pub(crate) use seal::{HOOKS, NAME as SEAL};
pub use self_check::could_run;
pub use written::hooks_json;
