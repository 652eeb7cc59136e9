//! A team's signed hooks, after their signatures were checked: what a manifest
//! says, which of its hooks a device takes, and how they are installed, all or
//! nothing.
//!
//! Signatures are checked by the caller: the engine has no cryptography beyond
//! a digest.

pub mod manifest;
pub mod name;
