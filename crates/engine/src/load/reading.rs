//! One source: what was last read of it, and whether that still holds.

use std::sync::Arc;
use std::time::Duration;

use super::ownership::{self, Refusal};
use super::sealed::{self, Freshness};
use super::{Candidate, Change, SourceState, Surroundings, TrustMode, last_good};
use crate::bundle::{Age, Seal};
use crate::clock;
use crate::config::Config;
use crate::definition::Definition;
use crate::problem::{Problem, Severity};
use crate::read_file::{self, CONFIG_LIMIT, Folders, Glimpse, Looked, Owner, ReadError};
use crate::source::{Format, Level, Source};
use crate::trust::{Examination, Looking, Subject, Trust, TrustState, TrustedFiles};

/// One source.
#[derive(Debug)]
pub(super) struct Reading {
    pub(super) source: Arc<Source>,
    version: u64,
    /// What the file was when it was last read; none before that.
    look: Option<Looked>,
    /// The same of files that its hooks were made from.
    made_from: Vec<(std::path::PathBuf, Glimpse)>,
    /// The bytes last read, good or not.
    raw: Option<Vec<u8>>,
    pub(super) state: SourceState,
    pub(super) problems: Vec<Problem>,
    /// What is in force.
    pub(super) good: Option<Good>,
    pub(super) gate: Option<Gate>,
    /// What the caller trusted without storing it.
    once: Option<Subject>,
    /// What says whether an enterprise's hooks are its own, as it was then.
    judged: Vec<(std::path::PathBuf, Glimpse)>,
    /// What a team's generation must hold.
    pub(super) seal: Option<Arc<Seal>>,
    /// It is not what was sealed: none of it runs.
    pub(super) tampered: bool,
    /// It is an enterprise's, and others can write it: its hooks count as failed.
    pub(super) unprotected: bool,
    /// How old the newest signed word about it is.
    pub(super) age: Option<Age>,
    freshness: Freshness,
    /// The folder of its project does not exist.
    pub(super) rootless: bool,
}

/// A configuration that could be read.
#[derive(Debug)]
pub(super) struct Good {
    /// What was read, or the part of it that hooks are made of.
    pub(super) bytes: Vec<u8>,
    pub(super) definitions: Vec<Definition>,
    /// It switches off every hook that was written for Claude Code.
    pub(super) switches_off: bool,
    /// The bytes are those of the whole file.
    pub(super) whole: bool,
}

impl Good {
    pub(super) fn of(bytes: &[u8], config: Config) -> Good {
        Good {
            whole: config.part.is_none(),
            bytes: config.part.unwrap_or_else(|| bytes.to_vec()),
            definitions: config.definitions,
            switches_off: config.switches_off,
        }
    }
}

/// Whether a source that needs trust has it.
#[derive(Debug)]
pub(super) struct Gate {
    pub(super) state: Arc<TrustState>,
    examination: Examination,
    /// `failClosed` entries that were trusted and are not there any more.
    pub(super) lost: Vec<Definition>,
}

impl Gate {
    /// What the files of its hooks must be, while it is trusted.
    pub(super) fn trusted_files(&self) -> Option<Arc<TrustedFiles>> {
        self.examination.files.clone()
    }
}

/// An editor that removes a file before it writes it anew is waited for.
const REWRITE: (u32, Duration) = (40, Duration::from_millis(5));

impl Reading {
    pub(super) fn new(source: Source) -> Reading {
        Reading {
            source: Arc::new(source),
            version: 0,
            look: None,
            made_from: Vec::new(),
            raw: None,
            state: SourceState::Absent,
            problems: Vec::new(),
            good: None,
            gate: None,
            once: None,
            judged: Vec::new(),
            seal: None,
            tampered: false,
            unprotected: false,
            age: None,
            freshness: Freshness::default(),
            rootless: false,
        }
    }

    /// Another number whenever anything about it changed.
    pub(super) fn version(&self) -> u64 {
        self.version
    }

