//! What a refusal of the state machine is called: it counts good signatures,
//! and people want to know what is wrong with the bad ones.

use std::collections::BTreeSet;

use sigstore_tuf::{Error, MetaFile, Metadata, Role, Root};

use boathook_engine::digest::Digest;

use super::super::Refusal;

/// Of a file that a role of this root signs.
pub fn refused<T: Role>(error: &Error, root: &Root, role: &str, bytes: &[u8]) -> Refusal {
    let code = match error {
        Error::Json(error) if error.is_eof() => "truncated",
        Error::DuplicateSignature { .. } => "duplicate_signature",
        Error::ThresholdNotMet { .. } => signatures::<T>(root, role, bytes),
        Error::Rollback { .. } => "rollback",
        Error::EqualVersion { .. } => "conflict",
        Error::BadRootVersion { trusted, new } if new <= trusted => "rollback",
        Error::BadRootVersion { .. } => "root_skipped",
        Error::Expired { .. } => "expired",
        // Lengths and hashes were compared before; what remains are versions.
        Error::IntegrityMismatch(_) => "conflict",
        Error::UnsupportedScheme { .. } => "unknown_scheme",
        _ => "bad_format",
    };
    Refusal::new(code, format!("{role}: {error}"))
}

/// Of a root: first what the trusted one has against it, then what it has
/// against itself.
pub fn refused_root(error: &Error, bytes: &[u8], trusted: Option<&Root>) -> Refusal {
    let own = Metadata::<Root>::from_slice(bytes).map(Metadata::into_signed);
    let judges = [trusted, own.as_ref().ok()];
    let judge = judges.into_iter().flatten().find(|root| !stands::<Root>(root, "root", bytes));
    match judge.or(trusted).or(own.as_ref().ok()) {
        Some(root) => refused::<Root>(error, root, "root", bytes),
        None if matches!(error, Error::Json(error) if error.is_eof()) => {
            Refusal::new("truncated", format!("root: {error}"))
        }
        None => Refusal::new("bad_format", format!("root: {error}")),
    }
}

/// Whether a root lets one key count as two.
pub fn check_root(root: &Root) -> Result<(), Refusal> {
    for (role, keys) in &root.roles {
        let mut seen = BTreeSet::new();
        for key in keys.keyids.iter().filter_map(|id| root.keys.get(id)) {
            if !seen.insert(key.keyval.public.to_ascii_lowercase()) {
                let message = format!("root: one key of the role {role} has two names");
                return Err(Refusal::new("duplicate_signature", message));
            }
        }
    }
    Ok(())
}

/// Whether these bytes are the ones that another file names. A body whose
/// length nobody announced may have lost its end.
pub fn check_named(bytes: &[u8], named: &MetaFile, name: &str, announced: bool) -> Result<(), Refusal> {
    let found = bytes.len() as u64;
    if let Some(length) = named.length.filter(|length| *length != found) {
        let code = if found < length && !announced { "truncated" } else { "length_mismatch" };
        return Err(Refusal::new(code, format!("{name} has {found} bytes, and {length} were signed")));
    }
    let digits = named.hashes.as_ref().and_then(|hashes| hashes.get("sha256"));
    if digits.is_some_and(|digits| Digest::parse(digits) != Some(Digest::of(bytes))) {
        return Err(Refusal::new("hash_mismatch", format!("{name} is not what was signed")));
    }
    Ok(())
}

fn stands<T: Role>(root: &Root, role: &str, bytes: &[u8]) -> bool {
    let (Ok(file), Some(keys)) = (Metadata::<T>::from_slice(bytes), root.role(role)) else { return false };
    file.verify_threshold(&root.keys, keys, role).is_ok()
}

/// Why the signatures of a file are not enough.
fn signatures<T: Role>(root: &Root, role: &str, bytes: &[u8]) -> &'static str {
    let (Ok(file), Some(keys)) = (Metadata::<T>::from_slice(bytes), root.role(role)) else {
        return "bad_format";
    };
    let signed: Vec<_> = file.signatures().iter().filter(|one| !one.sig.is_empty()).collect();
    if signed.is_empty() {
        return "unsigned";
    }
    let entitled = signed.iter().filter(|one| keys.keyids.contains(&one.keyid));
    let entitled: Vec<_> = entitled.filter_map(|one| root.keys.get(&one.keyid)).collect();
    if entitled.iter().any(|key| key.keytype != "ed25519" || key.scheme != "ed25519") {
        return "unknown_scheme";
    }
    let mut alone = keys.clone();
    alone.threshold = 1;
    match file.verify_threshold(&root.keys, &alone, role) {
        Ok(()) => "threshold",
        Err(_) => "wrong_key",
    }
}
