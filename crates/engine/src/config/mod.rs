//! The text of one `hooks.json` → definitions and problems.
//!
//! Never stops at the first problem; every problem has a line and a column.
//! `read` touches nothing but the text it is given and compiles no matcher:
//! `check_matchers` and `check_scripts` look closer, for those who ask.
//!
//! The rooms, in the order a text passes them: `text` (bytes → text), `syntax`
//! (text → tree), `file` (the top level), `events` (names), `entry` with
//! `options`, `keys` and `rule` (one entry), `nesting` (Claude Code's form),
//! `placeholders`, `findings` (places), `fix` (repairs). `claude` reads the
//! settings of Claude Code, and plugins of either product.

mod array_form;
mod claude;
mod edit;
mod entry;
mod environment;
mod events;
mod file;
mod findings;
mod fix;
#[cfg(test)]
mod hostile;
mod insert;
mod keys;
mod lifetime;
mod matchers;
mod nearest;
mod nesting;
mod open_quote;
mod options;
mod placeholders;
mod programs;
mod reader;
mod rule;
mod script_text;
mod scripts;
mod shell;
mod spread;
mod syntax;
#[cfg(test)]
mod tests;
mod text;
mod version;

pub use claude::{read_plugin, read_settings};
pub use edit::{Step, add_to_list, remove_at, replace_at, set_at, value_at};
pub use fix::apply_fixes;
pub use insert::{NewEntry, add_entries, change_command, entry_to_add, insert_hook};
pub use matchers::check_matchers;
pub use placeholders::{PAYLOAD_NAMES, mentioned};
pub use programs::{check_programs, programs_of};
pub use scripts::{check_scripts, scope_of, script_of};
pub use text::{DEPTH_LIMIT, SIZE_LIMIT};

use jsonc_parser::ast::Value;

use crate::definition::Definition;
use crate::edition::Edition;
use crate::problem::{Place, Problem};
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
    /// Claude Code's `disableAllHooks`: nothing that was written for it runs.
    pub switches_off: bool,
    /// The part of the file that hooks are made of, when that is not all of
    /// it: trust need not follow what means something else.
    pub part: Option<Vec<u8>>,
}

/// Reads the bytes of a file.
pub fn read(bytes: &[u8], edition: Edition) -> Config {
    read_with(bytes, edition, |reader, tree| {
        let readable = file::read_file(reader, tree);
        Found { readable, ..Found::default() }
    })
}

/// What a reading of the top level found beside definitions and problems.
#[derive(Debug, Default)]
struct Found {
    readable: bool,
    switches_off: bool,
    part: Option<Vec<u8>>,
}

/// Reads bytes as JSON, and the JSON by a function.
fn read_with(bytes: &[u8], edition: Edition, by: impl FnOnce(&mut Reader, &Value) -> Found) -> Config {
    let (text, mark) = match text::decode(bytes) {
        Ok(decoded) => decoded,
        Err(problem) => return Config { problems: vec![*problem], ..Config::default() },
    };
    let mut outline = text::outline(text);
    match parse(text, &mut outline) {
        Ok(tree) => {
            let mut reader = Reader::new(text, &outline, edition.rules());
            let found = by(&mut reader, &tree);
            let config = reader.into_config(mark, found.readable);
            Config { switches_off: found.switches_off, part: found.part, ..config }
        }
        Err(fault) => {
            let mut findings = Findings::new(text);
            findings.add(fault.bytes, fault.problem);
            Config { problems: findings.finish(mark, &mut []), ..Config::default() }
        }
    }
}

/// The tree of any JSON that people write by hand, comments allowed, or the
/// first thing that is wrong with it.
pub fn json_tree(text: &str) -> Result<Value<'_>, Box<Problem>> {
    let fault = match parse(text, &mut text::outline(text)) {
        Ok(tree) => return Ok(tree),
        Err(fault) => *fault,
    };
    Err(Box::new(Problem { product: None, ..fault.problem }.at(Place::in_text(text, fault.bytes))))
}

/// The known name that a misspelt one was meant to be, when that is clear.
pub fn nearest_name(name: &str, known: impl Iterator<Item = &'static str> + Clone) -> Option<&'static str> {
    match nearest::nearest(name, known) {
        nearest::Nearest::One(name) => Some(name),
        nearest::Nearest::Several(_) | nearest::Nearest::Nothing => None,
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