    /// Looks at the file and, where trust counts, at every file it covers;
    /// reads again what changed.
    pub(super) fn refresh(&mut self, folders: &mut Folders, around: &Surroundings) {
        let holds = self.look.as_mut().is_some_and(|look| look.holds(folders));
        let before = self.version;
        let made_from_holds = self.made_from.iter().all(|(file, look)| look.holds(file));
        if !made_from_holds {
            self.raw = None;
        }
        if !holds || !made_from_holds {
            self.read(around);
        }
        if !self.judged.iter().all(|(path, look)| look.holds(path)) {
            self.judge_again(around);
        }
        if let Some(folder) = self.source.team_folder() {
            let age = self.freshness.age(folder);
            if self.age != age {
                self.age = age;
                self.version += 1;
            }
        }
        let rootless = self.is_rootless(folders);
        if self.rootless != rootless {
            self.rootless = rootless;
            self.version += 1;
        }
        let examined = self.gate.as_mut().is_some_and(|gate| gate.examination.holds(folders));
        if self.source.needs_trust() && (self.version != before || !examined) {
            self.examine(around);
        }
    }

    /// Whether there is not even a folder for its file. Mostly one in it was
    /// looked at just now.
    fn is_rootless(&self, folders: &Folders) -> bool {
        let is_project = self.source.level == Level::Project && self.state == SourceState::Absent;
        let root = self.source.workspace.as_deref().filter(|_| is_project);
        root.is_some_and(|root| !folders.has_seen_in(root) && !root.is_dir())
    }

    /// Does not believe the file's times the next time.
    pub(super) fn doubt(&mut self) {
        (self.look, self.raw, self.gate) = (None, None, None);
    }

    /// What somebody may trust.
    pub(super) fn candidate(&self, trust: &Trust) -> Option<Candidate> {
        let good = self.good.as_ref().filter(|_| self.state == SourceState::Read)?;
        self.gate.as_ref()?;
        // One look for both: the difference that is shown is that of what is accepted.
        let subject = trust.subject(&self.source, &good.bytes, &good.definitions);
        let state = trust.status_of(&self.source, &subject);
        // Settings of another product are there for other things, too.
        let says_nothing = good.definitions.is_empty() && !good.switches_off;
        if says_nothing && self.source.level != Level::Project && state == TrustState::New {
            return None;
        }
        Some(Candidate {
            source: self.source.clone(),
            definitions: good.definitions.clone(),
            subject,
            state,
            switches_off: good.switches_off,
        })
    }

    /// The files that the caller trusts without storing it.
    pub(super) fn trusted_once(&self) -> impl Iterator<Item = std::path::PathBuf> {
        self.once.iter().flat_map(Subject::existing_files)
    }

    /// Writes down what a later process may need.
    pub(super) fn remember(&self, around: &Surroundings) {
        if self.source.format == Format::Sealed {
            return;
        }
        match (&self.state, &self.good) {
            (SourceState::Absent, _) => last_good::forget(around, &self.source),
            (SourceState::Read, Some(good)) => last_good::remember(around, &self.source, good),
            (SourceState::Read | SourceState::LastGood(_) | SourceState::Unreadable(_), _) => {}
        }
    }

    /// What changed in it since a person was last told.
    pub(super) fn change(&self, around: &Surroundings, looking: Looking) -> Option<Change> {
        match &self.state {
            SourceState::Absent => last_good::change(around, &self.source, None, looking),
            SourceState::Read => last_good::change(around, &self.source, Some(self.good.as_ref()?), looking),
            SourceState::LastGood(_) | SourceState::Unreadable(_) => None,
        }
    }

    fn read(&mut self, around: &Surroundings) {
        if self.source.format == Format::Sealed {
            return self.read_sealed(around);
        }
        match self.read_file(around) {
            Ok((bytes, look)) => {
                self.looked(look);
                if self.raw.as_ref() != Some(&bytes) || matches!(self.state, SourceState::Absent) {
                    self.take(bytes, around);
                }
            }
            Err(ReadError::Absent) => {
                self.looked(Glimpse::default());
                (self.raw, self.good) = (None, None);
                self.become_state(SourceState::Absent, Vec::new());
            }
            Err(error) => {
                self.looked(Glimpse::at(&self.source.file));
                self.raw = None;
                let help = error.help(&self.source.file);
                self.keep_last_good(error.to_string(), help, Vec::new(), around);
            }
        }
    }

    fn looked(&mut self, glimpse: Glimpse) {
        self.look = Some(Looked::seen(self.source.text_file().into_owned(), glimpse));
    }

