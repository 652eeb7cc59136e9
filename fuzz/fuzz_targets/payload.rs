//! The JSON object of an event.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| boathook_fuzz::payload::check(bytes));
