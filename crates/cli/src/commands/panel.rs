//! `boathook panel`: the local page.

use boathook_engine::engine::Settings;
use boathook_server::panel::Panel;

use crate::Status;
use crate::args::Global;
use crate::commands::doctor::problems;
use crate::error::Failed;
use crate::settings::{cancel, open_in_browser, settings};
use crate::ui::Ui;

/// Look at hooks, problems and runs in a browser
///
/// Prints one address of this machine. The browser that opens it first is let
/// in, and nobody else; the address works once. The page shows hooks by event
/// and source, problems with their repairs, the log as it grows, one run in
/// full, how long hooks take and what sessions keep. An event can be tried
/// there, and a workspace be trusted after looking at the difference. Nothing
/// is asked of any other host. Ends with Ctrl-C.
#[derive(Debug, clap::Args)]
pub struct PanelArgs {
    /// The port to listen on; any free one when it is 0
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    port: u16,
    /// Open the address in the browser
    #[arg(long)]
    open: bool,
}

pub fn panel(ui: &mut Ui, global: &Global, args: &PanelArgs) -> Result<Status, Failed> {
    let settings = Settings { cancel: cancel(), ..settings(ui, global, &[])? };
    let panel = Panel::listen(settings, args.port, Box::new(problems)).map_err(|error| {
        let help = "write `--port 0` for any port that is free";
        Failed::other(format!("cannot listen on 127.0.0.1:{}: {error}", args.port), help)
    })?;
    let url = panel.url();
    ui.line(&url);
    ui.hint("the address lets one browser in, once; Ctrl-C ends the panel");
    if args.open && !open_in_browser(&url, &global.workspace) {
        ui.warning("no browser could be opened; open the address yourself");
    }
    panel.serve().map_err(|error| Failed::other(format!("the panel ended: {error}"), "start it again"))?;
    Ok(Status::Success)
}
