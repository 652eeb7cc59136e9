//! Settings and plugins of Claude Code.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| boathook_fuzz::claude_settings::check(bytes));
