//! The text of one `hooks.json` → definitions and problems.
//!
//! Never stops at the first problem; every problem has a line and a column.
//! `read` touches nothing but the text it is given and compiles no matcher:
//! `check_matchers` and `check_scripts` look closer, for those who ask.
//!
//! The rooms, in the order a text passes them: `text` (bytes → text), `syntax`
//! (text → tree), `file` (the top level), `events` (names), `entry` with
//! `options` and `keys` (one entry), `nesting` (Claude Code's form),
//! `placeholders`, `findings` (places), `fix` (repairs).

mod array_form;
mod entry;
mod events;
mod file;
mod findings;
mod fix;
#[cfg(test)]
mod hostile;
mod insert;
mod keys;
mod matchers;
mod nearest;
mod nesting;
mod options;
mod placeholders;
mod reader;
mod scripts;
mod shell;
mod syntax;
#[cfg(test)]
mod tests;
mod text;
mod version;

pub use fix::apply_fixes;
pub use insert::{Wanted, insert_entries};
pub use matchers::check_matchers;
pub use placeholders::PAYLOAD_NAMES;
pub use scripts::check_scripts;
pub use text::{DEPTH_LIMIT, SIZE_LIMIT};

use jsonc_parser::ast::Value;

use crate::definition::Definition;
use crate::edition::Edition;
use crate::problem::Problem;
use crate::read_file::Glimpse;
use findings::Findings;
use reader::Reader;
use text::{Fault, Outline};

/// What one file holds.
#[derive(Debug, Clone, Default)]
pub struct Config {
    /// Every entry that belongs to a known event, in file order, broken ones included.
    pub definitions: Vec<Definition>,
    /// Everything that is wrong, in file order.
    pub problems: Vec<Problem>,
    /// Files beside it that the definitions were made from, as they were then.
    pub made_from: Vec<(std::path::PathBuf, Glimpse)>,
    /// Whether the file as a whole could be read. When not, `definitions` is empty.
    pub readable: bool,
}

/// Reads the bytes of a file.
pub fn read(bytes: &[u8], edition: Edition) -> Config {
    let (text, mark) = match text::decode(bytes) {
        Ok(decoded) => decoded,
        Err(problem) => return Config { problems: vec![*problem], ..Config::default() },
    };
    let mut outline = text::outline(text);
    match parse(text, &mut outline) {
        Ok(tree) => {
            let mut reader = Reader::new(text, &outline, edition.rules());
            let readable = file::read_file(&mut reader, &tree);
            reader.into_config(mark, readable)
        }
        Err(fault) => {
            let mut findings = Findings::new(text);
            findings.add(fault.bytes, fault.problem);
            Config { problems: findings.finish(mark, &mut []), ..Config::default() }
        }
    }
}

/// The tree of a text, or the first thing in it that keeps it from being read.
fn parse<'t>(text: &'t str, outline: &mut Outline) -> Result<Value<'t>, Box<Fault>> {
    match outline.fault.take() {
        // The parser is recursive: it must not see a text that nests too deep.
        Some(seen) if seen.problem.code == text::TOO_DEEP => Err(seen),
        Some(seen) => {
            let earlier = syntax::parse(text).err().filter(|fault| fault.bytes.start < seen.bytes.start);
            Err(earlier.unwrap_or(seen))
        }
        None => syntax::parse(text),
    }
}
