//! What an agent sends; `BOATHOOK_FUZZ_AGENT` names the agent.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| boathook_fuzz::agent_payload::check(bytes));
