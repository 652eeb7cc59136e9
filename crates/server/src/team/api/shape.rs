//! How bodies look, for the OpenAPI document. The engine's types do not
//! describe themselves, so those that appear in bodies stand here once more; a
//! test holds both together.

use serde::Deserialize;
use utoipa::openapi::schema::ArrayBuilder;
use utoipa::openapi::{ObjectBuilder, Ref, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

type Named = Vec<(String, RefOr<Schema>)>;

/// One of these.
pub fn one<T: ToSchema>(named: &mut Named) -> RefOr<Schema> {
    named.push((T::name().into_owned(), <T as PartialSchema>::schema()));
    T::schemas(named);
    RefOr::Ref(Ref::from_schema_name(T::name()))
}

/// A list of these.
pub fn list<T: ToSchema>(named: &mut Named) -> RefOr<Schema> {
    ArrayBuilder::new().items(one::<T>(named)).into()
}

/// An object that another specification describes.
pub fn other(_: &mut Named) -> RefOr<Schema> {
    ObjectBuilder::new().into()
}

/// What a device does when its newest signed word is old.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)] // it is only described
pub struct Stale {
    /// How many days after the timestamp's expiry the policy starts.
    days: u32,
    /// The policy.
    policy: StalePolicy,
}

/// What happens on a gate when the hooks are too old.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[allow(dead_code)]
pub enum StalePolicy {
    /// The hooks go on, and a warning is shown.
    Warn,
    /// The hooks go on, and every gate asks.
    Ask,
    /// Every gate refuses.
    Deny,
}

/// One hook of a release.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)]
pub struct PublishedHook {
    /// Its number within the team.
    id: i64,
    /// Its event's name.
    event: String,
    /// What it runs.
    script: PublishedScript,
    /// `Windows`, `Macintosh`, `Linux`; none is all.
    operating_systems: Vec<String>,
    /// When it runs.
    matcher: Option<String>,
    /// Seconds.
    timeout: Option<u32>,
    /// Whether a failure blocks.
    fail_closed: bool,
    /// How many automatic follow-ups; nothing is the default, -1 no limit.
    loop_limit: Option<i64>,
    /// Whether a refusal is only reported.
    monitor: bool,
}

/// A script, by its content.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)]
pub struct PublishedScript {
    /// Its file's name.
    name: String,
    /// The SHA-256 of its content, in hexadecimal digits.
    sha256: String,
    /// Its length in bytes.
    length: u64,
}

#[cfg(test)]
mod tests {
    use boathook_engine::bundle::manifest;
    use boathook_engine::digest::Digest;

    use super::*;

    #[test]
    fn what_is_described_is_what_is_sent() {
        let script = manifest::Script { name: "a.sh".into(), sha256: Digest::of(b""), length: 0 };
        let hook = manifest::Hook {
            id: 1,
            event: "stop".into(),
            script,
            operating_systems: vec!["Linux".into()],
            matcher: Some("x".into()),
            timeout: Some(1),
            fail_closed: true,
            loop_limit: Some(1),
            monitor: true,
        };
        let sent = serde_json::to_string(&hook).expect("JSON");
        serde_json::from_str::<PublishedHook>(&sent).expect("every field of it is described");
        for policy in [manifest::StalePolicy::Warn, manifest::StalePolicy::Ask, manifest::StalePolicy::Deny] {
            let sent = serde_json::to_string(&manifest::Stale { days: 1, policy }).expect("JSON");
            serde_json::from_str::<Stale>(&sent).expect("every field of it is described");
        }
    }
}
