//! The helper: the module by which a script answers in every way.
//!
//! Pure: paths and texts in, paths and answers out.

use std::path::{Path, PathBuf};

use super::PERSISTENT;

/// Its name, in every language.
pub const HELPER: &str = "boathook_hook";

/// Ends of the names of scripts that can have it, and of its own name there.
const LANGUAGES: [(&str, &str); 4] = [("py", "py"), ("js", "mjs"), ("mjs", "mjs"), ("cjs", "mjs")];

/// Where the helper of a script would stand, in a language that has one.
pub fn helper_beside(script: &Path) -> Option<PathBuf> {
    language(script).map(|ending| script.with_file_name(HELPER).with_extension(ending))
}

/// Whether a script says who answers lines for it. In languages without a
/// helper nobody can see that.
pub fn names_who_answers(script: &Path, text: &str) -> Option<bool> {
    language(script).map(|_| text.contains(HELPER) || text.contains(PERSISTENT))
}

/// Of a hook that answers by itself, and not as one that stays.
pub fn speaks_no_lines(what: &str) -> String {
    format!("`persistent` is set, but the hook does not answer lines, so it runs per event: {what}")
}

fn language(script: &Path) -> Option<&'static str> {
    let ending = script.extension()?.to_str()?;
    LANGUAGES.iter().find(|(of_script, _)| *of_script == ending).map(|(_, of_helper)| *of_helper)
}
