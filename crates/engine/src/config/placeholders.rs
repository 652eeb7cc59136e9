//! Placeholders in a command line: those that are given, and those nobody expands.
//!
//! `${command}`, `${prompt}`, `${file_path}` and `${status}` reach the hook as
//! environment variables, and the shell expands them. Outside double quotes it
//! also splits them, so that their text can become arguments: a warning.

use std::ops::Range;

use jsonc_parser::ast::StringLit;

use super::entry::Entry;
use super::nearest_name;
use super::shell::{Quotes, Quoting};
use crate::event::EVENTS;
use crate::problem::{Fix, Problem};

/// The values of a payload that a command line may mention.
pub const PAYLOAD_NAMES: [&str; 4] = ["command", "prompt", "file_path", "status"];

/// The names of these that a command line mentions. Asked at every event, and
/// most command lines mention nothing.
pub fn mentioned(command: &str) -> impl Iterator<Item = &'static str> {
    let names = if command.contains('$') { &PAYLOAD_NAMES[..] } else { &[] };
    names.iter().copied().filter(|name| command.contains(&format!("${{{name}}}")))
}

/// So many placeholders of one command are reported.
const REPORTED: usize = 8;

/// Warns about the placeholders of a command.
pub(super) fn check(entry: &mut Entry, literal: &StringLit) {
    let command: &str = &literal.value;
    if is_plain(command) {
        return;
    }
    let braces = braced(command);
    let mut quotes = Quotes::new(command);
    let given = |name: &str| PAYLOAD_NAMES.into_iter().find(|given| *given == name);
    let exact = |(name, bytes): &&(&str, Range<usize>)| is_exact(name, &command[bytes.clone()]);
    let mentions = braces.iter().filter(exact).filter_map(|(name, bytes)| Some((given(name)?, bytes)));
    for (name, bytes) in mentions.take(REPORTED) {
        let mention = Mention { command, name, bytes: bytes.clone(), quoting: quotes.at(bytes.start) };
        check_mention(entry, literal, &mention);
    }
    for bytes in unexpanded(command, &braces).into_iter().take(REPORTED) {
        let message = format!("nobody expands `{}`", super::syntax::excerpt(&command[bytes.clone()]));
        let help = "write the real value; the hook reads the event as JSON on stdin";
        let at = in_file(entry.reader.text, literal, &bytes);
        entry.warn(at, Problem::warning("placeholder-not-expanded", message).help(help));
    }
    for (name, bytes) in braces.iter().take(REPORTED) {
        let Some(meant) = misspelt(command, name, &command[bytes.clone()]) else { continue };
        let message = format!("`${{{name}}}` is always empty: no hook is given `{name}`");
        let problem = Problem::warning("placeholder-misspelt", message);
        let at = in_file(entry.reader.text, literal, bytes);
        entry.warn(at, problem.help(format!("did you mean `${{{meant}}}`?")).product(NOT_EXPANDED));
    }
    if let Some(at) = command.find("//") {
        let message = "a `//` in a string; Boathook reads it, the original product may not";
        let problem = Problem::hint("slashes-in-string", message)
            .help("move the URL into the script if the file is shared with the product's command line")
            .product(
                "its command line takes `//` for a comment, even here, and drops the whole file in silence",
            );
        let at = in_file(entry.reader.text, literal, &(at..at + 2));
        entry.warn(at, problem);
    }
}

/// Nothing in a command can be what is looked for here. Every start of the
/// program reads every command, and nearly all of them are plain.
fn is_plain(command: &str) -> bool {
    let mut before = b' ';
    for byte in command.bytes() {
        let looked_for = match byte {
            b'$' | b'{' | b'<' => true,
            b'_' => before == b'_',
            b'/' | b'a' | b'A' | b'p' | b'P' => before == b'/',
            _ => false,
        };
        if looked_for {
            return false;
        }
        before = byte;
    }
    true
}

struct Mention<'c> {
    command: &'c str,
    name: &'static str,
    bytes: Range<usize>,
    quoting: Quoting,
}

