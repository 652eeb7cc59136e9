//! Variables of a session, for an agent that reads them from a file of
//! `export` lines.

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::Path;

use boathook_engine::agent::Agent;
use boathook_engine::read_file::open_at_end;

/// Appends what the hooks set to the file that the agent's variable names.
/// Says what went wrong; later hooks have the variables all the same.
pub fn append(
    agent: &Agent,
    environment: &[(OsString, OsString)],
    variables: &[(String, String)],
) -> Option<String> {
    let name = agent.env_file?;
    let file = environment.iter().find(|(known, _)| known == OsStr::new(name)).map(|(_, file)| file)?;
    if variables.is_empty() || file.is_empty() {
        return None;
    }
    let lines: String = variables.iter().map(|(name, value)| line(name, value)).collect();
    let written = write(Path::new(file), &lines);
    let problem = |error| format!("{}: the session's variables were not written: {error}", file.display());
    written.err().map(problem)
}

/// Whoever sets the variable must not make us wait, nor lead us elsewhere.
fn write(path: &Path, lines: &str) -> Result<(), String> {
    if !path.is_absolute() {
        return Err("it is not an absolute path".to_owned());
    }
    let mut file = open_at_end(path).map_err(|error| error.to_string())?;
    file.write_all(lines.as_bytes()).map_err(|error| error.to_string())
}

/// Names are plain identifiers: the engine keeps no others.
fn line(name: &str, value: &str) -> String {
    format!("export {name}='{}'\n", value.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_nothing_but_a_value() {
        let cases = [
            ("plain", "export A='plain'\n"),
            ("it's $HOME `id` \\", "export A='it'\\''s $HOME `id` \\'\n"),
            ("two\nlines", "export A='two\nlines'\n"),
        ];
        for (value, expected) in cases {
            assert_eq!(line("A", value), expected);
        }
    }
}
