//! Runs a case on the library: one engine for all steps of a case.

use std::ffi::OsString;
use std::time::Instant;

use boathook_engine::dialect::claude::Shape;
use boathook_engine::edition::Edition;
use boathook_engine::engine::{Engine, Settings, load_options};
use boathook_engine::event::EventKind;
use boathook_engine::fill::Event;
use boathook_engine::load::{Loader, Surface, TrustMode};
use boathook_engine::payload::Payload;
use boathook_engine::source::{Os, Roots, ThirdParty};

use super::case::{Case, Step};
use super::compare::Observed;
use super::layout::Layout;
use super::suite::prepare;

/// Runs every step.
pub fn run(case: &Case, layout: &Layout, report: &mut dyn FnMut(usize, Observed)) -> Result<(), String> {
    let shared = Engine::new(settings(case, layout, &case.options)?);
    for (index, step) in case.steps.iter().enumerate() {
        prepare(case, index, layout, trust)?;
        let own = match step.options.as_slice() {
            [] => None,
            options => Some(Engine::new(settings(case, layout, options)?)),
        };
        report(index, observe(own.as_ref().unwrap_or(&shared), step, layout)?);
    }
    Ok(())
}

fn observe(engine: &Engine, step: &Step, layout: &Layout) -> Result<Observed, String> {
    let kind = EventKind::named(&step.event).ok_or_else(|| format!("no event {}", step.event))?;
    let payload = Payload::parse(layout.payload(step.payload.as_ref()).as_bytes())
        .map_err(|error| error.to_string())?;
    let started = Instant::now();
    let decision = engine.handle(Event::new(kind, payload));
    let elapsed = started.elapsed();
    engine.write_out().map_err(|error| error.to_string())?;
    Ok(Observed {
        line: Some(decision.answer_line()),
        exit: if decision.blocked { 2 } else { 0 },
        stderr: None,
        trace: Some(decision.trace()),
        elapsed,
    })
}

/// Trusts what the workspaces that the case trusts hold now.
fn trust(layout: &Layout, case: &Case) -> Result<(), String> {
    let settings = settings(case, layout, &layout.plugin_options(case))?;
    let mut loader = Loader::new(settings.roots.clone(), load_options(&settings, false));
    for candidate in loader.candidates(&layout.trusted(case)) {
        loader.trust().accept(&candidate.subject).map_err(|error| error.to_string())?;
    }
    Ok(())
}

fn roots(case: &Case, layout: &Layout) -> Roots {
    Roots {
        os: Os::Linux,
        system: layout.path("system"),
        home: layout.path("home"),
        workspaces: layout.workspaces(case),
        state: layout.path("state/boathook"),
        plugins: Vec::new(),
    }
}

/// What the command line would have made of the same case.
fn settings(case: &Case, layout: &Layout, options: &[String]) -> Result<Settings, String> {
    let config = layout.text("config/boathook/config.toml").unwrap_or_default();
    let mut settings = Settings {
        edition: Edition::named(&case.edition).ok_or_else(|| format!("no edition {}", case.edition))?,
        environment: layout
            .env(case)
            .into_iter()
            .map(|(name, value)| (OsString::from(name), value.into()))
            .collect(),
        project_experiment: config.contains("hooks_ide_project_config = true"),
        third_party: ThirdParty {
            claude: !config.contains("claude = false"),
            shape: if config.contains("claude_shape = \"cursor\"") { Shape::Cursor } else { Shape::Claude },
        },
        ..Settings::new(roots(case, layout))
    };
    let mut options = options.iter().map(String::as_str);
    while let Some(option) = options.next() {
        let value = if matches!(option, "--surface" | "--plugin-dir") { options.next() } else { None };
        match (option, value) {
            ("--plugin-dir", Some(directory)) => settings.roots.plugins.push(layout.fill(directory).into()),
            ("--surface", Some("cloud")) => settings.surface = Surface::Cloud,
            ("--trust", _) => settings.trust = TrustMode::Once,
            ("--remote", _) => settings.remote = true,
            _ => return Err(format!("the library has no {option}: mark the case `\"only\": \"binary\"`")),
        }
    }
    Ok(settings)
}
