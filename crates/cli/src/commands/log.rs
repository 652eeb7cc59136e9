//! `boathook log`: what ran, what it got, what it printed.

mod channel;
pub mod filter;
mod full;
mod table;
pub mod time;
pub mod words;

use std::thread::sleep;
use std::time::Duration;

use boathook_engine::log_file::LogFile;
use boathook_engine::log_tail::LogTail;
use boathook_engine::record::Record;
use boathook_engine::state::StateDir;

use crate::Status;
use crate::args::Global;
use crate::error::Failed;
use crate::settings::settings;
use crate::ui::Ui;
use channel::Channel;
use filter::Filter;
use table::Table;

/// Show what hooks ran: what they got, what they printed
///
/// Without an id it lists the last hook runs, newest last, also events for
/// which no hook was found. With an id (or its beginning) it shows one run in
/// full: input, output, stderr, timing, exit code, decision and notes.
///
/// `-v` writes a paragraph for each event in place of a line, as an output
/// channel does; `-f` goes on as events happen. Payloads are in the log unless
/// `log.payload` in config.toml says otherwise.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  boathook log --outcome failed --since 2h
  boathook log 8f3a2b1c
  boathook log -f -v --event beforeShellExecution
  boathook log --json --hook audit.sh | jq .duration")]
pub struct LogArgs {
    /// One run in full: its id, or the beginning of it
    #[arg(value_name = "ID", conflicts_with_all = ["follow", "verbose", "number", "all", "Filter"])]
    id: Option<String>,
    /// Go on as events happen, until interrupted
    #[arg(short, long)]
    follow: bool,
    /// Write all about each event: hooks found, source, directory, timeout, command, input, output
    #[arg(short, long, conflicts_with = "json")]
    verbose: bool,
    /// Show only the last N [default: 20; with --json all]
    #[arg(short, long, value_name = "N", conflicts_with = "all")]
    number: Option<usize>,
    /// Show all there are
    #[arg(long)]
    all: bool,
    /// Print the records as JSON lines
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    filter: Filter,
}

/// So many are listed when nobody says how many.
const LISTED: usize = 20;
/// How often the log is looked at while it is followed.
const PAUSE: Duration = Duration::from_millis(200);

pub fn log(ui: &mut Ui, global: &Global, args: &LogArgs) -> Result<Status, Failed> {
    let log = LogFile::of(StateDir::new(settings(ui, global, &[])?.roots.state));
    match &args.id {
        Some(id) => one(ui, &log, id, args.json),
        None if args.follow => follow(ui, log, args),
        None => list(ui, &log, args),
    }
}

fn one(ui: &mut Ui, log: &LogFile, id: &str, json: bool) -> Result<Status, Failed> {
    let (records, unreadable) = log.read()?;
    let record = find(&records, id)?;
    if json {
        ui.json(&json_of(record));
    } else {
        full::show(ui, record);
    }
    warn_of_unreadable(ui, unreadable);
    Ok(Status::Success)
}

fn list(ui: &mut Ui, log: &LogFile, args: &LogArgs) -> Result<Status, Failed> {
    let (records, unreadable) = log.read()?;
    let matching: Vec<&Record> = records.iter().filter(|record| args.filter.takes(record)).collect();
    let shown = &matching[matching.len() - args.how_many(matching.len())..];
    if !shown.is_empty() {
        let mut printer = Printer::of(args, ui, shown);
        shown.iter().for_each(|record| printer.print(ui, record));
    }
    warn_of_unreadable(ui, unreadable);
    if args.json {
        return Ok(Status::Success);
    }
    if records.is_empty() {
        ui.say("nothing was logged yet");
        ui.hint("`boathook run EVENT` logs what it ran");
    } else if matching.is_empty() {
        ui.say(&format!("none of {} records matches", records.len()));
    } else if shown.len() < matching.len() {
        ui.hint(&format!("the last {} of {}; --all shows all", shown.len(), matching.len()));
    }
    Ok(Status::Success)
}

/// Ends when it is interrupted or nobody reads any more.
fn follow(ui: &mut Ui, log: LogFile, args: &LogArgs) -> Result<Status, Failed> {
    let mut tail = LogTail::of(log);
    let records = tail.read()?;
    let matching: Vec<&Record> = records.iter().filter(|record| args.filter.takes(record)).collect();
    let mut printer = Printer::widest(args, ui);
    for record in &matching[matching.len() - args.how_many(matching.len())..] {
        printer.print(ui, record);
    }
    drop(records);
    let mut said = 0;
    while !ui.reader_is_gone() {
        if tail.unreadable() > said {
            warn_of_unreadable(ui, tail.unreadable() - said);
            said = tail.unreadable();
        }
        sleep(PAUSE);
        for record in tail.read()?.iter().filter(|record| args.filter.takes(record)) {
            printer.print(ui, record);
        }
    }
    Ok(Status::Success)
}

impl LogArgs {
    /// How many of so many records are shown.
    fn how_many(&self, matching: usize) -> usize {
        let limit = if self.all || self.json { usize::MAX } else { LISTED };
        self.number.unwrap_or(limit).min(matching)
    }
}

/// How records are printed one after the other.
enum Printer {
    Json,
    Channel(Channel),
    Table(Table),
}

impl Printer {
    /// As wide as these records are.
    fn of(args: &LogArgs, ui: &mut Ui, records: &[&Record]) -> Printer {
        Printer::with(args, ui, || Table::for_records(records))
    }

    /// As wide as any record can be.
    fn widest(args: &LogArgs, ui: &mut Ui) -> Printer {
        Printer::with(args, ui, Table::widest)
    }

    fn with(args: &LogArgs, ui: &mut Ui, table: impl FnOnce() -> Table) -> Printer {
        if args.json {
            return Printer::Json;
        }
        if args.verbose {
            return Printer::Channel(Channel::default());
        }
        let table = table();
        table.heading(ui);
        Printer::Table(table)
    }

    fn print(&mut self, ui: &mut Ui, record: &Record) {
        match self {
            Printer::Json => ui.json(&json_of(record)),
            Printer::Channel(channel) => channel.print(ui, record),
            Printer::Table(table) => table.print(ui, record),
        }
    }
}

fn json_of(record: &Record) -> String {
    serde_json::to_string(record).unwrap_or_default()
}

/// The record of this id, or the only one whose id, or its random part,
/// begins so.
pub fn find<'a>(records: &'a [Record], id: &str) -> Result<&'a Record, Failed> {
    let begins = |record: &&Record| record.id.starts_with(id) || words::short_id(record).starts_with(id);
    let found: Vec<&Record> = records.iter().filter(begins).collect();
    match found[..] {
        [only] => Ok(only),
        [] => Err(Failed::other(format!("no record `{id}`"), "`boathook log --all` lists all there are")),
        _ => found.iter().find(|record| record.id == id).copied().ok_or_else(|| {
            let problem = format!("`{id}` is the beginning of {} ids", found.len());
            Failed::other(problem, "write more of it, like `boathook log` shows it")
        }),
    }
}

fn warn_of_unreadable(ui: &mut Ui, lines: usize) {
    match lines {
        0 => {}
        1 => ui.warning("1 line of the log cannot be read"),
        lines => ui.warning(&format!("{lines} lines of the log cannot be read")),
    }
}
