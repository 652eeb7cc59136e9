//! Numbers about runs: how long each hook takes, and what part of a session
//! goes into hooks.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use boathook_engine::record::Record;

use super::feed::Entry;
use super::filter::is_failure;
use super::text::millis;

/// What is known of one hook.
#[derive(Debug, Clone, PartialEq)]
pub struct Hook {
    pub command: String,
    pub source: String,
    /// The file its entry stands in.
    pub file: String,
    pub runs: usize,
    pub failures: usize,
    pub median: f64,
    pub p95: f64,
    pub longest: f64,
    pub total: f64,
}

/// What is known of one conversation.
#[derive(Debug, Clone, Default)]
pub struct Conversation {
    pub id: String,
    pub agent: Option<String>,
    /// Milliseconds since 1970.
    pub first: i64,
    pub last: i64,
    pub runs: usize,
    pub events: BTreeMap<String, usize>,
    pub refused: usize,
    pub failures: usize,
    pub followups: Vec<Followup>,
    /// Milliseconds in which at least one hook ran.
    pub hook_time: f64,
    /// Where it took place, as far as the log tells.
    pub workspaces: BTreeSet<String>,
}

/// A message that a stop hook sent by itself.
#[derive(Debug, Clone)]
pub struct Followup {
    pub id: String,
    pub timestamp: String,
    pub event: String,
    pub message: Option<String>,
}

impl Conversation {
    /// From its first event to the end of its last, in milliseconds.
    pub fn span(&self) -> f64 {
        (self.last - self.first).max(0) as f64
    }

    /// The part of that which went into hooks, from 0 to 1; none when nothing took time.
    pub fn share(&self) -> Option<f64> {
        (self.span() > 0.0).then(|| (self.hook_time / self.span()).min(1.0))
    }
}

/// Every hook that ran, those that took most time first.
pub fn hooks(entries: &[Entry]) -> Vec<Hook> {
    let mut by_hook: HashMap<[&str; 3], (Vec<f64>, usize)> = HashMap::new();
    for record in entries.iter().map(|entry| &entry.record) {
        let (Some(command), Some(duration)) = (&record.command, record.duration) else { continue };
        let source = record.source.as_deref().unwrap_or_default();
        let (durations, failures) = by_hook.entry([command, source, file_of(record)]).or_default();
        durations.push(if duration.is_finite() { duration.max(0.0) } else { 0.0 });
        *failures += usize::from(is_failure(record));
    }
    let mut hooks: Vec<Hook> = by_hook
        .into_iter()
        .map(|(names, (durations, failures))| of_runs(names, durations, failures))
        .collect();
    hooks.sort_by(|one, other| {
        other
            .total
            .total_cmp(&one.total)
            .then_with(|| (&one.command, &one.file).cmp(&(&other.command, &other.file)))
    });
    hooks
}

/// The file a hook's entry stands in, whatever its line was then: two files may
/// hold the same command, and mean two scripts.
fn file_of(record: &Record) -> &str {
    let place = record.place.as_deref().unwrap_or_default();
    match place.rsplit_once(':') {
        Some((file, line)) if line.bytes().all(|byte| byte.is_ascii_digit()) => file,
        _ => place,
    }
}

impl Hook {
    /// Whether a run is of this hook.
    pub fn ran(&self, record: &Record) -> bool {
        record.command.as_ref() == Some(&self.command)
            && record.source.as_deref().unwrap_or_default() == self.source
            && file_of(record) == self.file
    }
}

fn of_runs([command, source, file]: [&str; 3], mut durations: Vec<f64>, failures: usize) -> Hook {
    durations.sort_by(f64::total_cmp);
    Hook {
        command: command.to_owned(),
        source: source.to_owned(),
        file: file.to_owned(),
        runs: durations.len(),
        failures,
        median: part(&durations, 0.5),
        p95: part(&durations, 0.95),
        longest: durations.last().copied().unwrap_or_default(),
        total: durations.iter().sum(),
    }
}

