//! The text of a hooks.json: it is read or rejected, with problems at places that exist.

use boathook_engine::Edition;
use boathook_engine::config::{self, Config};
use boathook_engine::definition::{Action, Definition};
use boathook_engine::problem::Severity;

use crate::{problems, samples};

/// The shortest entry that can become a hook is `""` with its comma.
const MIN_ENTRY_BYTES: usize = 2;
/// How many hooks one file may have, as the manual says.
const MAX_HOOKS: usize = 2_000;

/// Reads it in every edition.
pub fn check(bytes: &[u8]) {
    for edition in Edition::ALL {
        let read = |bytes: &[u8]| config::read(bytes, edition);
        let config = read(bytes);
        check_config(bytes, &config);
        let again = read(bytes);
        assert_eq!(again.problems, config.problems, "problems are the same every time");
        assert_eq!(again.definitions.len(), config.definitions.len());
        problems::check_fixes(bytes, read);
        problems::check_places(bytes, &config::check_matchers(&config.definitions));
        samples::apply_rules(&config.definitions);
    }
}

/// What holds for the reading of any configuration.
pub fn check_config(bytes: &[u8], config: &Config) {
    problems::check_places(bytes, &config.problems);
    assert!(config.readable || config.definitions.is_empty(), "hooks of a file that cannot be read");
    assert!(config.readable || !config.problems.is_empty(), "a file is rejected without a reason");
    let hooks = config.definitions.len();
    assert!(hooks <= MAX_HOOKS && hooks * MIN_ENTRY_BYTES <= bytes.len(), "{hooks} hooks");
    let has_error = config.problems.iter().any(|problem| problem.severity == Severity::Error);
    assert!(has_error || config.definitions.iter().all(can_run), "a hook is broken and no error says why");
    for definition in &config.definitions {
        let places = [&definition.place, &definition.action_place, &definition.matcher_place];
        for place in places.into_iter().flatten() {
            assert!(place.bytes.end <= bytes.len() && place.line > 0, "{place:?}");
        }
    }
}

fn can_run(definition: &Definition) -> bool {
    !matches!(definition.action, Action::Broken { .. })
}
