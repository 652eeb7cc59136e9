//! The calls of the service.

use boathook_engine::bundle::manifest::{self, os_named};
use boathook_engine::source::Os;
use connectrpc::{
    ConnectError, Encodable, ErrorCode, RequestContext, Response, ServiceRequest, ServiceResult,
};

use super::convert;
use super::proto::{
    CreateTeamHookRequest, CreateTeamHookResponse, DashboardService, DeleteTeamHookRequest,
    DeleteTeamHookResponse, GetTeamHooksRequest, GetTeamHooksResponse, TeamHook, UpdateTeamHookRequest,
    UpdateTeamHookResponse,
};
use crate::team::api::{App, Call, Refusal, hooks};
use crate::team::wire::{Hook, ReleaseState, Role};

/// Answers for a server.
#[derive(Debug)]
pub struct Dashboard {
    /// The server.
    pub app: App,
}

impl DashboardService for Dashboard {
    async fn get_team_hooks<'a>(
        &'a self,
        ctx: RequestContext,
        request: ServiceRequest<'_, GetTeamHooksRequest>,
    ) -> ServiceResult<impl Encodable<GetTeamHooksResponse> + Send + use<'a>> {
        let call = self.call(&ctx)?;
        let os = system(request.operating_system).map_err(told)?;
        let mut hooks = published(&call, os).await.map_err(told)?;
        if !request.active_only {
            hooks.extend(switched_off(&call, os).await.map_err(told)?);
        }
        Response::ok(GetTeamHooksResponse { hooks, ..GetTeamHooksResponse::default() })
    }

    async fn create_team_hook<'a>(
        &'a self,
        ctx: RequestContext,
        request: ServiceRequest<'_, CreateTeamHookRequest>,
    ) -> ServiceResult<impl Encodable<CreateTeamHookResponse> + Send + use<'a>> {
        let call = self.call(&ctx)?;
        let sent = sent(request.to_owned_message().hook.into_option())?;
        let hook = hooks::create(&call, &convert::draft(sent)).await.map_err(told)?;
        let hook = convert::drafted(hook).into();
        Response::ok(CreateTeamHookResponse { hook, ..CreateTeamHookResponse::default() })
    }

    async fn update_team_hook<'a>(
        &'a self,
        ctx: RequestContext,
        request: ServiceRequest<'_, UpdateTeamHookRequest>,
    ) -> ServiceResult<impl Encodable<UpdateTeamHookResponse> + Send + use<'a>> {
        let call = self.call(&ctx)?;
        let sent = sent(request.to_owned_message().hook.into_option())?;
        let hook = hooks::update(&call, sent.id, &convert::draft(sent)).await.map_err(told)?;
        let hook = convert::drafted(hook).into();
        Response::ok(UpdateTeamHookResponse { hook, ..UpdateTeamHookResponse::default() })
    }

    async fn delete_team_hook<'a>(
        &'a self,
        ctx: RequestContext,
        request: ServiceRequest<'_, DeleteTeamHookRequest>,
    ) -> ServiceResult<impl Encodable<DeleteTeamHookResponse> + Send + use<'a>> {
        let call = self.call(&ctx)?;
        hooks::remove(&call, request.id).await.map_err(told)?;
        Response::ok(DeleteTeamHookResponse::default())
    }
}

impl Dashboard {
    /// The caller, whom the guard before the route has let in.
    fn call(&self, ctx: &RequestContext) -> Result<Call, ConnectError> {
        Call::of(&self.app, ctx.extensions()).map_err(told)
    }
}

/// The hooks of the release that everybody has.
async fn published(call: &Call, os: Option<Os>) -> Result<Vec<TeamHook>, Refusal> {
    let team = call.team();
    let releases = team.releases().await?;
    let stable = releases.into_iter().filter(|release| release.state == ReleaseState::Stable);
    let Some(release) = stable.max_by_key(|release| release.number) else { return Ok(Vec::new()) };
    let mut hooks = Vec::new();
    for hook in release.hooks.iter().filter(|hook| os.is_none_or(|os| hook.runs_on(os))) {
        hooks.push(convert::published(hook, script_of(call, hook).await?));
    }
    Ok(hooks)
}

async fn script_of(call: &Call, hook: &manifest::Hook) -> Result<String, Refusal> {
    let bytes = call.team().script(&hook.script.sha256).await?;
    let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
    text.ok_or_else(|| Refusal::busy(5, format!("the script of hook {} cannot be read", hook.id)))
}

/// Hooks of the draft that take no part in the next release, for those who may
/// read the draft.
async fn switched_off(call: &Call, os: Option<Os>) -> Result<Vec<TeamHook>, Refusal> {
    if call.caller.role < Role::Auditor {
        return Ok(Vec::new());
    }
    let runs = |hook: &Hook| {
        let systems = &hook.draft.operating_systems;
        os.is_none_or(|os| systems.is_empty() || systems.iter().any(|name| os_named(name) == Some(os)))
    };
    let hooks = call.team().hooks().await?;
    Ok(hooks.into_iter().filter(|hook| !hook.draft.is_active && runs(hook)).map(convert::drafted).collect())
}

fn system(name: &str) -> Result<Option<Os>, Refusal> {
    match (name, os_named(name)) {
        ("", _) => Ok(None),
        (_, Some(os)) => Ok(Some(os)),
        (_, None) => Err(Refusal::invalid(format!("{name:?} is none of Windows, Macintosh and Linux"))),
    }
}

fn sent(hook: Option<TeamHook>) -> Result<TeamHook, ConnectError> {
    hook.ok_or_else(|| told(Refusal::invalid("the request has no hook")))
}

/// A refusal in Connect's words.
fn told(refusal: Refusal) -> ConnectError {
    let refusal = refusal.for_connect();
    let code = match refusal.code {
        "invalid_argument" => ErrorCode::InvalidArgument,
        "unauthenticated" => ErrorCode::Unauthenticated,
        "permission_denied" => ErrorCode::PermissionDenied,
        "not_found" => ErrorCode::NotFound,
        "aborted" => ErrorCode::Aborted,
        "resource_exhausted" => ErrorCode::ResourceExhausted,
        "unavailable" => ErrorCode::Unavailable,
        _ => ErrorCode::Internal,
    };
    ConnectError::new(code, refusal.message)
}