fn check_mention(entry: &mut Entry, literal: &StringLit, mention: &Mention) {
    let text = entry.reader.text;
    let at = in_file(text, literal, &mention.bytes);
    let name = mention.name;
    if mention.quoting != Quoting::Comment
        && !entry.event.spec().inputs.iter().any(|input| input.name == name)
    {
        let message = format!("`${{{name}}}` is always empty: `{}` has no `{name}`", entry.event.name());
        let problem = Problem::warning("placeholder-always-empty", message);
        entry.warn(
            at.clone(),
            problem.help("the hook reads the event as JSON on stdin").product(NOT_EXPANDED),
        );
    }
    if is_escaped(mention) {
        return;
    }
    let safe = quotes_are_safe(mention.command);
    let unquoted = || {
        let message =
            format!("`${{{name}}}` stands outside double quotes: the shell splits its value into arguments");
        Problem::warning("placeholder-unquoted", message)
            .help(format!("write \\\"${{{name}}}\\\""))
            .product(NOT_EXPANDED)
    };
    match mention.quoting {
        Quoting::Comment => {}
        Quoting::Bare if is_program(&mention.command[..mention.bytes.start]) => {
            entry.warn(at, in_a_program(name))
        }
        Quoting::Bare if safe => entry.warn(at.clone(), unquoted().fix(Fix::wrap(&at, "\\\"", "\\\""))),
        Quoting::Bare => entry.warn(at, unquoted()),
        Quoting::Double(start) => {
            if is_program(&mention.command[..start]) {
                entry.warn(at, in_a_program(name));
            }
        }
        Quoting::Single(start) => match within_single(mention, start) {
            Single::Alone => {
                let message =
                    format!("`${{{name}}}` stands in single quotes, where the shell does not expand it");
                let problem = Problem::warning("placeholder-in-single-quotes", message)
                    .help(format!("write \\\"${{{name}}}\\\""))
                    .product(NOT_EXPANDED);
                entry.warn(at, problem);
            }
            Single::Quoted => {}
            Single::Unquoted => entry.warn(at, unquoted()),
        },
    }
}

/// A backslash before it makes it text of its own.
fn is_escaped(mention: &Mention) -> bool {
    let before = &mention.command[..mention.bytes.start];
    (before.len() - before.trim_end_matches('\\').len()) % 2 == 1
}

/// Whether quotes around a word can change nothing but that word: no here
/// document, no pattern of `case`, nothing that reads its text again.
fn quotes_are_safe(command: &str) -> bool {
    let rereads = command
        .split(|c: char| !c.is_ascii_alphanumeric())
        .any(|word| matches!(word, "case" | "eval" | "envsubst"));
    !rereads && !command.contains("<<") && !command.contains('\n')
}

const NOT_EXPANDED: &str = "gives hooks no such variable: it expands to nothing";

fn in_a_program(name: &str) -> Problem {
    let message = format!("`${{{name}}}` becomes part of a program: its text can run as code");
    Problem::warning("placeholder-in-code", message)
        .help(format!(
            "put the program into single quotes, and \"${{{name}}}\" with its double quotes inside; a program on another \
             machine reads the event as JSON on stdin"
        ))
        .product(NOT_EXPANDED)
}

/// Commands that run their arguments as shell text, here or on another machine.
const EVALUATORS: [&str; 6] = ["eval", "ssh", "rsh", "watch", "trap", "parallel"];

/// Words that leave the command behind them what it is.
const PREFIXES: [&str; 9] = ["command", "builtin", "exec", "env", "sudo", "nohup", "time", "!", "then"];

/// Whether what follows this text is a program for another interpreter.
fn is_program(before: &str) -> bool {
    is_evaluated(before) || is_code_option(before)
}

/// Whether what follows this text is an argument of a command that evaluates it.
fn is_evaluated(before: &str) -> bool {
    let mut quotes = Quotes::new(before);
    let separators = before.match_indices([';', '&', '|', '(', '`', '\n', '{']);
    let start =
        separators.filter(|(at, _)| quotes.at(*at) == Quoting::Bare).last().map_or(0, |(at, _)| at + 1);
    let words = before[start..]
        .split_ascii_whitespace()
        .skip_while(|word| PREFIXES.contains(word) || word.contains('='));
    let program = words.into_iter().next().unwrap_or_default();
    EVALUATORS.contains(&program.rsplit('/').next().unwrap_or_default())
}

