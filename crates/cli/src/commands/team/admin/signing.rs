//! `boathook team admin key`, `strict`, `sign`: admins who hold the keys.

use std::path::PathBuf;

use boathook_engine::bundle::manifest::{Manifest, Script};
use boathook_engine::digest::Digest;
use boathook_server::team::publish::{Review, review};
use boathook_server::team::sign::key::SigningKey;
use boathook_server::team::sign::metadata::Signers;
use boathook_server::team::wire::{KeySet, NewKeys, NewSignature, Signing, ToSign};
use clap::Subcommand;

use super::super::asking;
use super::desk::Desk;
use super::in_force::{self, InForce, in_force};
use super::key_file::{is_public, make, read};
use super::meaning;
use crate::Status;
use crate::error::Failed;
use crate::ui::Ui;

/// Make and show your own keys, and have the server make new ones
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

/// Make a key, on this machine alone: the file stays here, its public half is printed
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
/// Shows what waits, as the bytes themselves say it, and what of it differs from
/// what machines verify now: look at it before you sign. With `--key`, signs what
/// was shown; at a terminal you are asked first, elsewhere `--accept` names the
/// digest of what somebody looked at. What the server shows and what
/// it lets you sign must be the same, or nothing is signed.
#[derive(Debug, clap::Args)]
pub struct SignArgs {
    /// Your key's file; repeat it for several
    #[arg(long, value_name = "FILE")]
    key: Vec<PathBuf>,
    /// Print the scripts, too, that are not in force yet
    #[arg(long)]
    scripts: bool,
    /// Sign without being asked, if what waits is what `sign` showed with this digest
    #[arg(long, value_name = "SHA256")]
    accept: Option<String>,
}

/// What needs no server.
pub fn key_alone(ui: &mut Ui, args: &KeyArgs, json: bool) -> Result<Option<Status>, Failed> {
    let public = match &args.command {
        KeyCommand::Rotate(_) => return Ok(None),
        KeyCommand::Show(args) => read(&args.file)?.public(),
        KeyCommand::New(args) => make(&args.file)?.public(),
    };
    match json {
        true => ui.json(&serde_json::json!({ "public": public.hex() }).to_string()),
        false => ui.line(&public.hex()),
    }
    Ok(Some(Status::Success))
}

pub fn key(ui: &mut Ui, desk: &Desk) -> Result<Status, Failed> {
    let signing: Signing = desk.post("/api/v1/keys/rotate", &serde_json::json!({}))?;
    desk.show(ui, &signing, |ui| {
        rotated(ui, &signing);
        next(ui, desk, &signing);
    })?;
    Ok(Status::Success)
}

pub fn strict(ui: &mut Ui, desk: &Desk, args: &StrictArgs) -> Result<Status, Failed> {
    args.key.iter().chain(&args.root_key).try_for_each(|key| is_public(key))?;
    let targets = KeySet { keys: args.key.clone(), threshold: args.threshold };
    let root = KeySet {
        keys: if args.root_key.is_empty() { args.key.clone() } else { args.root_key.clone() },
        threshold: args.root_threshold.unwrap_or(args.threshold),
    };
    let body = NewKeys { root: Some(root), targets: Some(targets), online: false };
    let signing: Signing = desk.post("/api/v1/keys", &body)?;
    desk.show(ui, &signing, |ui| next(ui, desk, &signing))?;
    Ok(Status::Success)
}

fn rotated(ui: &mut Ui, signing: &Signing) {
    match signing.waiting.iter().find(|one| one.role == "root") {
        None => ui.line("the server signs with new keys; machines follow at their next sync"),
        Some(root) => ui.line(&format!(
            "the server made new keys; it signs with them once root {} has its signatures",
            root.version
        )),
    }
}

/// What waits after a change of keys.
fn next(ui: &mut Ui, desk: &Desk, signing: &Signing) {
    let now = if signing.waiting.is_empty() { None } else { known(ui, desk) };
    waiting(ui, signing, now.as_ref());
    if !signing.waiting.is_empty() {
        ui.hint("`boathook team admin sign --key FILE` adds a signature");
    }
}

