//! What somebody wrote as a hook, checked with the engine's own rules before
//! it is kept: a device must never be the first to say that it cannot run.

use boathook_engine::bundle::manifest::{LARGEST_SCRIPT, os_named};
use boathook_engine::bundle::name;
use boathook_engine::event::{EVENTS, EventKind};
use boathook_engine::matcher::Matcher;

use super::refusal::Refusal;
use crate::team::publish;
use crate::team::wire::HookDraft;

/// The longest matcher.
const LONGEST_MATCHER: usize = 4096;

/// Refuses a draft that no device could run, or that says two things.
pub fn check(draft: &HookDraft) -> Result<(), Refusal> {
    let complaint = event(draft)
        .or_else(|| script(draft))
        .or_else(|| systems(&draft.operating_systems))
        .or_else(|| matcher(draft.matcher.as_deref()))
        .or_else(|| numbers(draft))
        .or_else(|| publish::check(draft).err().map(|error| format!("script_content: {error}")));
    match complaint {
        Some(complaint) => Err(Refusal::invalid(complaint)),
        None => Ok(()),
    }
}

fn event(draft: &HookDraft) -> Option<String> {
    EventKind::named(&draft.hook_step).is_none().then(|| {
        let names: Vec<&str> = EVENTS.iter().map(|event| event.name).collect();
        format!("hook_step: there is no event {:?}; there are {}", draft.hook_step, names.join(", "))
    })
}

fn script(draft: &HookDraft) -> Option<String> {
    let length = u64::try_from(draft.script_content.len()).unwrap_or(u64::MAX);
    if let Some(reason) = name::refusal(&draft.script_name) {
        Some(format!(
            "script_name: {:?} {reason}; write a plain file name such as guard.sh",
            draft.script_name
        ))
    } else if draft.script_content.is_empty() {
        Some("script_content: it is empty; send the text of the script".into())
    } else if length > LARGEST_SCRIPT {
        Some(format!("script_content: it has {length} bytes; at most {LARGEST_SCRIPT} are taken"))
    } else {
        draft.script_content.contains('\0').then(|| "script_content: it has a NUL; send text".into())
    }
}

fn systems(names: &[String]) -> Option<String> {
    if let Some(other) = names.iter().find(|name| os_named(name).is_none()) {
        return Some(format!("operating_systems: {other:?} is none of Windows, Macintosh and Linux"));
    }
    let twice = names.iter().enumerate().find(|(at, name)| names[..*at].contains(name));
    twice.map(|(_, name)| format!("operating_systems: {name} stands there twice"))
}

fn matcher(pattern: Option<&str>) -> Option<String> {
    let pattern = pattern?;
    if pattern.len() > LONGEST_MATCHER {
        return Some(format!("matcher: it is longer than {LONGEST_MATCHER} bytes"));
    }
    Matcher::new(pattern).error().map(|error| format!("matcher: {error}"))
}

fn numbers(draft: &HookDraft) -> Option<String> {
    if draft.timeout == Some(0) {
        Some("timeout: 0 seconds would end every run; leave it out for the default".into())
    } else {
        let limit = draft.loop_limit?;
        (limit < -1).then(|| format!("loop_limit: {limit} has no meaning; -1 is no limit"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn good() -> HookDraft {
        HookDraft {
            hook_step: "beforeShellExecution".into(),
            script_name: "guard.sh".into(),
            script_content: "#!/bin/sh\n".into(),
            operating_systems: vec!["Linux".into(), "Macintosh".into()],
            is_active: true,
            matcher: Some("rm|curl".into()),
            timeout: Some(5),
            fail_closed: true,
            loop_limit: Some(-1),
            monitor: false,
        }
    }

    #[test]
    fn a_draft_that_devices_can_run_is_taken() {
        assert_eq!(check(&good()), Ok(()));
        let plain =
            HookDraft { operating_systems: vec![], matcher: None, timeout: None, loop_limit: None, ..good() };
        assert_eq!(check(&plain), Ok(()));
        // There the first line says nothing.
        let windows = HookDraft { operating_systems: vec!["Windows".into()], ..good() };
        assert_eq!(check(&HookDraft { script_content: "#!/bin/sh\r\n".into(), ..windows }), Ok(()));
    }

    #[test]
    fn a_draft_that_devices_could_not_run_is_refused_by_its_field() {
        let large = "x".repeat(usize::try_from(LARGEST_SCRIPT).expect("a size") + 1);
        let long = "x".repeat(LONGEST_MATCHER + 1);
        let cases: [(&str, HookDraft); 14] = [
            ("hook_step", HookDraft { hook_step: "beforeShell".into(), ..good() }),
            ("script_name", HookDraft { script_name: "../x".into(), ..good() }),
            ("script_name", HookDraft { script_name: "CON.sh".into(), ..good() }),
            ("script_content", HookDraft { script_content: String::new(), ..good() }),
            ("script_content", HookDraft { script_content: large, ..good() }),
            ("script_content", HookDraft { script_content: "a\0b".into(), ..good() }),
            ("script_content", HookDraft { script_content: "#!/bin/sh\r\nexit\r\n".into(), ..good() }),
            ("operating_systems", HookDraft { operating_systems: vec!["linux".into()], ..good() }),
            ("operating_systems", HookDraft { operating_systems: vec!["macOS".into()], ..good() }),
            (
                "operating_systems",
                HookDraft { operating_systems: vec!["Linux".into(), "Linux".into()], ..good() },
            ),
            ("matcher", HookDraft { matcher: Some("(".into()), ..good() }),
            ("matcher", HookDraft { matcher: Some(long), ..good() }),
            ("timeout", HookDraft { timeout: Some(0), ..good() }),
            ("loop_limit", HookDraft { loop_limit: Some(-2), ..good() }),
        ];
        for (field, draft) in cases {
            let refusal = check(&draft).expect_err(field);
            assert_eq!(refusal.code, "invalid");
            assert!(refusal.message.starts_with(&format!("{field}: ")), "{}", refusal.message);
        }
    }
}
