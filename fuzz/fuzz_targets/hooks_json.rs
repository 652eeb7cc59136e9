//! The text of a hooks.json.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| boathook_fuzz::hooks_json::check(bytes));
