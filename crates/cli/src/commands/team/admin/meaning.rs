//! What a signature would put in force, in full, and what of it differs from
//! what is in force now. Pure: an admin reads this before signing.

use boathook_engine::bundle::manifest::{Hook, Manifest, Release, Stale, StalePolicy};
use boathook_server::team::sign::metadata::{Roles, Signers};

/// Everything a manifest says, line by line.
pub fn manifest(manifest: &Manifest) -> Vec<String> {
    let Manifest { team, repository, channel, sequence, created, stale: policy, releases, .. } = manifest;
    let mut lines = vec![
        format!(
            "team {team}, repository {repository:?}, channel {channel:?}, sequence {sequence}, made {created:?}"
        ),
        format!("hooks that are too old: {}", stale(*policy)),
    ];
    for release in releases {
        lines.push(format!("release {} for {}", release.number, audience(release)));
        if release.hooks.is_empty() {
            lines.push("  no hooks".to_owned());
        }
        for hook in &release.hooks {
            lines.push(format!("  {}", named(hook)));
            lines.push(format!("    sha256 {}, {} bytes", hook.script.sha256, hook.script.length));
            lines.push(format!("    {}", said(&options(hook))));
        }
    }
    lines
}

/// What changes on machines when this is signed: nothing is left out.
pub fn difference(now: &Manifest, next: &Manifest) -> Vec<String> {
    let mut lines = Vec::new();
    for (what, before, after) in [
        ("team", now.team.to_string(), next.team.to_string()),
        ("repository", format!("{:?}", now.repository), format!("{:?}", next.repository)),
        ("channel", format!("{:?}", now.channel), format!("{:?}", next.channel)),
        ("hooks that are too old", stale(now.stale), stale(next.stale)),
    ] {
        lines.extend(change(what, &before, &after));
    }
    if next.sequence < now.sequence {
        lines.push(format!("sequence: {} → {}, which goes BACK", now.sequence, next.sequence));
    }
    for release in &next.releases {
        let same = now.releases.iter().find(|before| before.number == release.number);
        let name = format!("release {}", release.number);
        match same {
            Some(before) => lines.extend(change(&name, &audience(before), &audience(release))),
            None => lines.push(format!("+ {name} for {}", audience(release))),
        }
        // A new release is compared with what everybody has.
        if let Some(before) = same.or(now.releases.last()) {
            lines.extend(hooks(before, release).into_iter().map(|line| format!("  {line}")));
        }
    }
    let gone =
        now.releases.iter().filter(|release| !next.releases.iter().any(|it| it.number == release.number));
    lines.extend(gone.map(|release| format!("- release {} for {}", release.number, audience(release))));
    lines
}

fn hooks(now: &Release, next: &Release) -> Vec<String> {
    let mut lines = Vec::new();
    for hook in &next.hooks {
        match now.hooks.iter().find(|before| before.id == hook.id) {
            None => lines.push(format!("+ {} ({})", named(hook), said(&options(hook)))),
            Some(before) => lines.extend(changed(before, hook)),
        }
    }
    let gone = now.hooks.iter().filter(|hook| !next.hooks.iter().any(|it| it.id == hook.id));
    lines.extend(gone.map(|hook| format!("- {}", named(hook))));
    let order = |one: &Release, other: &Release| -> Vec<String> {
        let both = one.hooks.iter().filter(|hook| other.hooks.iter().any(|it| it.id == hook.id));
        both.map(|hook| hook.id.to_string()).collect()
    };
    lines.extend(change("order", &order(now, next).join(" "), &order(next, now).join(" ")));
    lines
}

fn changed(before: &Hook, hook: &Hook) -> Vec<String> {
    let all = |hook: &Hook| {
        let mut all = vec![
            ("event", hook.event.clone()),
            ("name", format!("{:?}", hook.script.name)),
            ("script", hook.script.sha256.to_string()),
        ];
        all.extend(options(hook));
        all
    };
    let both = all(before).into_iter().zip(all(hook));
    let lines = both.filter_map(|((what, before), (_, after))| change(what, &before, &after));
    lines.map(|line| format!("~ hook {} {}: {line}", hook.id, hook.script.name)).collect()
}