/// Whether what follows this text is the code of an option like `sh -c`.
fn is_code_option(before: &str) -> bool {
    let mut words = before.split([' ', '\t', '\n', ';', '&', '|', '(']).rev().filter(|word| !word.is_empty());
    let flag = words.next().unwrap_or_default();
    let program = words.find(|word| !word.starts_with('-')).unwrap_or_default();
    let takes_code =
        |flag: &str| flag.starts_with('-') && !flag.starts_with("--") && flag.ends_with(['c', 'e']);
    takes_code(flag)
        && ["sh", "python", "python3", "node", "perl", "ruby", "bun"]
            .iter()
            .any(|name| program.ends_with(name))
}

/// How a mention stands inside single quotes.
enum Single {
    /// Nothing else is in these quotes.
    Alone,
    /// Double quotes around it, for the shell that will read this.
    Quoted,
    /// None.
    Unquoted,
}

fn within_single(mention: &Mention, start: usize) -> Single {
    let alone = start + 1 == mention.bytes.start && mention.command[mention.bytes.end..].starts_with('\'');
    let before = &mention.command[start + 1..mention.bytes.start];
    match (alone, Quotes::new(before).at(before.len())) {
        (true, _) => Single::Alone,
        (false, Quoting::Double(_)) => Single::Quoted,
        (false, Quoting::Bare | Quoting::Single(_) | Quoting::Comment) => Single::Unquoted,
    }
}

/// Every `${name}`, also `${name:-default}`, with the bytes it covers.
fn braced(command: &str) -> Vec<(&str, Range<usize>)> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(start) = command[from..].find("${").map(|at| from + at) {
        let inside = start + 2;
        let length = command[inside..]
            .bytes()
            .take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
            .count();
        let end = window(command, inside).find('}').map_or(inside + length, |at| inside + at + 1);
        if length > 0 {
            found.push((&command[inside..inside + length], start..end));
        }
        from = inside;
    }
    found
}

/// Placeholders of templates and of other programs that were left in.
fn unexpanded(command: &str, braces: &[(&str, Range<usize>)]) -> Vec<Range<usize>> {
    let foreign = braces.iter().filter(|(name, bytes)| is_foreign(name, &command[bytes.clone()]));
    let unset = foreign.take(REPORTED).filter(|(name, _)| !is_set(command, name));
    let mut found: Vec<_> = unset.map(|(_, bytes)| bytes.clone()).collect();
    found.extend(between(command, "{{", "}}", |inside| is_name(inside.trim())));
    found.extend(between(command, "__", "__", is_template_name));
    found.extend(between(command, "<", ">", |inside| {
        inside.starts_with("your") || inside.starts_with("path")
    }));
    for path in ["/abs/path", "/absolute/path", "/path/to/"] {
        found.extend(ignoring_case(command, path));
    }
    found.extend(command.find("$ARGUMENTS").map(|at| at..at + "$ARGUMENTS".len()));
    found.sort_by_key(|bytes| bytes.start);
    found.dedup_by(|later, earlier| later.start < earlier.end);
    found
}

/// `${name}` of an editor, or a field of the payload that is not given this way.
fn is_foreign(name: &str, whole: &str) -> bool {
    const EDITOR: [&str; 9] = [
        "file",
        "filePath",
        "fileBasename",
        "fileDirname",
        "relativeFile",
        "workspaceFolder",
        "workspaceRoot",
        "userHome",
        "ARGUMENTS",
    ];
    let prefixed = ["${env:", "${input:", "${config:", "${workspaceFolder:"]
        .iter()
        .any(|start| whole.starts_with(start));
    let field = || EVENTS.iter().flat_map(|spec| spec.inputs).any(|input| input.name == name);
    let given = PAYLOAD_NAMES.contains(&name) && is_exact(name, whole);
    prefixed || EDITOR.contains(&name) || (field() && !given)
}

