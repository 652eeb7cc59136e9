//! Text of others on a page: escaped, and with everything made visible that
//! would be obeyed or not be seen. Times and counts as people read them.

use boathook_engine::ids::now_millis;
use boathook_engine::visible::{escape, is_obeyed, shown};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use maud::{Markup, PreEscaped, html};

/// A text that is longer is cut until somebody asks for all of it.
pub const LONG: usize = 16 * 1024;

/// Any text, harmless.
pub fn safe(text: &str) -> Markup {
    if !text.chars().any(is_obeyed) {
        return html! { (text) };
    }
    let mut out = String::with_capacity(text.len() * 2);
    let mut plain = String::new();
    for (character, shown) in shown(text) {
        if shown || matches!(character, '\n' | '\t') {
            plain.push(character);
        } else {
            out.push_str(&html! { (plain) span.hidden-character { (escape(character)) } }.into_string());
            plain.clear();
        }
    }
    out.push_str(&html! { (plain) }.into_string());
    PreEscaped(out)
}

/// A sentence of ours, in which words between backticks are code.
pub fn prose(text: &str) -> Markup {
    let parts: Vec<&str> = text.split('`').collect();
    // An odd one out belongs to the text.
    let paired = parts.len() % 2 == 1;
    html! {
        @if !paired { (safe(text)) }
        @else {
            @for (index, part) in parts.iter().enumerate() {
                @if index % 2 == 1 { code { (safe(part)) } } @else { (safe(part)) }
            }
        }
    }
}

/// One line of at most so many characters.
pub fn line(text: &str, longest: usize) -> Markup {
    let mut words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((cut, _)) = words.char_indices().nth(longest) {
        words.truncate(cut);
        words.push('…');
    }
    safe(&words)
}

/// A command or another short text of a program; long ones unfold.
pub fn command(text: &str) -> Markup {
    const SHOWN: usize = 300;
    if text.chars().count() <= SHOWN && text.lines().count() <= 4 {
        return html! { code.command { (safe(text)) } };
    }
    html! {
        details.long {
            summary { code.command { (line(text, SHOWN / 2)) } " " span.more { "show all of it" } }
            pre tabindex="0" { (safe(shortened(text, LONG))) }
        }
    }
}

/// A text of many lines. `all` is where the whole of it is shown.
pub fn block(label: &str, text: &str, all: Option<&str>) -> Markup {
    let shown = if all.is_some() { shortened(text, LONG) } else { text };
    html! {
        pre.block tabindex="0" role="region" aria-label=(label) { (safe(shown)) }
        @if let (Some(all), true) = (all, shown.len() < text.len()) {
            p.note { "The first " (bytes(shown.len())) " of " (bytes(text.len())) ". " a href=(all) { "Show all of it" } }
        }
    }
}

/// The beginning of a text.
pub fn shortened(text: &str, longest: usize) -> &str {
    &text[..text.floor_char_boundary(longest)]
}

/// A path, which may be any bytes.
pub fn path(path: &std::path::Path) -> Markup {
    html! { span.path { (safe(&path.to_string_lossy())) } }
}

/// `file:line` of a hook or a problem.
pub fn place(file: &std::path::Path, line: Option<usize>) -> Markup {
    html! { span.path { (safe(&file.to_string_lossy())) @if let Some(line) = line { ":" (line) } } }
}

/// So many of something.
pub fn plural(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{} {what}s", grouped(count)) }
}

/// A number with its thousands apart.
pub fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A size.
pub fn bytes(count: usize) -> String {
    match count {
        0..1024 => plural(count, "byte"),
        1024..1_048_576 => format!("{:.1} KiB", count as f64 / 1024.0),
        _ => format!("{:.1} MiB", count as f64 / 1_048_576.0),
    }
}

/// Milliseconds since 1970 of a record's time.
pub fn millis(timestamp: &str) -> Option<i64> {
    timestamp.parse::<Timestamp>().ok().map(|time| time.as_millisecond())
}

/// The time of day, with the day where it is another one.
pub fn clock(timestamp: &str) -> Markup {
    let Ok(time) = timestamp.parse::<Timestamp>() else { return html! { (safe(timestamp)) } };
    let zoned = time.to_zoned(TimeZone::system());
    let today = Timestamp::from_millisecond(now_millis()).unwrap_or_default().to_zoned(TimeZone::system());
    let format = if zoned.date() == today.date() { "%H:%M:%S" } else { "%m-%d %H:%M:%S" };
    html! { time datetime=(time) title=(long(timestamp)) { (zoned.strftime(format)) } }
}

/// All of a time.
pub fn long(timestamp: &str) -> String {
    let time = timestamp.parse::<Timestamp>().ok().map(|time| time.to_zoned(TimeZone::system()));
    time.map_or_else(|| timestamp.to_owned(), |time| time.strftime("%Y-%m-%d %H:%M:%S%.3f %:z").to_string())
}

/// A span of time in its two largest units.
pub fn span(millis: i64) -> String {
    let seconds = millis.max(0) / 1000;
    match seconds {
        0 => format!("{} ms", millis.max(0)),
        1..60 => format!("{seconds} s"),
        60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        3600..86_400 => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
        _ => format!("{} d {} h", seconds / 86_400, seconds % 86_400 / 3600),
    }
}

/// How long ago a time is.
pub fn ago(millis: i64) -> String {
    match now_millis().saturating_sub(millis) {
        ..60_000 => "just now".to_owned(),
        ago @ 60_000..3_600_000 => format!("{} min ago", ago / 60_000),
        ago @ 3_600_000..86_400_000 => format!("{} h ago", ago / 3_600_000),
        ago => format!("{} d ago", ago / 86_400_000),
    }
}

/// A text as it stands in a query.
pub fn encoded(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    let one = |byte: u8| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    text.bytes().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_hostile_is_left_in_a_page() {
        let cases = [
            ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
            ("\u{1b}[31m<b>", r#"<span class="hidden-character">\u{1b}</span>[31m&lt;b&gt;"#),
            (
                "a\u{202e}b\u{200b}",
                r#"a<span class="hidden-character">\u{202e}</span>b<span class="hidden-character">\u{200b}</span>"#,
            ),
            ("line\n\tnext", "line\n\tnext"),
            ("\" onload=\"x", "&quot; onload=&quot;x"),
            ("日本 👍🏽", "日本 👍🏽"),
        ];
        for (text, expected) in cases {
            assert_eq!(safe(text).into_string(), expected);
        }
    }

    #[test]
    fn numbers_and_spans_read_well() {
        assert_eq!(
            [grouped(1), grouped(999), grouped(1000), grouped(1_234_567)],
            ["1", "999", "1,000", "1,234,567"]
        );
        let spans = [
            (0, "0 ms"),
            (999, "999 ms"),
            (61_000, "1 min 1 s"),
            (7_260_000, "2 h 1 min"),
            (90_000_000, "1 d 1 h"),
        ];
        for (millis, expected) in spans {
            assert_eq!(span(millis), expected);
        }
        assert_eq!(encoded("a b&c=é"), "a%20b%26c%3D%C3%A9");
        assert_eq!(line("a\n  b ccc", 5).into_string(), "a b c…");
    }
}
