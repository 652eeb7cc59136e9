//! `boathook completions`: what a shell needs to complete commands and options.

use clap::CommandFactory;
use clap_complete::Shell;

use crate::Status;
use crate::args::Args;
use crate::error::Failed;
use crate::ui::Ui;

/// Print the completions of a shell
///
/// They complete commands and options; bash, fish and zsh complete the names of
/// events and of schemas too. The output is a script for the shell; where it
/// goes is up to the shell, see below.
#[derive(Debug, clap::Args)]
#[command(after_help = "Install them for new shells:
  bash        boathook completions bash > ~/.local/share/bash-completion/completions/boathook
              (with the package bash-completion), or in ~/.bashrc:
              source <(boathook completions bash)
  zsh         boathook completions zsh > ~/.zfunc/_boathook
              and in ~/.zshrc, before compinit: fpath=(~/.zfunc $fpath)
  fish        boathook completions fish > ~/.config/fish/completions/boathook.fish
  powershell  boathook completions powershell >> $PROFILE
  elvish      boathook completions elvish >> ~/.config/elvish/rc.elv")]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL", value_enum)]
    shell: Shell,
}

pub fn completions(ui: &mut Ui, args: &CompletionsArgs) -> Result<Status, Failed> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "boathook", &mut script);
    ui.line(String::from_utf8_lossy(&script).trim_end());
    Ok(Status::Success)
}