pub fn sign(ui: &mut Ui, desk: &Desk, args: &SignArgs) -> Result<Status, Failed> {
    let shown: Signing = desk.get("/api/v1/signing")?;
    let now = if shown.waiting.is_empty() { None } else { known(ui, desk) };
    // As data there is one answer: how it stands in the end.
    let digest = reviewed(&shown);
    if args.key.is_empty() || !desk.json {
        let all = Shown { signing: &shown, accept: digest.map(|digest| digest.to_string()) };
        desk.show(ui, &all, |ui| {
            waiting(ui, &shown, now.as_ref());
            all.accept.iter().for_each(|digest| ui.line(&format!("digest of all this: {digest}")));
        })?;
    }
    if args.scripts {
        scripts(ui, desk, &shown, now.as_ref())?;
    }
    if shown.waiting.is_empty() && !args.key.is_empty() && !desk.json {
        return Ok(Status::Failure);
    }
    if args.key.is_empty() {
        if !shown.waiting.is_empty() {
            ui.hint(
                "`boathook team admin sign --key FILE` adds a signature, `sign --scripts` shows the scripts",
            );
        }
        return Ok(Status::Success);
    }
    let keys: Vec<SigningKey> = args.key.iter().map(|file| read(file)).collect::<Result<_, _>>()?;
    for one in &shown.waiting {
        review(one).map_err(untrue)?;
    }
    if let Some(digest) = digest {
        agree(ui, args, &shown, &digest)?;
    }
    let mut left = shown.clone();
    let mut status = Status::Success;
    for (file, key) in args.key.iter().zip(&keys) {
        match add(desk, key, &shown, left)? {
            (signing, Added::All) => left = signing,
            (signing, Added::Before) => {
                left = signing;
                ui.warning(&format!("{}: this key signed already; others must, too", file.display()));
            }
            (signing, Added::Stranger) => {
                left = signing;
                ui.error(&format!("{}: {}", file.display(), stranger(&key.public().hex(), &shown)));
                status = Status::Failure;
            }
        }
    }
    desk.show(ui, &left, |ui| ended(ui, &shown, &left, now.as_ref()))?;
    Ok(status)
}

/// What waits, and the word with which a script says that it was looked at.
#[derive(serde::Serialize)]
struct Shown<'a> {
    #[serde(flatten)]
    signing: &'a Signing,
    #[serde(skip_serializing_if = "Option::is_none")]
    accept: Option<String>,
}

/// The digest of every byte that would be signed; none when nothing waits.
fn reviewed(signing: &Signing) -> Option<Digest> {
    let all: Vec<&str> = signing.waiting.iter().map(|one| one.bytes.as_str()).collect();
    (!all.is_empty()).then(|| Digest::of(all.join("\n").as_bytes()))
}

/// A server that was taken over shows what it likes in between: only what
/// somebody looked at is signed. Who hands over the keys types more than a word.
fn agree(ui: &mut Ui, args: &SignArgs, shown: &Signing, digest: &Digest) -> Result<(), Failed> {
    let refused = |help: &str| Err(Failed::other("nothing was signed", help));
    if let Some(accept) = &args.accept {
        return match Digest::parse(accept) == Some(*digest) {
            true => Ok(()),
            false => {
                refused("what waits is not what has this digest: look at it with `sign`, without `--key`")
            }
        };
    }
    if !asking::somebody_is_there() {
        return refused(
            "look at it with `sign`, without `--key`, and repeat this with `--accept` and the digest it prints",
        );
    }
    let text = digest.to_string();
    let (asked, wanted) = match shown.waiting.iter().any(|one| one.role == "root") {
        true => ("This decides who may sign. Type the first 8 digits of the digest: ", &text[..8]),
        false => ("Sign all of this? Type yes: ", "yes"),
    };
    // What was typed before it was shown is no answer to it.
    asking::forget_typed();
    match asking::line(ui, asked)? == wanted {
        true => Ok(()),
        false => refused("look at it again, and type what is asked for"),
    }
}

/// What became of a key.
enum Added {
    All,
    /// It had signed everything that it may sign.
    Before,
    /// It may sign nothing of what waits.
    Stranger,
}

/// Signs what was shown, and nothing that came since.
fn add(
    desk: &Desk,
    key: &SigningKey,
    shown: &Signing,
    mut left: Signing,
) -> Result<(Signing, Added), Failed> {
    let id = key.public().id();
    let own = shown.waiting.iter().filter(|one| one.keys.contains(&id));
    let mut added = if own.clone().count() == 0 { Added::Stranger } else { Added::Before };
    for one in own.filter(|one| !one.signed.contains(&id)) {
        let is_open = |it: &ToSign| it.role == one.role && it.version == one.version;
        added = Added::All;
        // Others may have been faster, and then it is out.
        if left.waiting.iter().any(is_open) {
            let signature = key.sign(one.bytes.as_bytes());
            let (role, version) = (one.role.clone(), one.version);
            let body = NewSignature { role, version, key: signature.key, sig: signature.sig };
            left = desk.post("/api/v1/signing", &body)?;
        }
    }
    Ok((left, added))
}

fn stranger(public: &str, shown: &Signing) -> String {
    match shown.waiting.is_empty() {
        true => "nothing waits for signatures".to_owned(),
        false => format!("this key ({public}) is none of those that sign what waits"),
    }
}