/// The smallest value that so large a part of all values does not exceed.
fn part(sorted: &[f64], part: f64) -> f64 {
    let place = (sorted.len() as f64 * part).ceil() as usize;
    sorted.get(place.saturating_sub(1)).copied().unwrap_or_default()
}

/// Every conversation, the latest first; and the runs without one, together.
pub fn conversations(entries: &[Entry]) -> (Vec<Conversation>, Option<Conversation>) {
    let mut by_id: HashMap<&str, Vec<&Entry>> = HashMap::new();
    let mut without: Vec<&Entry> = Vec::new();
    for entry in entries {
        match &entry.record.conversation {
            Some(id) => by_id.entry(id).or_default().push(entry),
            None => without.push(entry),
        }
    }
    let mut all: Vec<Conversation> = Vec::new();
    for (id, records) in by_id {
        if is_made_up(id, &records) {
            without.extend(records);
        } else {
            all.push(of_records(id, &records));
        }
    }
    all.sort_by(|one, other| other.last.cmp(&one.last).then_with(|| one.id.cmp(&other.id)));
    without.sort_by_key(|entry| entry.number);
    (all, (!without.is_empty()).then(|| of_records("", &without)))
}

/// Whether nobody named this conversation. An event that names none is given a
/// fresh id, so that hooks have one: it has no agent, and no second event.
fn is_made_up(id: &str, entries: &[&Entry]) -> bool {
    let is_uuid = id.len() == 36
        && id.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        });
    let Some(first) = entries.first() else { return false };
    let same =
        |it: &&Entry| it.record.timestamp == first.record.timestamp && it.record.step == first.record.step;
    is_uuid && entries.iter().all(|it| it.record.agent.is_none() && same(it))
}

fn of_records(id: &str, entries: &[&Entry]) -> Conversation {
    let mut known =
        Conversation { id: id.to_owned(), first: i64::MAX, last: i64::MIN, ..Conversation::default() };
    let mut spans: Vec<(f64, f64)> = Vec::new();
    let mut seen: Vec<(&str, &str)> = Vec::new();
    for entry in entries {
        let record: &Record = &entry.record;
        known.workspaces.extend(entry.workspaces.iter().cloned());
        known.agent = known.agent.or_else(|| record.agent.clone());
        known.runs += usize::from(record.duration.is_some());
        known.failures += usize::from(is_failure(record));
        if let Some(start) = millis(&record.timestamp) {
            let duration = record.duration.filter(|it| it.is_finite()).unwrap_or(0.0).max(0.0);
            known.first = known.first.min(start);
            known.last = known.last.max(start.saturating_add(duration.ceil() as i64));
            spans.push((start as f64, start as f64 + duration));
        }
        if let Some(followup) = followup(record) {
            known.followups.push(followup);
        }
        // Several hooks of one event have the same time; the last few are enough to tell.
        let event = (record.timestamp.as_str(), record.step.as_str());
        if !seen.iter().rev().take(64).any(|it| *it == event) {
            seen.push(event);
            *known.events.entry(record.step.clone()).or_default() += 1;
            known.refused += usize::from(record.blocked);
        }
    }
    if known.first > known.last {
        (known.first, known.last) = (0, 0);
    }
    known.hook_time = covered(spans);
    known
}

fn followup(record: &Record) -> Option<Followup> {
    let message = record.response.as_ref().and_then(|response| {
        let answer: serde_json::Value = serde_json::from_str(response.get()).ok()?;
        let text = answer.get("followup_message").or_else(|| answer.get("followupMessage"))?.as_str()?;
        Some(text.to_owned())
    });
    (record.automatic_followup && (message.is_some() || record.response.is_none())).then(|| Followup {
        id: record.id.clone(),
        timestamp: record.timestamp.clone(),
        event: record.step.clone(),
        message,
    })
}