/// The name that was meant, when it is nearly one that is given. A variable in
/// capitals is somebody's own.
fn misspelt(command: &str, name: &str, whole: &str) -> Option<&'static str> {
    let own = PAYLOAD_NAMES.contains(&name) || !name.contains(|c: char| c.is_ascii_lowercase());
    if own || !is_exact(name, whole) || is_foreign(name, whole) || is_set(command, name) {
        return None;
    }
    nearest_name(name, PAYLOAD_NAMES.into_iter())
}

/// `${name}` and nothing else in the braces: only this form is given.
fn is_exact(name: &str, whole: &str) -> bool {
    whole.strip_prefix("${").and_then(|inside| inside.strip_suffix('}')) == Some(name)
}

/// Whether the command itself gives the name a value: `name=`, `read name`, `for name in`.
fn is_set(command: &str, name: &str) -> bool {
    command.match_indices(name).any(|(at, _)| {
        let before = command[..at].bytes().next_back();
        let after = command[at + name.len()..].bytes().next();
        matches!(before, None | Some(b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'('))
            && matches!(after, Some(b'=' | b' ' | b';'))
    })
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'))
}

/// `__HOME__`, but not what programming languages call so.
fn is_template_name(text: &str) -> bool {
    let known = matches!(
        text,
        "FILE" | "LINE" | "DIR" | "CLASS" | "FUNCTION" | "METHOD" | "NAMESPACE" | "END" | "DATA"
    );
    text.starts_with(|c: char| c.is_ascii_uppercase())
        && !known
        && text.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

/// Every text between two marks that looks right inside, marks included.
fn between(command: &str, open: &str, close: &str, fits: impl Fn(&str) -> bool) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(start) = command[from..].find(open).map(|at| from + at) {
        let inside = start + open.len();
        from = inside;
        if let Some(length) = window(command, inside).find(close)
            && fits(&command[inside..inside + length])
        {
            from = inside + length + close.len();
            found.push(start..from);
        }
    }
    found
}

/// As far as the end of a placeholder is looked for.
fn window(command: &str, from: usize) -> &str {
    const LONGEST: usize = 80;
    &command[from..command.floor_char_boundary(from + LONGEST)]
}

/// A path, in whatever case.
fn ignoring_case(command: &str, wanted: &str) -> Option<Range<usize>> {
    let starts =
        command.bytes().enumerate().filter(|(_, byte)| *byte == b'/').map(|(at, _)| at..at + wanted.len());
    let fits =
        |at: &Range<usize>| command.get(at.clone()).is_some_and(|text| text.eq_ignore_ascii_case(wanted));
    starts.into_iter().find(fits)
}

/// Where some bytes of a string's value stand in the file.
fn in_file(text: &str, literal: &StringLit, bytes: &Range<usize>) -> Range<usize> {
    let start = literal.range.start + 1;
    let raw = &text[start..literal.range.end - 1];
    start + raw_offset(raw, bytes.start)..start + raw_offset(raw, bytes.end)
}

/// The offset in a string as written, escapes included, of an offset in its value.
fn raw_offset(raw: &str, offset: usize) -> usize {
    let (mut value, mut written) = (0, 0);
    while value < offset && written < raw.len() {
        let rest = &raw[written..];
        let (length, width) = match rest.as_bytes() {
            [b'\\', b'u', ..] => unicode_escape(rest),
            [b'\\', ..] => (2, 1),
            _ => rest.chars().next().map_or((1, 1), |character| (character.len_utf8(), character.len_utf8())),
        };
        written += length;
        value += width;
    }
    written.min(raw.len())
}

/// How long `\u00e9` or a pair of such is as written, and as a value.
fn unicode_escape(rest: &str) -> (usize, usize) {
    let code = rest.get(2..6).and_then(|digits| u32::from_str_radix(digits, 16).ok()).unwrap_or(0);
    match char::from_u32(code) {
        Some(character) => (6, character.len_utf8()),
        // Half of a character outside the basic plane; the other half follows.
        None => (12, 4),
    }
}

#[cfg(test)]
#[path = "placeholders_tests.rs"]
mod tests;
