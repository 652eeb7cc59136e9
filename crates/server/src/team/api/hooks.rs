//! The draft: the hooks of the next release.

use axum::Json;
use axum::http::StatusCode;
use boathook_engine::bundle::manifest::MOST_HOOKS;

use super::caller::Call;
use super::draft;
use super::refusal::Refusal;
use super::sent::{Id, Sent};
use crate::team::wire::{Hook, HookDraft, HookVersion, Order};

const HOOK: &str = "hook";

/// `GET /api/v1/hooks`
pub async fn list(call: Call) -> Result<Json<Vec<Hook>>, Refusal> {
    Ok(Json(call.team().hooks().await?))
}

/// `POST /api/v1/hooks`
pub async fn add(call: Call, Sent(draft): Sent<HookDraft>) -> Result<(StatusCode, Json<Hook>), Refusal> {
    let hook = create(&call, &draft).await?;
    Ok((StatusCode::CREATED, Json(hook)))
}

/// `GET /api/v1/hooks/{id}`
pub async fn show(call: Call, id: Id) -> Result<Json<Hook>, Refusal> {
    let hook = call.team().hook(id.of(HOOK)?).await?;
    hook.map(Json).ok_or_else(|| Refusal::missing(HOOK))
}

/// `PUT /api/v1/hooks/{id}`
pub async fn replace(call: Call, id: Id, Sent(draft): Sent<HookDraft>) -> Result<Json<Hook>, Refusal> {
    update(&call, id.of(HOOK)?, &draft).await.map(Json)
}

/// `DELETE /api/v1/hooks/{id}`
pub async fn delete(call: Call, id: Id) -> Result<StatusCode, Refusal> {
    remove(&call, id.of(HOOK)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// `PUT /api/v1/hooks/order`
pub async fn order(call: Call, Sent(Order { ids }): Sent<Order>) -> Result<Json<Vec<Hook>>, Refusal> {
    call.team().reorder(&ids).await?;
    list(call).await
}

/// `GET /api/v1/hooks/{id}/versions`
pub async fn versions(call: Call, id: Id) -> Result<Json<Vec<HookVersion>>, Refusal> {
    let versions = call.team().versions(id.of(HOOK)?).await?;
    versions.map(Json).ok_or_else(|| Refusal::missing(HOOK))
}

/// Adds a hook to the draft.
pub async fn create(call: &Call, draft: &HookDraft) -> Result<Hook, Refusal> {
    draft::check(draft)?;
    let hooks = call.team().hooks().await?;
    if let Some(other) = hooks.iter().find(|other| clashes(&other.draft, draft)) {
        return Err(Refusal::conflict(
            "name_taken",
            format!(
                "script_name: hook {} has another script named {:?}; write another name, or change that hook",
                other.id, other.draft.script_name
            ),
        ));
    }
    if hooks.len() >= MOST_HOOKS {
        return Err(Refusal::conflict(
            "too_many",
            format!("a team has at most {MOST_HOOKS} hooks; delete one first"),
        ));
    }
    Ok(call.team().add_hook(draft, &call.caller.signature(), call.now()).await?)
}

/// Whether two hooks could not be in one release: some systems take both names
/// for the same file.
fn clashes(one: &HookDraft, other: &HookDraft) -> bool {
    one.is_active
        && other.is_active
        && one.script_name.eq_ignore_ascii_case(&other.script_name)
        && (one.script_name != other.script_name || one.script_content != other.script_content)
}

/// Replaces a hook of the draft.
pub async fn update(call: &Call, id: i64, draft: &HookDraft) -> Result<Hook, Refusal> {
    draft::check(draft)?;
    let hook = call.team().put_hook(id, draft, &call.caller.signature(), call.now()).await?;
    hook.ok_or_else(|| Refusal::missing(HOOK))
}

/// Takes a hook out of the draft.
pub async fn remove(call: &Call, id: i64) -> Result<(), Refusal> {
    match call.team().delete_hook(id, &call.caller.signature(), call.now()).await? {
        true => Ok(()),
        false => Err(Refusal::missing(HOOK)),
    }
}