/// How long at least one of these lasted: hooks that ran together count once.
fn covered(mut spans: Vec<(f64, f64)>) -> f64 {
    spans.sort_by(|one, other| one.0.total_cmp(&other.0));
    let (mut total, mut reached) = (0.0, f64::MIN);
    for (start, end) in spans {
        total += (end - start.max(reached)).max(0.0);
        reached = reached.max(end);
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(second: u32, command: &str, duration: f64, outcome: &str) -> Entry {
        let record = Record {
            timestamp: format!("2026-11-15T10:00:{second:02}.000Z"),
            command: Some(command.to_owned()),
            duration: Some(duration),
            conversation: Some("c".to_owned()),
            ..Record::blank("stop", outcome)
        };
        Entry::of(1, record)
    }

    #[test]
    fn hooks_are_counted_and_ranked_by_the_time_they_take() {
        let mut entries: Vec<Entry> =
            (1..=100).map(|number| entry(0, "a", f64::from(number), "answer")).collect();
        entries.push(entry(0, "b", 9_000.0, "failed_open"));
        entries.push(entry(0, "c", f64::NAN, "answer"));
        let hooks = hooks(&entries);
        let told: Vec<_> = hooks
            .iter()
            .map(|it| (it.command.as_str(), it.runs, it.failures, it.median, it.p95, it.longest))
            .collect();
        assert_eq!(
            told,
            [
                ("b", 1, 1, 9_000.0, 9_000.0, 9_000.0),
                ("a", 100, 0, 50.0, 95.0, 100.0),
                ("c", 1, 0, 0.0, 0.0, 0.0)
            ]
        );
    }

    #[test]
    fn hooks_that_run_together_cost_their_session_once() {
        let entries = [
            entry(0, "a", 1_000.0, "answer"),
            entry(0, "b", 2_000.0, "answer"),
            entry(8, "a", 2_000.0, "answer"),
        ];
        let (all, without) = conversations(&entries);
        assert!(without.is_none());
        assert_eq!(
            (all.len(), all[0].hook_time, all[0].span(), all[0].share()),
            (1, 4_000.0, 10_000.0, Some(0.4))
        );
        assert_eq!(all[0].events.get("stop"), Some(&2));
        let strange = Record {
            timestamp: "whenever".to_owned(),
            conversation: Some("x".to_owned()),
            ..Record::blank("stop", "none")
        };
        assert_eq!(conversations(&[Entry::of(1, strange)]).0[0].share(), None);
    }

    #[test]
    fn the_same_command_of_two_files_is_two_hooks() {
        let placed = |place: &str| {
            let record = Record {
                place: Some(place.to_owned()),
                ..(*entry(0, "./a.sh", 5.0, "answer").record).clone()
            };
            Entry::of(1, record)
        };
        let entries = [placed("/a/hooks.json:3"), placed("/b/hooks.json:3"), placed("/a/hooks.json:9")];
        let told: Vec<_> = hooks(&entries).into_iter().map(|it| (it.file, it.runs)).collect();
        assert_eq!(told, [("/a/hooks.json".to_owned(), 2), ("/b/hooks.json".to_owned(), 1)]);
    }

    #[test]
    fn events_without_a_conversation_are_no_sessions() {
        let talk = |id: Option<&str>, second: u32, agent: Option<&str>| {
            let record = Record {
                conversation: id.map(str::to_owned),
                agent: agent.map(str::to_owned),
                ..(*entry(second, "a", 5.0, "answer").record).clone()
            };
            Entry::of(u64::from(second), record)
        };
        let [one, two, three] =
            ["1", "2", "3"].map(|end| format!("0f84f812-5449-490d-93a6-0a06a681ae9{end}"));
        let entries = [
            talk(None, 1, None),
            talk(Some(&one), 2, None),
            talk(Some(&one), 2, None),
            talk(Some(&two), 3, Some("claude")),
            talk(Some(&three), 4, None),
            talk(Some(&three), 5, None),
            talk(Some("named"), 6, None),
        ];
        let (all, without) = conversations(&entries);
        let ids: Vec<&str> = all.iter().map(|it| it.id.as_str()).collect();
        assert_eq!(ids, ["named", three.as_str(), two.as_str()]);
        assert_eq!(without.map(|it| it.runs), Some(3));
    }
}
