//! How the static build gets, copies and compares memory: musl does all of it in
//! few lines of code rather than fast, and an event consists of many small strings.
//!
//! Everywhere: what happens when there is no memory left (`exhaustion`).

// An allocator and what the C library does with memory have no safe face.
#![allow(unsafe_code)]

#[cfg(target_env = "musl")]
mod allocator;
#[cfg(all(target_arch = "x86_64", any(target_env = "musl", test)))]
mod compare;
#[cfg(all(target_arch = "x86_64", any(target_env = "musl", test)))]
mod copy;
mod exhaustion;

#[cfg(target_env = "musl")]
pub use allocator::Allocator;
pub use exhaustion::{ReportsExhaustion, on_exhaustion};
#[cfg(not(target_env = "musl"))]
pub use std::alloc::System as Allocator;
