//! A hookify rule.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| boathook_fuzz::hookify::check(bytes));
