//! The fingerprint that decides whose hooks a machine will run: as it is typed,
//! as it is shown, and as a person confirms it.

use boathook_engine::digest::Digest;

use super::asking;
use crate::error::Failed;
use crate::ui::Ui;

/// So many digits a person types to confirm.
const CONFIRMED: usize = 8;
/// So often a person may mistype them.
const TRIES: usize = 3;
/// So many digits stand together where it is shown.
const GROUP: usize = 4;
/// The digits of a SHA-256.
const DIGITS: usize = 64;

/// A fingerprint as somebody wrote it: groups and capitals are the same digits.
pub fn typed(text: &str) -> Result<String, Failed> {
    let digits = digits_of(text);
    if digits.len() == DIGITS && digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return Ok(digits);
    }
    let problem = format!("`--fingerprint {text}` is no SHA-256");
    Err(Failed::other(problem, "64 hexadecimal digits, as `boathook team admin settings show` prints them"))
}

/// Whether the root a server has is the one that was meant: as it was handed
/// over, or as the person at this terminal says. Never by itself.
pub fn agree(ui: &mut Ui, root: &[u8], expected: Option<&str>) -> Result<String, Failed> {
    is_meant(ui, &Digest::of(root).to_string(), expected)
}

/// The same for the fingerprint alone.
pub fn is_meant(ui: &mut Ui, found: &str, expected: Option<&str>) -> Result<String, Failed> {
    match expected {
        Some(expected) if expected == found => Ok(found.to_owned()),
        Some(expected) => Err(differs(expected, found)),
        None => confirmed(ui, found).map(|()| found.to_owned()),
    }
}

/// What is said where nobody can be asked.
pub fn needed() -> Failed {
    let problem = "nobody can confirm the team's fingerprint here";
    Failed::other(problem, "write `--fingerprint SHA256` as an admin of the team gave it to you")
}

/// The digits in groups, in two lines.
pub fn shown(digits: &str) -> [String; 2] {
    let (first, second) = digits.split_at(digits.len() / 2);
    [grouped(first), grouped(second)]
}

fn grouped(digits: &str) -> String {
    let groups: Vec<&str> =
        digits.as_bytes().chunks(GROUP).filter_map(|group| std::str::from_utf8(group).ok()).collect();
    groups.join(" ")
}

fn confirmed(ui: &mut Ui, found: &str) -> Result<(), Failed> {
    if !asking::somebody_is_there() {
        return Err(needed());
    }
    ui.say("The team's fingerprint is");
    shown(found).iter().for_each(|line| ui.say(&format!("    {line}")));
    ui.say("Compare it with the one that an admin of the team gave you, by another way than this server.");
    for _ in 0..TRIES {
        asking::forget_typed();
        let typed = asking::line(ui, "If it is the same, type its first 8 digits: ")?;
        if Some(digits_of(&typed).as_str()) == found.get(..CONFIRMED) {
            return Ok(());
        }
        ui.say("These are not its first 8 digits.");
    }
    Err(Failed::other(
        "the fingerprint was not confirmed, so this machine did not join the team",
        "ask an admin of the team: `boathook team admin settings show` prints the fingerprint",
    ))
}

fn differs(expected: &str, found: &str) -> Failed {
    let problem = format!(
        "the server's first root has another fingerprint, so this machine did not join the team\nexpected {expected}\nfound    {found}"
    );
    let help = "either the fingerprint is of another team, or somebody stands between you and the server: ask an admin of the team";
    Failed::other(problem, help)
}

fn digits_of(text: &str) -> String {
    text.chars()
        .filter(|c| !c.is_whitespace() && !matches!(c, ':' | '-'))
        .map(|c| c.to_ascii_lowercase())
        .collect()
}

#[cfg(test)]
mod tests {
    use clap::ColorChoice;

    use super::*;

    #[test]
    fn a_fingerprint_is_read_in_every_way_it_is_written() {
        let digits = "0123456789abcdef".repeat(4);
        let [first, second] = shown(&digits);
        let cases = [
            ("plain", digits.clone(), true),
            ("capitals", digits.to_uppercase(), true),
            ("as it is shown", format!("{first}\n{second}"), true),
            (
                "with colons",
                digits.as_bytes().chunks(2).map(|two| format!(":{}", two.escape_ascii())).collect(),
                true,
            ),
            ("too short", digits[1..].to_owned(), false),
            ("too long", format!("{digits}0"), false),
            ("no digits", "x".repeat(64), false),
            ("not ASCII", "é".repeat(32), false),
            ("nothing", String::new(), false),
        ];
        for (name, text, good) in cases {
            assert_eq!(typed(&text).ok(), good.then(|| digits.clone()), "{name}");
        }
        assert_eq!(first, "0123 4567 89ab cdef 0123 4567 89ab cdef");
    }

    #[test]
    fn only_the_root_that_was_meant_is_agreed_on() {
        let mut ui = Ui::new(ColorChoice::Never);
        let found = Digest::of(b"root").to_string();
        assert_eq!(agree(&mut ui, b"root", Some(&found)).ok().as_deref(), Some(found.as_str()));
        let error = agree(&mut ui, b"another", Some(&found)).expect_err("another root");
        assert!(error.to_string().contains(&found), "{error}");
    }
}
