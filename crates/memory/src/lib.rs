//! How the static build gets, copies and compares memory: musl does all of it in
//! few lines of code rather than fast, and an event consists of many small strings.
//!
//! Elsewhere this is empty.

// An allocator and what the C library does with memory have no safe face.
#![allow(unsafe_code)]

#[cfg(target_env = "musl")]
mod allocator;
#[cfg(all(target_arch = "x86_64", any(target_env = "musl", test)))]
mod compare;
#[cfg(all(target_arch = "x86_64", any(target_env = "musl", test)))]
mod copy;

#[cfg(target_env = "musl")]
pub use allocator::Allocator;
