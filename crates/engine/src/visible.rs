//! Text of others with everything made visible that a terminal or a page would
//! obey rather than show.

/// The text with control characters and changes of direction as escapes; lines
/// and tabs stay.
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if is_obeyed(character) && !matches!(character, '\n' | '\t') {
            out.push_str(&escape(character));
        } else {
            out.push(character);
        }
    }
    out
}

/// The same on one line: what somebody else wrote cannot look like a line of
/// ours.
pub fn on_one_line(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut out, character| {
        if is_obeyed(character) {
            out.push_str(&escape(character));
        } else {
            out.push(character);
        }
        out
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
            out.push_str(&format!("\\u{:04x}", u32::from(character)));
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

/// Control characters, and those that change the direction of text.
pub fn is_obeyed(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
