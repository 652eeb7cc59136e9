//! Long lines on a terminal, folded at their words under where they began.

use unicode_width::UnicodeWidthStr;

/// The text as lines of at most this width, all but the first behind so many
/// spaces. A word that is longer than a line has one of its own; no width is one
/// line.
pub fn fold(text: &str, width: Option<usize>, margin: usize) -> String {
    let Some(width) = width else { return text.to_owned() };
    let indent = text.len() - text.trim_start().len();
    let mut folded = text[..indent].to_owned();
    let (mut used, mut first) = (indent, true);
    for word in text[indent..].split(' ') {
        if !first && used + 1 + word.width() > width {
            folded.push('\n');
            folded.push_str(&" ".repeat(margin));
            used = margin;
        } else if !first {
            folded.push(' ');
            used += 1;
        }
        folded.push_str(word);
        used += word.width();
        first = false;
    }
    folded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_between_words() {
        let cases = [
            ("  wired    one two three", Some(20), "  wired    one two\n           three"),
            ("  wired    one two three", None, "  wired    one two three"),
            ("a bb", Some(4), "a bb"),
            ("a bbbbbbbb c", Some(4), "a\n           bbbbbbbb\n           c"),
            ("日本 日本", Some(6), "日本\n           日本"),
            ("", Some(3), ""),
        ];
        for (text, width, expected) in cases {
            assert_eq!(fold(text, width, 11), expected, "{text}");
        }
    }
}
