//! `boathook man`: manual pages for `man`.

use std::fs;
use std::path::PathBuf;

use clap::CommandFactory;

use crate::Status;
use crate::args::Args;
use crate::error::Failed;
use crate::ui::Ui;

/// Print or write the manual pages
///
/// Prints one page in the format that `man` reads: of boathook itself, or of
/// one of its commands. With `--write` all of them are written.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  boathook man run | man -l -
  boathook man --write ~/.local/share/man/man1")]
pub struct ManArgs {
    /// The command whose page to print [default: boathook itself]
    #[arg(value_name = "COMMAND", conflicts_with = "write")]
    command: Vec<String>,
    /// Write the pages of all commands into this folder
    #[arg(long, value_name = "DIR")]
    write: Option<PathBuf>,
}

pub fn man(ui: &mut Ui, args: &ManArgs) -> Result<Status, Failed> {
    let pages = pages()?;
    if let Some(folder) = &args.write {
        fs::create_dir_all(folder).map_err(|error| Failed::file(folder, error))?;
        for (name, text) in &pages {
            let file = folder.join(format!("{name}.1"));
            fs::write(&file, text).map_err(|error| Failed::file(&file, error))?;
        }
        ui.say(&format!("wrote {} pages to {}", pages.len(), folder.display()));
        return Ok(Status::Success);
    }
    let wanted = [&["boathook".to_owned()], &args.command[..]].concat().join("-");
    let Some((_, page)) = pages.iter().find(|(name, _)| *name == wanted) else {
        let problem = format!("there is no command `{}`", args.command.join(" "));
        return Err(Failed::other(problem, "`boathook --help` lists the commands"));
    };
    ui.line(page.trim_end());
    Ok(Status::Success)
}

/// Every page and its name: the program's, then one for each command.
fn pages() -> Result<Vec<(String, String)>, Failed> {
    let mut program = Args::command();
    program.build();
    let mut pages = Vec::new();
    add_pages(&mut pages, &program, "boathook")?;
    Ok(pages)
}

/// The heading of a page is the name it is looked up by.
fn add_pages(pages: &mut Vec<(String, String)>, command: &clap::Command, name: &str) -> Result<(), Failed> {
    pages.push((name.to_owned(), page(command.clone().name(name.to_owned()))?));
    for inner in command.get_subcommands().filter(|inner| inner.get_name() != "help") {
        add_pages(pages, inner, &format!("{name}-{}", inner.get_name()))?;
    }
    Ok(())
}

fn page(command: clap::Command) -> Result<String, Failed> {
    let mut bytes = Vec::new();
    let page = clap_mangen::Man::new(command).source(format!("boathook {}", env!("CARGO_PKG_VERSION")));
    page.manual("Boathook Manual").render(&mut bytes).map_err(|error| Failed::file("man".as_ref(), error))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
