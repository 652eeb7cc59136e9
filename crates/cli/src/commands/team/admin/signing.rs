//! `boathook team admin key`, `strict`, `sign`: admins who hold the keys.

use std::fs;
use std::path::{Path, PathBuf};

use boathook_server::team::publish::{Review, review};
use boathook_server::team::sign::key::{SigningKey, from_hex, hex};
use boathook_server::team::wire::{KeySet, NewKeys, NewSignature, Signing, ToSign};
use clap::Subcommand;

use super::desk::Desk;
use crate::Status;
use crate::error::Failed;
use crate::ui::Ui;
use crate::write_file::{Access, write_new};

/// Make a key for signing, on this machine alone
#[derive(Debug, clap::Args)]
pub struct KeyArgs {
    #[command(subcommand)]
    command: KeyCommand,
}

/// What is to be done.
#[derive(Debug, Subcommand)]
pub enum KeyCommand {
    New(NewArgs),
    Show(ShowArgs),
    Rotate(RotateArgs),
}

/// Make a key: the file stays here, its public half is printed
#[derive(Debug, clap::Args)]
pub struct NewArgs {
    /// The file, which must not be there yet
    file: PathBuf,
}

/// Print the public half of a key
#[derive(Debug, clap::Args)]
pub struct ShowArgs {
    /// The key's file
    file: PathBuf,
}

/// Have the server make new keys for all that it signs itself
#[derive(Debug, clap::Args)]
pub struct RotateArgs {}

/// Hand the signing of hooks to the admins, or exchange their keys
///
/// From then on nothing is published before enough admins ran `sign`; the server
/// cannot publish alone. All files that wait then must be signed with the new
/// keys, and with the old ones where admins held them before.
#[derive(Debug, clap::Args)]
pub struct StrictArgs {
    /// A public key that signs hooks, as `key new` prints it; repeat it for each
    #[arg(long, required = true, value_name = "PUBLIC")]
    key: Vec<String>,
    /// How many of them must sign
    #[arg(long, value_name = "COUNT", default_value_t = 1)]
    threshold: u32,
    /// A public key that signs the table of keys [default: the same as for hooks]
    #[arg(long, value_name = "PUBLIC")]
    root_key: Vec<String>,
    /// How many of those must sign [default: as for hooks]
    #[arg(long, value_name = "COUNT")]
    root_threshold: Option<u32>,
}

/// Sign what waits for signatures
///
/// Without `--key`, shows what waits, as the bytes themselves say it: look at it
/// before you sign. What the server shows and what it lets you sign must be the
/// same, or nothing is signed.
#[derive(Debug, clap::Args)]
pub struct SignArgs {
    /// Your key's file; repeat it for several
    #[arg(long, value_name = "FILE")]
    key: Vec<PathBuf>,
}

/// What needs no server.
pub fn key_alone(ui: &mut Ui, args: &KeyArgs) -> Result<Option<Status>, Failed> {
    let public = match &args.command {
        KeyCommand::Rotate(_) => return Ok(None),
        KeyCommand::Show(args) => read(&args.file)?.public(),
        KeyCommand::New(args) => make(&args.file)?.public(),
    };
    ui.line(&public.hex());
    Ok(Some(Status::Success))
}

pub fn key(ui: &mut Ui, desk: &Desk) -> Result<Status, Failed> {
    let signing: Signing = desk.post("/api/v1/keys/rotate", &serde_json::json!({}))?;
    desk.show(ui, &signing, |ui| {
        ui.line("the server signs with new keys; machines follow at their next sync");
        waiting(ui, &signing);
    })?;
    Ok(Status::Success)
}

pub fn strict(ui: &mut Ui, desk: &Desk, args: &StrictArgs) -> Result<Status, Failed> {
    let targets = KeySet { keys: args.key.clone(), threshold: args.threshold };
    let root = KeySet {
        keys: if args.root_key.is_empty() { args.key.clone() } else { args.root_key.clone() },
        threshold: args.root_threshold.unwrap_or(args.threshold),
    };
    let body = NewKeys { root: Some(root), targets: Some(targets), online: false };
    let signing: Signing = desk.post("/api/v1/keys", &body)?;
    desk.show(ui, &signing, |ui| waiting(ui, &signing))?;
    Ok(Status::Success)
}

