//! A hundred hookify rules on one shell event.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use boathook_engine::definition::{Action, Definition};
use boathook_engine::event::EventKind;
use boathook_engine::load::TrustMode;
use boathook_engine::rule::hookify::{Options, read_rule};
use boathook_engine::rule::{Look, Rule};
use boathook_engine::{Engine, Os, Roots, Settings};

use crate::engines::shell_event;

type Numbers = Result<Vec<u64>, String>;

/// What people guard, each ten times with other words.
const GUARDS: [&str; 10] = [
    r"rm\s+(-rf|-fr|--recursive.*--force)\s+/srv/WORD",
    r"git\s+push\s+.*(--force|\s-f\b).*WORD",
    r"\bkubectl\s+(delete|apply)\b.*WORD",
    r"(^|[;&|]|\n)\s*docker\s+rm\b[^;&|\n]*WORD",
    r"curl\s+[^|]*\|\s*(ba|z)?sh\s+WORD",
    r"terraform\s+destroy.*WORD",
    r"npm\s+publish.*WORD|yarn\s+publish.*WORD",
    r"drop\s+(table|database)\s+WORD",
    r"chmod\s+(-R\s+)?777\s+WORD",
    r"aws\s+s3\s+rm\s+.*WORD",
];

/// Engines with the rules in them, made once.
#[derive(Default)]
pub struct RuleEngines {
    /// The rules alone.
    rules: Vec<Rule>,
    /// The host put the rules in.
    injected: Option<Engine>,
    /// The rules are files of a workspace, and every event looks at them.
    files: Option<Engine>,
}

impl RuleEngines {
    /// Events that no rule wants; nanoseconds of one.
    pub fn silent(&mut self, files: bool, times: u32, directory: &Path, payload: &[u8]) -> Numbers {
        let slot = if files { &mut self.files } else { &mut self.injected };
        if slot.is_none() {
            *slot = Some(if files { with_files(directory)? } else { with_rules(directory)? });
            if files {
                // A file that just changed is read again at every look.
                thread::sleep(Duration::from_millis(2100));
            }
            // Expressions are compiled, and compiled well, while they are asked.
            run(slot.as_ref(), 50, payload)?;
        }
        let begin = Instant::now();
        run(slot.as_ref(), times, payload)?;
        Ok(vec![begin.elapsed().as_nanos() as u64 / u64::from(times)])
    }

    /// All rules asked about one event, with nothing around them; nanoseconds.
    pub fn asked(&mut self, times: u32, payload: &[u8]) -> Numbers {
        if self.rules.is_empty() {
            self.rules = rules()?;
        }
        let event = shell_event(payload)?;
        let nobody = |_: &str| None;
        let ask = |times: u32| {
            (0..times).map(|_| {
                let look = Look::new(&event, &nobody);
                self.rules.iter().filter(|rule| rule.apply(&look).is_some()).count()
            })
        };
        let applied: usize = ask(50).sum();
        let begin = Instant::now();
        let applied: usize = applied + ask(times).sum::<usize>();
        let nanos = begin.elapsed().as_nanos() as u64 / u64::from(times);
        if applied > 0 { Err("a rule applied that should not".to_owned()) } else { Ok(vec![nanos]) }
    }

    /// From nothing to the first answer: files are read, expressions compiled.
    pub fn load(&self, directory: &Path, payload: &[u8]) -> Numbers {
        let root = write_files(directory)?;
        let begin = Instant::now();
        let engine = engine(directory, root);
        run(Some(&engine), 1, payload)?;
        Ok(vec![begin.elapsed().as_nanos() as u64])
    }
}

fn run(engine: Option<&Engine>, times: u32, payload: &[u8]) -> Result<(), String> {
    let engine = engine.ok_or("no engine")?;
    for _ in 0..times {
        let decision = engine.handle(shell_event(payload)?);
        // A rule that was not asked would make a fine but false number.
        let asked = decision.skips.len() + decision.hooks.len();
        if asked != 100 || decision.blocked {
            return Err(format!("100 rules should be silent; {asked} were asked"));
        }
    }
    Ok(())
}

fn texts() -> impl Iterator<Item = String> {
    (0..100).map(|number| {
        let pattern = GUARDS[number % GUARDS.len()].replace("WORD", &format!("w{number}"));
        format!("---\nname: rule-{number}\nenabled: true\nevent: bash\naction: block\npattern: {pattern}\n---\n\nNo.\n")
    })
}

fn rules() -> Result<Vec<Rule>, String> {
    let rule = |text: String| {
        let read = read_rule(text.as_bytes(), Path::new("hookify.x.local.md"), Options::default());
        read.rule.map(Rule::Hookify).ok_or_else(|| "no rule".to_owned())
    };
    texts().map(rule).collect()
}

fn with_rules(directory: &Path) -> Result<Engine, String> {
    let engine = engine(directory, directory.join("workspace"));
    for rule in rules()? {
        let definition = Definition::command(EventKind::BeforeShellExecution, "");
        engine
            .inject(Definition { action: Action::Rule(Arc::new(rule)), ..definition }, directory.to_owned());
    }
    Ok(engine)
}

fn with_files(directory: &Path) -> Result<Engine, String> {
    Ok(engine(directory, write_files(directory)?))
}

fn write_files(directory: &Path) -> Result<PathBuf, String> {
    let root = directory.join(format!("rules-{}", std::process::id()));
    let folder = root.join(".claude");
    fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    for (number, text) in texts().enumerate() {
        let file = folder.join(format!("hookify.rule-{number}.local.md"));
        if !file.exists() {
            fs::write(file, text).map_err(|error| error.to_string())?;
        }
    }
    Ok(root)
}

fn engine(directory: &Path, workspace: PathBuf) -> Engine {
    let home = directory.join("home-rules");
    let mut roots = Roots::new(Os::current(), &home, home.join("state"), [workspace]);
    roots.system = directory.join("system");
    let mut settings = Settings::new(roots);
    settings.trust = TrustMode::Once;
    Engine::new(settings)
}
