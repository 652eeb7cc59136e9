//! Ends processes that stay for hooks which may not run any more: they were
//! changed, removed, or are no longer trusted.

use std::path::Path;
use std::sync::{Arc, Mutex, Weak};

use super::lock;
use crate::definition::{Action, Lifetime};
use crate::load::{Hook, HookSet, HookState};
use crate::run::Keeper;

/// The hooks that were looked at last.
#[derive(Default)]
pub(super) struct Keeping(Mutex<Weak<HookSet>>);

impl Keeping {
    /// Ends what this set no longer lets run. The same set is looked at once.
    pub(super) fn follow(&self, keeper: &Keeper, set: &Arc<HookSet>) {
        let mut last = lock(&self.0);
        if std::ptr::eq(last.as_ptr(), Arc::as_ptr(set)) {
            return;
        }
        *last = Arc::downgrade(set);
        drop(last);
        if keeper.count() == 0 {
            return;
        }
        let owners: Vec<&Path> = set.sources.iter().map(|report| report.source.file.as_path()).collect();
        keeper.keep_only(&owners, &|owner, command, run_dir| {
            set.hooks.iter().any(|hook| is_it(hook, owner, command, run_dir))
        });
    }
}

fn is_it(hook: &Hook, owner: &Path, command: &str, run_dir: &Path) -> bool {
    let same = match &hook.definition.action {
        Action::Command(own) => own == command,
        Action::Prompt { .. } | Action::Rule(_) | Action::Broken { .. } => false,
    };
    let may = match hook.state {
        HookState::Ready => hook.definition.lifetime != Lifetime::Event,
        HookState::Withheld(_) => false,
    };
    same && may && hook.source.file == owner && hook.source.run_dir == run_dir
}
