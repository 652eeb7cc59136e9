//! Every hook of every source, with what is found about it on this machine:
//! whether its script and its programs are there. Starts nothing.

use std::path::PathBuf;
use std::sync::Arc;

use boathook_engine::config::{check_programs, programs_of, scope_of};
use boathook_engine::definition::Definition;
use boathook_engine::engine::{Settings, Standing, load_options};
use boathook_engine::load::{Hook, HookSet, Loader};
use boathook_engine::problem::Problem;

/// What was found.
pub struct OnMachine {
    pub settings: Settings,
    pub set: Arc<HookSet>,
    /// In the files, with scripts, with programs.
    pub problems: Vec<Problem>,
    /// What hooks need, and where it is.
    pub programs: Vec<(String, Option<PathBuf>)>,
}

impl OnMachine {
    /// Looks at the hooks of these settings.
    pub fn look(settings: &Settings) -> OnMachine {
        let loader = &mut Loader::new(settings.roots.clone(), load_options(settings, true));
        let set = loader.hooks(&settings.roots.workspaces);
        let path = settings.environment.iter().find(|(name, _)| name == "PATH");
        let path = path.map(|(_, value)| value.as_os_str());
        let (mut problems, mut programs) = (set.problems.clone(), Vec::new());
        for report in &set.sources {
            let of_source = set.hooks.iter().filter(|hook| hook.source == report.source);
            let definitions: Vec<Definition> = of_source.map(|hook| hook.definition.clone()).collect();
            let scope = scope_of(&report.source, &settings.roots);
            let wrong = check_programs(&definitions, &scope, path).into_iter();
            problems.extend(wrong.map(|it| Problem { file: Some(report.source.file.clone()), ..it }));
            programs.extend(programs_of(&definitions, &scope, path));
        }
        OnMachine { settings: settings.clone(), set, problems, programs }
    }

    /// How a hook stands.
    pub fn standing(&self, hook: &Hook) -> Standing {
        Standing::seen(&self.settings, &self.set, hook, &self.problems)
    }
}
