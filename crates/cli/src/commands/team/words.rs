//! What the codes of a sync mean to the person who reads them, and spans of
//! time as people say them.

/// What a code means, and what to do about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Meaning {
    pub code: &'static str,
    pub means: &'static str,
    /// Nothing when there is nothing to do.
    pub help: Option<&'static str>,
}

/// The meaning of a code; none for one that a newer server made up.
pub fn meaning(code: &str) -> Option<&'static Meaning> {
    MEANINGS.iter().find(|meaning| meaning.code == code)
}

impl Meaning {
    /// What it means on a machine where hooks of the team are in force, or none.
    pub fn means_with(&self, in_force: bool) -> &'static str {
        match self.code {
            "self_check" if !in_force => {
                "the team's hooks cannot run on this machine, so none of them are in force"
            }
            _ => self.means,
        }
    }

    /// What to do there.
    pub fn help_with(&self, in_force: bool) -> Option<&'static str> {
        self.help.map(|help| if help == ASK_ADMIN && !in_force { ASK_ADMIN_WITHOUT } else { help })
    }
}

const ASK_ADMIN_WITHOUT: &str = "tell an admin of the team; no hooks of the team are in force here";
const ASK_ADMIN: &str = "tell an admin of the team; the hooks you have stay in force";
/// Where nothing need be done.
pub const TRY_LATER: &str = "it is tried again by itself; `boathook team sync --now` asks at once";
const LOGIN_AGAIN: &str = "ask an admin for a token, then `boathook team login URL --switch`";
const DISK: &str =
    "make room, or mend the permissions that the message names, then `boathook team sync --now`";

const fn row(code: &'static str, means: &'static str, help: Option<&'static str>) -> Meaning {
    Meaning { code, means, help }
}

/// Every code of docs/design/team.md.
const MEANINGS: [Meaning; 35] = [
    row("applied", "what the team published is in force", None),
    row("unchanged", "nothing new was published", None),
    row("stale", "the server has signed nothing new for too long", Some(ASK_ADMIN)),
    row("unreachable", "the server cannot be reached", Some(TRY_LATER)),
    row(
        "tls",
        "the server's certificate is not trusted",
        Some(
            "a certificate of your company's own: log in with `--ca FILE`; otherwise somebody may stand between you and the server",
        ),
    ),
    row("truncated", "an answer broke off", Some(TRY_LATER)),
    row("too_large", "an answer is larger than any that makes sense", Some(ASK_ADMIN)),
    row("unauthorized", "the server no longer knows this machine", Some(LOGIN_AGAIN)),
    row("forbidden", "the server does not let this machine have the hooks", Some(LOGIN_AGAIN)),
    row("missing", "the server does not have what it should", Some(ASK_ADMIN)),
    row("throttled", "the server asks to be left alone for a while", Some(TRY_LATER)),
    row("server_error", "the server failed", Some(TRY_LATER)),
    row(
        "redirected",
        "the server sends us to another address, and no token goes there",
        Some("log in with the address the server really has: `boathook team login URL --switch`"),
    ),
    row("downgrade", "the server sends us to an address without encryption", Some(ASK_ADMIN)),
    row(
        "bad_format",
        "what came is not what a server of ours sends",
        Some("a network that wants you to sign in answers like this: open any page in a browser first"),
    ),
    row("empty", "an empty answer came, which never means «no hooks»", Some(TRY_LATER)),
    row("rollback", "the server offers something older than this machine has seen", Some(ASK_ADMIN)),
    row(
        "conflict",
        "the server offers other content under a version that this machine knows",
        Some(ASK_ADMIN),
    ),
    row("root_skipped", "a step in the chain of roots is missing", Some(ASK_ADMIN)),
    row("unsigned", "what came is not signed", Some(ASK_ADMIN)),
    row("wrong_key", "what came is signed by a key that does not count", Some(ASK_ADMIN)),
    row("threshold", "too few of the team's keys signed", Some(ASK_ADMIN)),
    row("duplicate_signature", "one key signed twice, which counts once", Some(ASK_ADMIN)),
    row(
        "unknown_scheme",
        "what came is signed in a way this version does not know",
        Some("a newer version of Boathook may know it"),
    ),
    row("expired", "what came has expired", Some(ASK_ADMIN)),
    row("hash_mismatch", "a file is not the one that was signed", Some(TRY_LATER)),
    row("length_mismatch", "a file does not have the length that was signed", Some(TRY_LATER)),
    row("audience", "what came was made for another team, or another server", Some(ASK_ADMIN)),
    row("bad_name", "a script has a name that some system could not store", Some(ASK_ADMIN)),
    row("self_check", "the new hooks cannot run on this machine, so the old ones stay", Some(ASK_ADMIN)),
    row("locked", "another process is at it", Some(TRY_LATER)),
    row("disk", "the hooks could not be written", Some(DISK)),
    row("foreign", "the folder of the team's hooks is not ours to write to", Some(DISK)),
    row(
        "tampered",
        "somebody changed the hooks on this machine",
        Some("`boathook team sync --now` puts them right"),
    ),
    row("fingerprint", "the team's first root is not the one this machine was given", Some(ASK_ADMIN)),
];

/// How long ago a moment was, or how far ahead it is; in milliseconds.
pub fn away(moment: i64, now: i64) -> String {
    match now.saturating_sub(moment) {
        past @ 0.. => format!("{} ago", span(past)),
        ahead => format!("in {}", span(ahead.saturating_neg())),
    }
}

/// A span of milliseconds.
pub fn span(millis: i64) -> String {
    let one_or = |number: i64, one: &str, more: &str| match number {
        1 => format!("1 {one}"),
        number => format!("{number} {more}"),
    };
    match millis / 1000 {
        seconds @ ..120 => format!("{seconds} s"),
        seconds @ ..7_200 => format!("{} min", seconds / 60),
        seconds @ ..172_800 => one_or(seconds / 3_600, "hour", "hours"),
        seconds => one_or(seconds / 86_400, "day", "days"),
    }
}

/// `1 hook`, `3 hooks`.
pub fn hooks(number: usize) -> String {
    counted(number as u64, "hook")
}

/// `1 day`, `3 days`.
pub fn counted(number: u64, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_of_the_design_has_its_meaning() {
        let design = include_str!("../../../../../docs/design/team.md");
        let (_, codes) = design.split_once("### Codes").expect("the design lists codes");
        let codes = codes.split("\n## ").next().unwrap_or_default();
        let listed: Vec<&str> = codes.split('`').skip(1).step_by(2).collect();
        assert_eq!(listed, MEANINGS.map(|meaning| meaning.code));
    }

    #[test]
    fn nobody_is_told_that_hooks_stay_in_force_where_there_are_none() {
        for meaning in &MEANINGS {
            let words = format!("{} {:?}", meaning.means_with(false), meaning.help_with(false));
            assert!(!words.contains("stay"), "{words}");
        }
        let check = meaning("self_check").expect("a code of the design");
        assert!(check.means_with(true).contains("the old ones stay"));
        assert!(check.help_with(true).is_some_and(|help| help.contains("stay in force")));
    }

    #[test]
    fn times_are_said_as_people_say_them() {
        let cases = [
            (0, "0 s ago"),
            (119_000, "119 s ago"),
            (120_000, "2 min ago"),
            (7_200_000, "2 hours ago"),
            (172_800_000, "2 days ago"),
            (-60_000, "in 60 s"),
            (i64::MIN, "in 106751991167 days"),
        ];
        for (past, expected) in cases {
            assert_eq!(away(0, past), expected, "{past}");
        }
    }
}
