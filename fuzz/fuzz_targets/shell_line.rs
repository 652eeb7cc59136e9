//! A command line.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| boathook_fuzz::shell_line::check(bytes));
