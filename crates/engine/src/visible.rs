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

/// How a character looks that would not be seen.
pub fn escape(character: char) -> String {
    format!("\\u{{{:x}}}", u32::from(character))
}

/// Control characters, and those that change the direction of text.
pub fn is_obeyed(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
