//! Text of others with everything made visible that a terminal or a page would
//! obey rather than show, or not show at all.

/// The text with every character of `is_obeyed` as an escape; lines and tabs stay.
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (character, shown) in shown(text) {
        if shown || matches!(character, '\n' | '\t') {
            out.push(character);
        } else {
            out.push_str(&escape(character));
        }
    }
    out
}

/// The same on one line: what somebody else wrote cannot look like a line of
/// ours.
pub fn on_one_line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (character, shown) in shown(text) {
        if shown {
            out.push(character);
        } else {
            out.push_str(&escape(character));
        }
    }
    out
}

/// Every character of a text, and whether it can be shown as it is.
pub fn shown(text: &str) -> impl Iterator<Item = (char, bool)> {
    let mut before = ' ';
    text.chars().map(move |character| {
        // U+FE0F behind a symbol selects its emoji form, which many messages use; elsewhere it is unseen.
        let selects_emoji =
            character == '\u{fe0f}' && matches!(before, '\u{2190}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}');
        before = character;
        (character, selects_emoji || !is_obeyed(character))
    })
}

/// The same inside JSON, where such characters can only stand in strings.
pub fn visible_json(json: &str) -> String {
    if !json.chars().any(is_obeyed) {
        return json.to_owned();
    }
    let mut out = String::with_capacity(json.len());
    for character in json.chars() {
        if is_obeyed(character) && !matches!(character, '\n' | '\t') {
            for unit in character.encode_utf16(&mut [0; 2]) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            out.push(character);
        }
    }
    out
}

/// How a character looks that would not be seen.
pub fn escape(character: char) -> String {
    format!("\\u{{{:x}}}", u32::from(character))
}

/// Whether a terminal or a page acts on this character or shows nothing for it: control characters,
/// line and paragraph separators, interlinear annotations, and Unicode's property
/// `Default_Ignorable_Code_Point`, which holds changes of direction, zero-width and tag characters.
pub fn is_obeyed(character: char) -> bool {
    if character < '\u{ad}' {
        return character.is_control();
    }
    matches!(
        character,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_seen_is_escaped_and_json_keeps_its_value() {
        let cases = [
            ("a\u{200b}b", r"a\u{200b}b"),
            ("a\u{e0041}", r"a\u{e0041}"),
            ("a\u{2028}b\u{2029}", r"a\u{2028}b\u{2029}"),
            ("\u{26a0}\u{fe0f} no", "\u{26a0}\u{fe0f} no"),
            ("r\u{fe0f}m", r"r\u{fe0f}m"),
            ("é 日本 ü", "é 日本 ü"),
        ];
        for (text, expected) in cases {
            assert_eq!(visible(text), expected);
            assert_eq!(on_one_line(text), expected);
            let json = visible_json(&serde_json::to_string(text).expect("JSON"));
            assert!(!json.chars().any(is_obeyed), "{json}");
            assert_eq!(serde_json::from_str::<String>(&json).expect("JSON"), text);
        }
    }
}
