//! The output of a hook.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| boathook_fuzz::answers::check(bytes));
