//! How an event came out, read back from its records: what was decided, by
//! which hooks, and why theirs counted.

use std::sync::Arc;

use boathook_engine::record::Record;

use super::badge::Tone;

/// How an event came out.
pub struct Verdict<'a> {
    pub tone: Tone,
    pub word: &'static str,
    pub because: &'static str,
    by: Vec<&'a str>,
}

impl<'a> Verdict<'a> {
    /// From the records of one event.
    pub fn of(event: &[&'a Arc<Record>]) -> Verdict<'a> {
        let those = |which: &dyn Fn(&Record) -> bool| -> Vec<&'a str> {
            event.iter().filter(|record| which(record)).map(|record| record.id.as_str()).collect()
        };
        let said = |word: &'static str| those(&|record| record.permission.as_deref() == Some(word));
        let blocked = event.iter().any(|record| record.blocked);
        let failed = those(&|record| record.outcome == "failed_closed");
        let (tone, word, because, by) = match () {
            () if !those(&is_undecided).is_empty() => (
                Tone::Warn,
                "not decided",
                "The daemon was short of something, so its caller asked the hooks again.",
                Vec::new(),
            ),
            () if blocked && !said("deny").is_empty() => {
                (Tone::Bad, "refused", "Deny beats ask beats allow, whatever the source.", said("deny"))
            }
            () if blocked && !failed.is_empty() => (
                Tone::Bad,
                "refused",
                "A hook failed that says failClosed, so nobody can know that it would have agreed.",
                failed,
            ),
            () if blocked && !said("ask").is_empty() => (
                Tone::Bad,
                "refused",
                "A hook wants the user to be asked, and on this event nobody can be asked.",
                said("ask"),
            ),
            () if blocked => (Tone::Bad, "refused", "A hook held it back.", those(&is_answer)),
            () if !said("ask").is_empty() => {
                (Tone::Warn, "the user is asked", "Ask beats allow, whatever the source.", said("ask"))
            }
            () if !said("allow").is_empty() => (Tone::Good, "allowed", "No hook objected.", said("allow")),
            () if !those(&is_answer).is_empty() => {
                (Tone::Good, "answered", "What it said was passed on.", those(&is_answer))
            }
            () => (Tone::Quiet, "no opinion", "No hook had one, so the action went on.", Vec::new()),
        };
        Verdict { tone, word, because, by }
    }

    /// Whether this record's hook decided.
    pub fn is_by(&self, record: &Record) -> bool {
        self.by.contains(&record.id.as_str())
    }
}

fn is_answer(record: &Record) -> bool {
    record.outcome == "answer"
}

fn is_undecided(record: &Record) -> bool {
    record.outcome == "undecided"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strongest_answer_decides() {
        let said = |permission: Option<&str>, blocked| {
            let permission = permission.map(str::to_owned);
            Arc::new(Record { permission, blocked, ..Record::blank("beforeShellExecution", "answer") })
        };
        let failed =
            |outcome, blocked| Arc::new(Record { blocked, ..Record::blank("beforeShellExecution", outcome) });
        let cases = [
            (vec![said(Some("allow"), true), said(Some("deny"), true)], "refused", vec![false, true]),
            (
                vec![said(Some("allow"), false), said(Some("ask"), false)],
                "the user is asked",
                vec![false, true],
            ),
            (vec![said(Some("ask"), true)], "refused", vec![true]),
            (vec![failed("failed_closed", true), said(Some("allow"), true)], "refused", vec![true, false]),
            (vec![said(Some("allow"), false), failed("failed_open", false)], "allowed", vec![true, false]),
            (vec![failed("undecided", false)], "not decided", vec![false]),
            (vec![said(None, true)], "refused", vec![true]),
            (vec![said(None, false)], "answered", vec![true]),
            (vec![failed("no_opinion", false)], "no opinion", vec![false]),
            (vec![], "no opinion", vec![]),
        ];
        for (records, word, by) in cases {
            let event: Vec<&Arc<Record>> = records.iter().collect();
            let verdict = Verdict::of(&event);
            assert_eq!(verdict.word, word, "{records:?}");
            assert_eq!(event.iter().map(|it| verdict.is_by(it)).collect::<Vec<_>>(), by, "{records:?}");
        }
    }
}
