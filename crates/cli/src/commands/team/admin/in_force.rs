//! What machines run now, verified as they verify it: an admin compares what
//! waits for a signature with this, and the server's word for it is not enough.

use boathook_engine::bundle::manifest::{LARGEST_SCRIPT, Manifest, Script, TARGET};
use boathook_engine::digest::Digest;
use boathook_engine::state::StateDir;
use boathook_server::team::sign::metadata::Roles;
use boathook_server::team::sign::roles_of;
use boathook_server::team::wire::Team;
use jiff::Timestamp;

use super::desk::{Desk, KnownRoot, place};
use crate::error::Failed;
use crate::team::Refusal;
use crate::team::http::{Fetched, Kind};
use crate::team::tuf::{OnDisk, Pin, Shelf, Source, refresh};

/// Where what was verified is kept, apart from what this machine itself runs.
const FOLDER: &str = "signing";

/// The newest that counts.
#[derive(Debug)]
pub struct InForce {
    pub manifest: Manifest,
    pub roles: Roles,
}

/// Fetches and verifies it, from the root that the login of the admin saw.
/// Nothing older than what was verified here before is taken for it.
pub fn in_force(desk: &Desk) -> Result<InForce, Failed> {
    let team: Team = desk.get("/api/v1/team")?;
    let root = desk.root.clone().unwrap_or_else(|| KnownRoot::of(&team));
    verified(desk, team.id, &root).map_err(|refusal| Failed::Other { problem: refusal.message, help: None })
}

/// The text of a script that is named, which is what its digest says.
pub fn script(desk: &Desk, team: i64, script: &Script) -> Result<String, Failed> {
    let name = script.sha256.to_string();
    let bytes = match script.length {
        0 => Ok(Vec::new()),
        length => target(desk, team, &name, &script.sha256, length.min(LARGEST_SCRIPT)),
    };
    let bytes = bytes.map_err(|refusal| {
        let problem = format!("the script {} could not be read: {refusal}", script.name);
        Failed::other(problem, "do not sign what you cannot read")
    })?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn verified(desk: &Desk, team: i64, root: &KnownRoot) -> Result<InForce, Refusal> {
    let bad = |text: String| Refusal::new("bad_format", text);
    let fingerprint = Digest::parse(&root.fingerprint)
        .ok_or_else(|| bad(format!("{:?} is no SHA-256", root.fingerprint)))?;
    let pin = Pin { version: root.version, fingerprint };
    let here = place().map_err(|error| bad(error.to_string()))?;
    let mut kept = OnDisk::of(StateDir::new(here.state.join(FOLDER)), &pin.fingerprint);
    let found = refresh(&Files { desk, team }, &mut kept, &pin, Timestamp::now())?;
    let bytes = target(desk, team, TARGET, &found.manifest, found.length)?;
    let manifest = serde_json::from_slice(&bytes).map_err(|error| bad(error.to_string()))?;
    // Roots are walked one by one, so the last one kept is the one that counts.
    let roots = (pin.version..).map_while(|version| kept.get(&format!("{version}.root.json")));
    let roles = roles_of(&roots.last().unwrap_or_default()).map_err(|error| bad(error.to_string()))?;
    Ok(InForce { manifest, roles })
}

/// The files of the team's repository.
struct Files<'a> {
    desk: &'a Desk,
    team: i64,
}

impl Source for Files<'_> {
    fn fetch(&self, name: &str, limit: u64, etag: Option<&str>) -> Result<Fetched, Refusal> {
        self.desk.fetch(&format!("/tuf/{}/{name}", self.team), Kind::Json, limit, etag)
    }
}

fn target(desk: &Desk, team: i64, name: &str, digest: &Digest, length: u64) -> Result<Vec<u8>, Refusal> {
    let path = format!("/tuf/{team}/targets/{digest}.{name}");
    match desk.fetch(&path, Kind::Any, length, None)? {
        Fetched::File { bytes, .. } if Digest::of(&bytes) == *digest => Ok(bytes),
        Fetched::File { .. } | Fetched::Unchanged => {
            Err(Refusal::new("hash_mismatch", format!("{name} is not what was signed")))
        }
    }
}