/// What became of all that was shown.
fn ended(ui: &mut Ui, shown: &Signing, left: &Signing, now: Option<&InForce>) {
    for one in &shown.waiting {
        let is_open = |it: &&ToSign| it.role == one.role && it.version == one.version;
        match left.waiting.iter().find(is_open) {
            Some(open) => ui.say(&format!("{} {}: {}", open.role, open.version, standing(open, left, now))),
            None => ui.say(&format!("{} {} has all its signatures and is out", one.role, one.version)),
        }
    }
    if left.waiting.is_empty() {
        ui.say("nothing waits for signatures; machines follow at their next sync");
    }
}

/// What is in force, as far as it can be verified; said when it cannot.
fn known(ui: &mut Ui, desk: &Desk) -> Option<InForce> {
    match in_force(desk) {
        Ok(now) => Some(now),
        Err(problem) => {
            ui.warning(&format!("what is in force could not be verified, so nothing is compared: {problem}"));
            None
        }
    }
}

/// How many signatures there are, of those that count.
fn standing(one: &ToSign, all: &Signing, now: Option<&InForce>) -> String {
    let Some(now) = now else { return format!("{} signatures so far", one.signed.len()) };
    let next = all.waiting.iter().find_map(|one| match review(one) {
        Ok(Review::Keys(roles)) => Some(roles),
        Ok(Review::Hooks(_)) | Err(_) => None,
    });
    let sets = match (one.role.as_str(), &next) {
        ("root", Some(next)) if now.roles.root != next.root => {
            vec![("of the keys until now", &now.roles.root), ("of the new keys", &next.root)]
        }
        ("root", _) => vec![("signatures", &now.roles.root)],
        (_, Some(next)) => vec![("signatures", &next.targets)],
        (_, None) => vec![("signatures", &now.roles.targets)],
    };
    let count = |signers: &Signers| signers.keys.iter().filter(|key| one.signed.contains(&key.id())).count();
    let said =
        sets.iter().map(|(what, signers)| format!("{} of {} {what}", count(signers), signers.threshold));
    let said = said.collect::<Vec<_>>().join(", ");
    match sets.iter().all(|(_, signers)| count(signers) >= signers.threshold as usize) {
        true => format!("{said}; it goes out together with what else waits"),
        false => said,
    }
}

fn waiting(ui: &mut Ui, signing: &Signing, now: Option<&InForce>) {
    if signing.waiting.is_empty() {
        ui.line("nothing waits for signatures");
    }
    for one in &signing.waiting {
        ui.line(&format!("{} {}: {}", one.role, one.version, standing(one, signing, now)));
        match review(one) {
            Ok(meant) => shown(ui, one, &meant, now),
            Err(problem) => ui.error(&problem),
        }
    }
}

/// What the bytes mean, all of it, and what is new in it.
fn shown(ui: &mut Ui, one: &ToSign, meant: &Review, now: Option<&InForce>) {
    if let Some(expires) = expires(one) {
        ui.line(&format!("  good until {expires:?}"));
    }
    match meant {
        Review::Hooks(manifest) => {
            meaning::manifest(manifest).iter().for_each(|line| ui.line(&format!("  {line}")));
            let Some(now) = now else { return };
            let changes = meaning::difference(&now.manifest, manifest);
            ui.line(&match changes.is_empty() {
                true => "  no difference to what is in force".to_owned(),
                false => format!("  difference to what is in force (sequence {}):", now.manifest.sequence),
            });
            changes.iter().for_each(|line| ui.line(&format!("    {line}")));
        }
        Review::Keys(roles) => {
            let lines = meaning::keys(now.map(|now| &now.roles), roles);
            lines.iter().for_each(|line| ui.line(&format!("  {line}")));
        }
    }
}

fn expires(one: &ToSign) -> Option<String> {
    let signed: serde_json::Value = serde_json::from_str(&one.bytes).ok()?;
    Some(signed.get("expires")?.as_str()?.to_owned())
}

/// The text of every script that is not in force yet, each once.
fn scripts(ui: &mut Ui, desk: &Desk, signing: &Signing, now: Option<&InForce>) -> Result<(), Failed> {
    let of = |manifest: &Manifest| -> Vec<Script> {
        manifest.releases.iter().flat_map(|release| &release.hooks).map(|hook| hook.script.clone()).collect()
    };
    let mut known: Vec<_> =
        now.iter().flat_map(|now| of(&now.manifest)).map(|script| script.sha256).collect();
    for one in &signing.waiting {
        let Ok(Review::Hooks(manifest)) = review(one) else { continue };
        for script in of(&manifest) {
            if known.contains(&script.sha256) {
                continue;
            }
            known.push(script.sha256);
            ui.line(&format!("----- {:?} {}", script.name, script.sha256));
            ui.line(in_force::script(desk, manifest.team, &script)?.trim_end());
        }
    }
    Ok(())
}

fn untrue(problem: String) -> Failed {
    Failed::other(problem, "the server may no longer be whom you think; ask whoever operates it")
}
