//! Scripts that were made from a hookify rule which is another one by now.
//!
//! Reads the scripts that entries name and the rules they say they were made
//! from; starts nothing.

use std::path::{Path, PathBuf};

use crate::definition::{Action, Definition};
use crate::digest::Digest;
use crate::problem::Problem;
use crate::read_file::{self, CONFIG_LIMIT, Owner};
use crate::rule::hookify::{self, Options, Origin};

/// One warning for each entry whose script no longer says what its rule says.
pub(super) fn check(definitions: &[Definition], run_dir: &Path) -> Vec<Problem> {
    let of = |definition: &Definition| {
        let place = definition.action_place.clone().or_else(|| definition.place.clone())?;
        Some(of_script(&script(definition)?, run_dir)?.at(place))
    };
    definitions.iter().filter_map(of).collect()
}

/// The first word of a command, as `convert hookify --scripts` writes it.
pub(super) fn script(definition: &Definition) -> Option<PathBuf> {
    let Action::Command(command) = &definition.action else { return None };
    let word = command.split_whitespace().next()?;
    Some(PathBuf::from(word.strip_prefix("./").unwrap_or(word)))
}

fn of_script(script: &Path, run_dir: &Path) -> Option<Problem> {
    let text = read_file::read(&run_dir.join(script), CONFIG_LIMIT, Owner::Anybody).ok()?.bytes;
    let origin = Origin::of(std::str::from_utf8(&text).ok()?)?;
    let file = run_dir.join(&origin.rule);
    let (script, rule) = (script.display(), &origin.rule);
    let (became, help) = match read_file::read(&file, CONFIG_LIMIT, Owner::Anybody) {
        Ok(read) if Digest::of(&read.bytes) == origin.sha256 => return None,
        Ok(read) if hookify::read_rule(&read.bytes, &file, Options::default()).enabled => {
            ("has changed since", "run `boathook convert hookify --scripts` again")
        }
        Ok(_) => ("is switched off by now", "remove this entry and the script"),
        // Such rules are often kept out of the repository that has the scripts.
        Err(_) => return None,
    };
    let message = format!("{script} was generated from {rule}, which {became}");
    Some(Problem::warning("hookify-left-behind", message).help(help))
}