pub fn sign(ui: &mut Ui, desk: &Desk, args: &SignArgs) -> Result<Status, Failed> {
    let mut signing: Signing = desk.get("/api/v1/signing")?;
    for file in &args.key {
        let key = read(file)?;
        let id = key.public().id();
        let open = signing.waiting.iter().filter(|one| one.keys.contains(&id) && !one.signed.contains(&id));
        let open: Vec<ToSign> = open.cloned().collect();
        if open.is_empty() {
            ui.warning(&format!("{}: nothing waits for this key", file.display()));
        }
        for one in open {
            review(&one).map_err(untrue)?;
            let signature = key.sign(one.bytes.as_bytes());
            let body =
                NewSignature { role: one.role, version: one.version, key: signature.key, sig: signature.sig };
            signing = desk.post("/api/v1/signing", &body)?;
        }
    }
    desk.show(ui, &signing, |ui| waiting(ui, &signing))?;
    Ok(Status::Success)
}

fn waiting(ui: &mut Ui, signing: &Signing) {
    if signing.waiting.is_empty() {
        ui.line("nothing waits for signatures");
    }
    for one in &signing.waiting {
        let ToSign { role, version, signed, threshold, .. } = one;
        ui.line(&format!("{role} {version}: {} of {threshold} signatures", signed.len()));
        match review(one) {
            Ok(meaning) => shown(ui, &meaning),
            Err(problem) => ui.error(&problem),
        }
    }
    if !signing.waiting.is_empty() {
        ui.hint("`boathook team admin sign --key FILE` adds a signature");
    }
}

/// What the bytes mean.
fn shown(ui: &mut Ui, meaning: &Review) {
    match meaning {
        Review::Hooks(manifest) => {
            for release in &manifest.releases {
                let part = release.rollout.as_ref().map(|rollout| format!(" for {} %", rollout.percent));
                ui.line(&format!("  release {}{}", release.number, part.unwrap_or_default()));
                for hook in &release.hooks {
                    ui.line(&format!("    {} {} {}", hook.event, hook.script.name, hook.script.sha256));
                }
            }
        }
        Review::Keys(roles) => {
            for (name, signers) in [("root", &roles.root), ("hooks", &roles.targets)] {
                ui.line(&format!("  {name}: {} of these sign", signers.threshold));
                for key in &signers.keys {
                    ui.line(&format!("    {}", key.hex()));
                }
            }
        }
    }
}

fn untrue(problem: String) -> Failed {
    Failed::other(problem, "the server may no longer be whom you think; ask whoever operates it")
}

fn make(file: &Path) -> Result<SigningKey, Failed> {
    let help = "start it again";
    let key = SigningKey::generate().map_err(|error| Failed::other(error.to_string(), help))?;
    let text = format!("{}\n", hex(&key.seed()));
    match write_new(file, &text, Access::Nothing).map_err(|error| Failed::file(file, error))? {
        true => Ok(key),
        false => Err(Failed::other(format!("{} is there already", file.display()), "name another file")),
    }
}

fn read(file: &Path) -> Result<SigningKey, Failed> {
    let text = fs::read_to_string(file).map_err(|error| Failed::file(file, error))?;
    let seed = from_hex(text.trim()).and_then(|bytes| <[u8; 32]>::try_from(bytes).ok());
    seed.map(|seed| SigningKey::from_seed(&seed)).ok_or_else(|| {
        Failed::other(
            format!("{} holds no key", file.display()),
            "`boathook team admin key new FILE` makes one",
        )
    })
}

#[cfg(test)]
mod tests {
    use boathook_server::team::sign::key::PublicKey;

    use super::*;

    #[test]
    fn a_key_is_made_once_and_read_back() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("key");
        let made = make(&file).expect("a key").public().hex();
        assert_eq!(read(&file).expect("the key").public().hex(), made);
        assert!(PublicKey::parse(&made).is_some() && make(&file).is_err(), "never overwritten");
        fs::write(&file, "no key").expect("a file");
        assert!(read(&file).is_err());
    }
}