    /// A team's signed hooks: what does not fit its seal is not in force, and
    /// neither is an earlier copy.
    fn read_sealed(&mut self, around: &Surroundings) {
        self.looked(Glimpse::at(&self.source.text_file()));
        let opened = sealed::open(&self.source, around);
        self.seal = opened.seal.map(Arc::new);
        self.tampered = opened.content.is_err();
        match opened.content {
            Ok(bytes) => self.take(bytes, around),
            Err(broken) => {
                let config = Config { definitions: broken.definitions.clone(), ..Config::default() };
                (self.raw, self.good) = (None, Some(Good::of(&[], config)));
                self.version += 1;
                let problem = broken.problem(&self.source);
                self.become_state(SourceState::Unreadable(broken.reason), vec![problem]);
            }
        }
        self.made_from = opened.made_from;
    }

    /// Reads the file; waits a moment for one that is just being replaced.
    fn read_file(&self, around: &Surroundings) -> Result<(Vec<u8>, Glimpse), ReadError> {
        let owner = owner(&self.source);
        let mut attempts = 0;
        loop {
            match read_file::read(&self.source.file, CONFIG_LIMIT, owner) {
                Ok(file) => return Ok((file.bytes, Glimpse::of(file.stamp))),
                Err(ReadError::Absent) if attempts < REWRITE.0 && self.just_vanished(around) => {
                    attempts += 1;
                    std::thread::sleep(REWRITE.1);
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// There was a file, and the folder that it stood in changed only now. That
    /// folder may be on its way back, too: then the one above it changed.
    fn just_vanished(&self, around: &Surroundings) -> bool {
        let above = self.source.file.ancestors().skip(1).find_map(read_file::facts);
        above.is_some_and(|facts| facts.stamp.is_young(clock::nanoseconds()))
            && (self.good.is_some() || last_good::is_kept(around, &self.source))
    }

    /// Whose files they are may change while the text stays as it is.
    fn judge_again(&mut self, around: &Surroundings) {
        let Some(good) = &self.good else {
            self.raw = None;
            return self.read(around);
        };
        // What others could write may have been written by them: the text is read again as well.
        if self.unprotected {
            self.raw = None;
            return self.read(around);
        }
        let judged = ownership::judge(&self.source, &good.definitions, &around.roots);
        self.judged = judged.looked_at;
        if let Some(refusal) = judged.refusal {
            self.unprotected = true;
            self.version += 1;
            self.refuse(refusal);
        }
    }

    /// None of it runs, and neither does an earlier copy: its scripts may be what others can change. Its hooks stay,
    /// as hooks that failed.
    fn refuse(&mut self, refusal: Refusal) {
        self.become_state(SourceState::Unreadable(refusal.reason), vec![refusal.problem]);
    }

    fn take(&mut self, bytes: Vec<u8>, around: &Surroundings) {
        let mut config = (around.read)(&bytes, &self.source, &around.options);
        for problem in &mut config.problems {
            problem.file = Some(self.source.file.clone());
        }
        config.problems.extend(Some(&*self.source).filter(|it| it.needs_trust()).and_then(shared));
        self.made_from = std::mem::take(&mut config.made_from);
        if self.source.level == Level::Enterprise {
            let judged = ownership::judge(&self.source, &config.definitions, &around.roots);
            self.judged = judged.looked_at;
            self.unprotected = judged.refusal.is_some() && config.readable;
            if let Some(refusal) = judged.refusal {
                self.good = if self.unprotected { Some(Good::of(&bytes, config)) } else { None };
                self.raw = Some(bytes);
                self.version += 1;
                return self.refuse(refusal);
            }
        }
        // A file that was emptied to be written anew is not a file without hooks.
        if config.readable && !bytes.trim_ascii().is_empty() {
            let problems = std::mem::take(&mut config.problems);
            self.good = Some(Good::of(&bytes, config));
            self.version += 1;
            self.become_state(SourceState::Read, problems);
        } else {
            self.keep_last_good(reason(&config), None, config.problems, around);
        }
        self.raw = Some(bytes);
    }

    /// The file cannot be read: what it last held stays in force.
    fn keep_last_good(
        &mut self,
        reason: String,
        help: Option<String>,
        mut problems: Vec<Problem>,
        around: &Surroundings,
    ) {
        if self.good.is_none() {
            self.good = last_good::recall(around, &self.source);
        }
        let (code, message) = match &self.good {
            Some(_) => ("last-good", format!("cannot be read: {reason}; its last good copy stays in force")),
            None => ("unreadable", format!("cannot be read: {reason}; none of its hooks run")),
        };
        let mut problem = Problem::error(code, message);
        problem.file = Some(self.source.file.clone());
        problem.help = help;
        problems.push(problem);
        let state =
            if self.good.is_some() { SourceState::LastGood(reason) } else { SourceState::Unreadable(reason) };
        self.become_state(state, problems);
    }

    fn become_state(&mut self, state: SourceState, problems: Vec<Problem>) {
        if self.version == 0 || self.state != state || self.problems != problems {
            (self.state, self.problems) = (state, problems);
            self.version += 1;
        }
    }

    /// Asks whether what is in force is trusted.
    fn examine(&mut self, around: &Surroundings) {
        let bytes = self.good.as_ref().map(|good| good.bytes.as_slice());
        let definitions = self.good.as_ref().map_or(&[][..], |good| &good.definitions);
        let mut examination = match (around.options.trust, &self.once, bytes) {
            (TrustMode::Store, _, _) => {
                around.trust.examine(&self.source, bytes, definitions, around.options.scripts)
            }
            (TrustMode::Once, Some(once), _) => {
                around.trust.examine_once(&self.source, once, bytes, definitions)
            }
            (TrustMode::Once, None, Some(bytes)) => {
                let subject = around.trust.subject(&self.source, bytes, definitions);
                let pins = subject.files.iter().map(|file| file.pin.clone()).collect();
                let files = around.trust.trusted_files(&subject, pins);
                self.once = Some(subject.clone());
                Examination::trusted(subject, files)
            }
            (TrustMode::Once, None, None) => return,
        };
        if let Some(subject) = &mut examination.subject {
            subject.forget_contents();
        }
        let trusted = examination.trusted_config.take();
        let trusted = trusted.map(|bytes| (around.read)(&bytes, &self.source, &around.options).definitions);
        let lost = trusted
            .unwrap_or_default()
            .into_iter()
            .filter(|old| old.failure_refuses() && !contains(definitions, old));
        let lost = lost.collect();
        let mut state = std::mem::replace(&mut examination.state, TrustState::New);
        let is_same = |(file, look): &(std::path::PathBuf, Glimpse)| look.has_same_stamp(&Glimpse::at(file));
        if state == TrustState::Trusted && !self.made_from.iter().all(is_same) {
            state = TrustState::Broken("a rule that it names changed while it was read".to_owned());
        }
        if self
            .gate
            .as_ref()
            .is_none_or(|gate| *gate.state != state || gate.examination.files != examination.files)
        {
            self.version += 1;
        }
        self.gate = Some(Gate { state: Arc::new(state), examination, lost });
    }
}

/// Who must own a source's file. What counts only once its contents are trusted may be anybody's: containers, WSL and
/// mounted checkouts give files any mode and owner. An enterprise's is judged together with its scripts.
fn owner(source: &Source) -> Owner {
    let is_pinned = source.needs_trust();
    if is_pinned || source.level == Level::Enterprise { Owner::Anybody } else { Owner::UserOrRoot }
}

/// That others can write a file whose contents are pinned. It stays in force: a change withholds it.
fn shared(source: &Source) -> Option<Problem> {
    let fault = read_file::check_access(&source.file, Owner::UserOrRoot).err()?;
    let message = format!("{fault}; that does not matter while its contents are the trusted ones");
    let mut problem = Problem::hint("shared-file", message);
    problem.file = Some(source.file.clone());
    Some(problem)
}

fn reason(config: &Config) -> String {
    let error = config.problems.iter().find(|problem| problem.severity == Severity::Error);
    error.map_or_else(|| "it is empty".to_owned(), |problem| problem.message.clone())
}

/// Whether an entry is still there and refuses wherever the trusted one would. Anything that could make it apply less
/// often, or refuse less, makes it another entry.
fn contains(definitions: &[Definition], wanted: &Definition) -> bool {
    let conditions = |definition: &Definition| {
        let claude = definition.dialect.claude();
        let matcher =
            claude.and_then(|claude| claude.matcher.as_ref()).map(|matcher| matcher.written().to_owned());
        let condition = claude.and_then(|claude| claude.condition.as_ref()).map(|condition| condition.text());
        (claude.is_some_and(|claude| claude.background), matcher, condition)
    };
    definitions.iter().any(|found| {
        found.event == wanted.event
            && found.action == wanted.action
            && found.matcher.pattern() == wanted.matcher.pattern()
            && found.failure_refuses() == wanted.failure_refuses()
            && conditions(found) == conditions(wanted)
    })
}