fn change(what: &str, before: &str, after: &str) -> Option<String> {
    (before != after).then(|| format!("{what}: {before} → {after}"))
}

fn named(hook: &Hook) -> String {
    format!("hook {} {} {:?}", hook.id, hook.event, hook.script.name)
}

/// Every option of a hook, also those that are as usual: what is not shown
/// cannot be missed.
pub fn options(hook: &Hook) -> Vec<(&'static str, String)> {
    let yes = |it: bool| if it { "yes" } else { "no" }.to_owned();
    let or = |text: Option<String>, none: &str| text.unwrap_or_else(|| none.to_owned());
    let systems = Some(hook.operating_systems.join("/")).filter(|names| !names.is_empty());
    let limit = hook.loop_limit.map(|limit| if limit < 0 { "none".to_owned() } else { limit.to_string() });
    vec![
        ("monitor", yes(hook.monitor)),
        ("failClosed", yes(hook.fail_closed)),
        ("matcher", or(hook.matcher.as_ref().map(|matcher| format!("{matcher:?}")), "none")),
        ("systems", or(systems, "all")),
        ("timeout", or(hook.timeout.map(|seconds| format!("{seconds} s")), "default")),
        ("loop limit", or(limit, "default")),
    ]
}

/// Options in one line.
pub fn said(options: &[(&'static str, String)]) -> String {
    let said: Vec<String> = options.iter().map(|(name, value)| format!("{name} {value}")).collect();
    said.join(", ")
}

fn audience(release: &Release) -> String {
    let Some(rollout) = &release.rollout else { return "everybody".to_owned() };
    let members: Vec<String> = rollout.members.iter().map(i64::to_string).collect();
    match members.is_empty() {
        true => format!("{} % of the machines", rollout.percent),
        false => format!("{} % of the machines and the members {}", rollout.percent, members.join(", ")),
    }
}

fn stale(stale: Stale) -> String {
    let policy = match stale.policy {
        StalePolicy::Warn => "warn",
        StalePolicy::Ask => "ask",
        StalePolicy::Deny => "deny",
    };
    let days = if stale.days == 1 { "1 day".to_owned() } else { format!("{} days", stale.days) };
    format!("{policy} after {days}")
}

/// Every key, and which of them are new; then those that no longer sign.
pub fn keys(now: Option<&Roles>, next: &Roles) -> Vec<String> {
    let mut lines = Vec::new();
    for (name, of) in ROLES {
        let (signers, before) = (of(next), now.map(of));
        let were = before.map(|before| before.threshold).filter(|count| *count != signers.threshold);
        let were = were.map(|count| format!(" (now {count})")).unwrap_or_default();
        lines.push(format!("{name}: {} of these sign{were}", signers.threshold));
        for key in &signers.keys {
            let new = before.is_some_and(|before| !before.keys.contains(key));
            lines.push(format!("  {} {}", if new { "+" } else { " " }, key.hex()));
        }
        let gone =
            before.into_iter().flat_map(|before| &before.keys).filter(|key| !signers.keys.contains(key));
        lines.extend(gone.map(|key| format!("  - {}", key.hex())));
    }
    lines
}

/// A role of a root, and where its signers stand.
type Named = (&'static str, fn(&Roles) -> &Signers);
const ROLES: [Named; 4] = [
    ("table of keys (root)", |roles| &roles.root),
    ("hooks (targets)", |roles| &roles.targets),
    ("snapshot", |roles| &roles.snapshot),
    ("timestamp", |roles| &roles.timestamp),
];

#[cfg(test)]
mod tests {
    use boathook_engine::bundle::manifest::{FORMAT, Rollout, Script};
    use boathook_engine::digest::Digest;
    use boathook_server::team::sign::key::SigningKey;

    use super::*;

    fn hook(id: i64) -> Hook {
        Hook { fail_closed: true, ..Hook::plain(id, "stop", Script::of(&format!("{id}.sh"), b"x")) }
    }

    fn first() -> Manifest {
        let release = Release { number: 1, rollout: None, hooks: vec![hook(1), hook(2)] };
        Manifest {
            format: FORMAT,
            team: 1,
            repository: "r".to_owned(),
            channel: "stable".to_owned(),
            sequence: 4,
            created: "2026-01-01T00:00:00Z".to_owned(),
            stale: Stale::default(),
            releases: vec![release],
        }
    }

    #[test]
    fn every_change_is_shown() {
        let cases: [(fn(&mut Manifest), &str); 17] = [
            (|it| it.releases[0].hooks[0].monitor = true, "~ hook 1 1.sh: monitor: no → yes"),
            (|it| it.releases[0].hooks[0].fail_closed = false, "failClosed: yes → no"),
            (|it| it.releases[0].hooks[0].matcher = Some("^$".into()), "matcher: none → \"^$\""),
            (
                |it| it.releases[0].hooks[0].operating_systems = vec!["Windows".into()],
                "systems: all → Windows",
            ),
            (|it| it.releases[0].hooks[0].timeout = Some(1), "timeout: default → 1 s"),
            (|it| it.releases[0].hooks[0].loop_limit = Some(-1), "loop limit: default → none"),
            (|it| it.releases[0].hooks[0].event = "sessionEnd".into(), "event: stop → sessionEnd"),
            (|it| it.releases[0].hooks[0].script.name = "z".into(), "name: \"1.sh\" → \"z\""),
            (|it| it.releases[0].hooks[0].script.sha256 = Digest::of(b"y"), "script: "),
            (|it| drop(it.releases[0].hooks.remove(1)), "- hook 2"),
            (|it| it.releases[0].hooks.push(hook(3)), "+ hook 3 stop \"3.sh\" (monitor no, failClosed yes"),
            (|it| it.releases[0].hooks.reverse(), "order: 1 2 → 2 1"),
            (|it| it.stale.policy = StalePolicy::Deny, "too old: warn after 14 days → deny after 14 days"),
            (|it| it.stale.days = 1, "→ warn after 1 day"),
            (|it| it.sequence = 3, "goes BACK"),
            (|it| it.channel = "x".into(), "channel: \"stable\" → \"x\""),
            (
                |it| {
                    let rollout = Some(Rollout { members: vec![7], percent: 5 });
                    it.releases.insert(0, Release { number: 2, rollout, hooks: vec![] });
                },
                "+ release 2 for 5 % of the machines and the members 7",
            ),
        ];
        for (edit, expected) in cases {
            let mut next = first();
            edit(&mut next);
            let lines = difference(&first(), &next).join("\n");
            assert!(lines.contains(expected), "{expected}: {lines}");
        }
        assert_eq!(difference(&first(), &first()), [""; 0]);
    }

    #[test]
    fn all_of_it_is_shown_even_what_is_as_usual() {
        let lines = manifest(&first()).join("\n");
        for expected in [
            "warn after 14 days",
            "release 1 for everybody",
            "hook 1 stop \"1.sh\"",
            "monitor no, failClosed yes, matcher none, systems all, timeout default, loop limit default",
            &Digest::of(b"x").to_string(),
        ] {
            assert!(lines.contains(expected), "{expected}: {lines}");
        }
    }

    #[test]
    fn keys_that_come_and_go_are_marked() {
        let key = |seed: u8| Signers::one(SigningKey::from_seed(&[seed; 32]).public());
        let (old, new) = (key(1), key(2));
        let now =
            Roles { root: old.clone(), targets: old.clone(), snapshot: old.clone(), timestamp: old.clone() };
        let next = Roles { targets: new.clone(), ..now.clone() };
        let lines = keys(Some(&now), &next);
        assert!(lines.contains(&format!("  + {}", new.keys[0].hex())), "{lines:?}");
        assert!(lines.contains(&format!("  - {}", old.keys[0].hex())), "{lines:?}");
        assert_eq!(keys(Some(&now), &now).iter().filter(|line| line.contains(['+', '-'])).count(), 0);
    }
}
