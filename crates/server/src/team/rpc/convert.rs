//! Between the messages of Connect and ours.

use boathook_engine::bundle::manifest;

use super::proto::TeamHook;
use crate::team::wire::{Hook, HookDraft};

/// A published hook, with its script.
pub fn published(hook: &manifest::Hook, script: String) -> TeamHook {
    TeamHook {
        id: hook.id,
        hook_step: hook.event.clone(),
        script_name: hook.script.name.clone(),
        operating_systems: hook.operating_systems.clone(),
        is_active: true,
        script_content: script,
        matcher: hook.matcher.clone(),
        timeout: hook.timeout,
        fail_closed: hook.fail_closed,
        loop_limit: hook.loop_limit,
        monitor: hook.monitor,
        ..TeamHook::default()
    }
}

/// A hook of the draft.
pub fn drafted(hook: Hook) -> TeamHook {
    let draft = hook.draft;
    TeamHook {
        id: hook.id,
        hook_step: draft.hook_step,
        script_name: draft.script_name,
        operating_systems: draft.operating_systems,
        is_active: draft.is_active,
        script_content: draft.script_content,
        matcher: draft.matcher,
        timeout: draft.timeout,
        fail_closed: draft.fail_closed,
        loop_limit: draft.loop_limit,
        monitor: draft.monitor,
        ..TeamHook::default()
    }
}

/// What somebody sent as a hook.
pub fn draft(hook: TeamHook) -> HookDraft {
    HookDraft {
        hook_step: hook.hook_step,
        script_name: hook.script_name,
        script_content: hook.script_content,
        operating_systems: hook.operating_systems,
        is_active: hook.is_active,
        matcher: hook.matcher,
        timeout: hook.timeout,
        fail_closed: hook.fail_closed,
        loop_limit: hook.loop_limit,
        monitor: hook.monitor,
    }
}
