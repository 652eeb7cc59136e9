//! `boathook schema`: JSON Schemas for editors, validators and generators.

use std::path::{Path, PathBuf};

use boathook_engine::event::{EVENTS, EventKind};
use boathook_engine::schema;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde_json::Value;

use crate::Status;
use crate::error::Failed;
use crate::ui::Ui;

/// Print a JSON Schema of hooks.json or of an event's input or output
///
/// The schemas follow draft 2020-12 and describe the default edition. `hooks`
/// is the schema of hooks.json; `preToolUse.input` is what a hook of that event
/// reads from stdin, `preToolUse.output` what it may print.
///
/// An editor checks hooks.json while you type when the file says where its
/// schema is: `"$schema": "./hooks.schema.json"`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  boathook schema > ~/.cursor/hooks.schema.json
  boathook schema beforeShellExecution.output
  boathook schema --write schema     all of them, a file each")]
pub struct SchemaArgs {
    /// Which schema: hooks, EVENT.input or EVENT.output [default: hooks]
    #[arg(value_name = "NAME", value_parser = schema_name(), hide_possible_values = true)]
    name: Option<Name>,
    /// List the names of all schemas
    #[arg(long, conflicts_with = "name")]
    list: bool,
    /// Write all schemas into this directory, in place of what was there
    #[arg(long, value_name = "DIR", conflicts_with_all = ["name", "list"])]
    write: Option<PathBuf>,
}

/// Which schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Name {
    Hooks,
    Input(EventKind),
    Output(EventKind),
}

pub fn schema(ui: &mut Ui, args: &SchemaArgs) -> Result<Status, Failed> {
    if args.list {
        Name::all().iter().for_each(|name| ui.line(&name.text()));
    } else if let Some(directory) = &args.write {
        for name in Name::all() {
            write(&directory.join(name.file()), &name.schema())?;
        }
        ui.say(&format!("{} schemas written to {}", Name::all().len(), directory.display()));
    } else {
        ui.json(&text_of(&args.name.unwrap_or(Name::Hooks).schema()));
    }
    Ok(Status::Success)
}

impl Name {
    fn all() -> Vec<Name> {
        let inputs = EVENTS.iter().map(|spec| Name::Input(spec.kind));
        let outputs = EVENTS.iter().map(|spec| Name::Output(spec.kind));
        std::iter::once(Name::Hooks).chain(inputs).chain(outputs).collect()
    }

    fn text(self) -> String {
        match self {
            Name::Hooks => "hooks".to_owned(),
            Name::Input(event) => format!("{}.input", event.name()),
            Name::Output(event) => format!("{}.output", event.name()),
        }
    }

    fn file(self) -> String {
        match self {
            Name::Hooks => "hooks.schema.json".to_owned(),
            Name::Input(event) => format!("input/{}.schema.json", event.name()),
            Name::Output(event) => format!("output/{}.schema.json", event.name()),
        }
    }

    fn schema(self) -> Value {
        match self {
            Name::Hooks => schema::hooks_json(),
            Name::Input(event) => schema::input(event),
            Name::Output(event) => schema::output(event),
        }
    }
}

fn schema_name() -> impl TypedValueParser<Value = Name> {
    let names = Name::all();
    PossibleValuesParser::new(names.iter().map(|name| name.text())).map(move |text| {
        names.iter().copied().find(|name| name.text() == text).expect("only names of schemas are accepted")
    })
}

fn text_of(schema: &Value) -> String {
    format!("{schema:#}")
}

fn write(file: &Path, schema: &Value) -> Result<(), Failed> {
    let folder = file.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(|error| Failed::file(folder, error))?;
    std::fs::write(file, format!("{}\n", text_of(schema))).map_err(|error| Failed::file(file, error))
}
