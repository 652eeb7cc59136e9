//! Commands that stand twice on an event, and what to say about it.

use std::collections::HashMap;

use super::{Hook, HookSet};

/// What makes two hooks one. Tools have other names in Claude Code's files, so
/// a matcher counts only among hooks of one kind.
type Key = (&'static str, String);

/// What to say of a hook whose command stands on its event more than once, by
/// the hook's id.
pub fn repeats(set: &HookSet) -> HashMap<&str, &'static str> {
    let mut alike: HashMap<Key, Vec<&Hook>> = HashMap::new();
    for hook in &set.hooks {
        let key = (hook.definition.event.name(), hook.definition.command_line().into_owned());
        alike.entry(key).or_default().push(hook);
    }
    let told = alike.values().filter_map(|hooks| Some((hooks, twice(hooks)?)));
    told.flat_map(|(hooks, words)| hooks.iter().map(move |hook| (hook.id.as_str(), words))).collect()
}

fn twice(hooks: &[&Hook]) -> Option<&'static str> {
    let of_claude = hooks.iter().filter(|hook| hook.definition.dialect.claude().is_some()).count();
    let mixed = of_claude > 0 && of_claude < hooks.len();
    let mut patterns: Vec<&str> = hooks.iter().map(|hook| hook.definition.matcher.pattern()).collect();
    patterns.sort_unstable();
    if hooks.iter().all(|hook| hook.source.level.is_claude()) {
        (hooks.len() > 1).then_some("the same command twice in Claude Code's settings: it runs once")
    } else if mixed {
        Some("the same command in a Cursor and in a Claude Code file: it runs for each")
    } else {
        let same = patterns.windows(2).any(|pair| pair[0] == pair[1]);
        same.then_some("the same command twice on this event: it runs twice")
    }
}
