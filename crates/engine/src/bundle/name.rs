//! What a managed script may be called.

/// The longest name.
pub const LONGEST: usize = 128;

/// Names that Windows keeps for devices, whatever follows the first dot.
const DEVICES: [&str; 24] = [
    "aux", "clock$", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8", "com9", "con", "lpt1",
    "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9", "nul", "prn", "conin$",
];

/// Names of our own files beside the scripts.
const OURS: [&str; 2] = ["hooks.json", "seal.json"];

/// Says why a script cannot have this name; nothing when it can.
///
/// The rule is one for all systems: what one of them could not store, none
/// gets.
pub fn refusal(name: &str) -> Option<&'static str> {
    let stem = name.split('.').next().unwrap_or_default().to_ascii_lowercase();
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    if name.is_empty() {
        Some("is empty")
    } else if name.len() > LONGEST {
        Some("is longer than 128 characters")
    } else if !name.bytes().all(allowed) {
        Some("has a character other than letters, digits, `.`, `_` and `-`")
    } else if name.starts_with(['.', '-']) {
        Some("starts with `.` or `-`")
    } else if name.ends_with('.') {
        Some("ends with `.`")
    } else if DEVICES.contains(&stem.as_str()) {
        Some("is a device on Windows")
    } else if OURS.contains(&name.to_ascii_lowercase().as_str()) {
        Some("is a file of Boathook's own")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::refusal;

    #[test]
    fn names_that_are_one_plain_component_are_taken() {
        for name in ["guard.sh", "a", "A-1_b.py", "x.tar.gz", "console.sh", &"n".repeat(128)] {
            assert_eq!(refusal(name), None, "{name}");
        }
    }

    #[test]
    fn s10_every_other_name_is_refused() {
        let long = "n".repeat(300);
        let names = [
            "../x",
            "/abs",
            "a/b",
            "a\\b",
            "con",
            "CON.sh",
            "nul.txt",
            "x.",
            "",
            "-rf",
            ".hidden",
            "é.sh",
            "a b",
            "a\nb",
            "a\0b",
            "..",
            ".",
            "hooks.json",
            "Seal.json",
            &long,
        ];
        for name in names {
            assert!(refusal(name).is_some(), "{name:?}");
        }
    }
}
