//! The table of routes.

use axum::routing::{delete, get, patch, post, put};
use boathook_engine::bundle::manifest::LARGEST_SCRIPT;

use super::route::Verb::{Delete, Get, Patch, Post, Put};
use super::route::{DEVICE, HOLDER, MYSELF, NEWCOMER, RUNNER, Route, Speech, Traffic, Who, from};
use super::shape::{list, one, other};
use super::{devices, distribution, hooks, login, members, oauth, open, releases, settings, signing, tokens};
use crate::team::serve::health;
use crate::team::wire::Role::{Admin, Auditor, Member, Owner};
use crate::team::{rpc, wire};

/// A script may be all of escapes, six bytes for one, and there is more than
/// the script.
const LARGEST_HOOK: usize = 6 * LARGEST_SCRIPT as usize + 64 * 1024;

/// What a form may be.
const SMALL: usize = 16 * 1024;

/// Every address.
pub static ROUTES: &[Route] = &[
    Route::new(Get, "/api/v1/team", HOLDER, "The team, and what the caller may do", |_| get(settings::show))
        .answers(one::<wire::Team>),
    Route::new(Patch, "/api/v1/team", from(Owner), "Changes the team's settings", |_| {
        patch(settings::change)
    })
    .reads(one::<wire::TeamChange>)
    .answers(one::<wire::Team>),
    Route::new(Get, "/api/v1/hooks", from(Auditor), "The draft: hooks in their order", |_| get(hooks::list))
        .answers(list::<wire::Hook>),
    Route::new(Post, "/api/v1/hooks", from(Admin), "Adds a hook to the draft", |_| post(hooks::add))
        .reads(one::<wire::HookDraft>)
        .at_most(LARGEST_HOOK)
        .answers(one::<wire::Hook>)
        .status(201),
    Route::new(Put, "/api/v1/hooks/order", from(Admin), "Orders the hooks of the draft", |_| {
        put(hooks::order)
    })
    .reads(one::<wire::Order>)
    .answers(list::<wire::Hook>),
    Route::new(Get, "/api/v1/hooks/{id}", from(Auditor), "A hook of the draft", |_| get(hooks::show))
        .answers(one::<wire::Hook>),
    Route::new(Put, "/api/v1/hooks/{id}", from(Admin), "Replaces a hook of the draft", |_| {
        put(hooks::replace)
    })
    .reads(one::<wire::HookDraft>)
    .at_most(LARGEST_HOOK)
    .answers(one::<wire::Hook>),
    Route::new(Delete, "/api/v1/hooks/{id}", from(Admin), "Takes a hook out of the draft", |_| {
        delete(hooks::delete)
    })
    .status(204),
    Route::new(Get, "/api/v1/hooks/{id}/versions", from(Auditor), "What a hook was before", |_| {
        get(hooks::versions)
    })
    .answers(list::<wire::HookVersion>),
    Route::new(Get, "/api/v1/releases", from(Auditor), "What was published, newest first", |_| {
        get(releases::list)
    })
    .answers(list::<wire::Release>),
    Route::new(Get, "/api/v1/releases/{number}", from(Auditor), "A release", |_| get(releases::show))
        .answers(one::<wire::Release>),
    Route::new(Post, "/api/v1/releases", from(Admin), "Publishes the draft", |_| post(releases::publish))
        .reads(one::<wire::Publish>)
        .answers(one::<wire::Release>)
        .status(201),
    Route::new(Post, "/api/v1/releases/{number}/advance", from(Admin), "Widens a release", |_| {
        post(releases::advance)
    })
    .reads(one::<wire::Advance>)
    .answers(one::<wire::Release>),
    Route::new(Post, "/api/v1/releases/{number}/halt", from(Admin), "Stops a release", |_| {
        post(releases::halt)
    })
    .reads(one::<wire::Halt>)
    .answers(one::<wire::Release>),
    Route::new(
        Post,
        "/api/v1/releases/{number}/restore",
        from(Admin),
        "Publishes an old release anew",
        |_| post(releases::restore),
    )
    .answers(one::<wire::Release>)
    .status(201),
    Route::new(Get, "/api/v1/signing", from(Admin), "What waits for signatures of the admins", |_| {
        get(signing::waiting)
    })
    .answers(one::<wire::Signing>),
    Route::new(Post, "/api/v1/signing", from(Admin), "Adds a signature", |_| post(signing::sign))
        .reads(one::<wire::NewSignature>)
        .answers(one::<wire::Signing>),
    Route::new(Post, "/api/v1/keys", from(Owner), "Hands the keys to the admins, or exchanges them", |_| {
        post(signing::propose)
    })
    .reads(one::<wire::NewKeys>)
    .answers(one::<wire::Signing>),
    Route::new(Post, "/api/v1/keys/rotate", from(Owner), "Makes new keys for what the server signs", |_| {
        post(signing::rotate)
    })
    .answers(one::<wire::Signing>),
    Route::new(Get, "/api/v1/members", from(Auditor), "The members", |_| get(members::list))
        .answers(list::<wire::Member>),
    Route::new(Post, "/api/v1/members", from(Admin), "Adds a member", |_| post(members::add))
        .reads(one::<wire::NewMember>)
        .answers(one::<wire::AddedMember>)
        .status(201),
    Route::new(Patch, "/api/v1/members/{id}", from(Admin), "Changes a member", |_| patch(members::change))
        .reads(one::<wire::MemberChange>)
        .answers(one::<wire::Member>),
    Route::new(Delete, "/api/v1/members/{id}", from(Admin), "Removes a member", |_| delete(members::remove))
        .status(204),
    Route::new(Get, "/api/v1/tokens", from(Member), "The caller's tokens; for admins all", |_| {
        get(tokens::list)
    })
    .answers(list::<wire::Token>),
    Route::new(Post, "/api/v1/tokens", MYSELF, "Makes a token", |_| post(tokens::add))
        .reads(one::<wire::NewToken>)
        .answers(one::<wire::MadeToken>)
        .status(201),
    Route::new(
        Delete,
        "/api/v1/tokens/{id}",
        from(Member),
        "Revokes a token and what was made with it; with ?alone=true it alone",
        |_| delete(tokens::revoke),
    )
    .status(204),
    Route::new(Get, "/api/v1/devices", from(Auditor), "The devices", |_| get(devices::list))
        .answers(list::<wire::Device>),
    Route::new(Delete, "/api/v1/devices/{id}", from(Admin), "Revokes a device", |_| delete(devices::revoke))
        .status(204),
    Route::new(Post, "/api/v1/login", NEWCOMER, "Brings a device into the team", |_| post(login::login))
        .counts(Traffic::Login)
        .reads(one::<wire::Login>)
        .answers(one::<wire::LoggedIn>)
        .status(201),
    Route::new(Delete, "/api/v1/login", DEVICE, "Takes the calling device out of the team", |_| {
        delete(login::logout)
    })
    .status(204),
    Route::new(Post, "/api/v1/report", DEVICE, "Says how a sync went", |_| post(distribution::report))
        .counts(Traffic::Report)
        .reads(one::<wire::Report>)
        .at_most(SMALL)
        .status(204),
    Route::new(Get, "/api/v1/hint", RUNNER, "Waits for a sequence above ?sequence=N", |_| {
        get(distribution::hint)
    })
    .counts(Traffic::Wait)
    .answers(one::<wire::Hint>),
    Route::new(Get, "/tuf/{team}/{file}", RUNNER, "A signed file of the team's repository", |_| {
        get(distribution::metadata)
    })
    .counts(Traffic::Poll)
    .answers(other),
    Route::new(Get, "/tuf/{team}/targets/{name}", RUNNER, "The manifest, or a script", |_| {
        get(distribution::target)
    })
    .counts(Traffic::Content)
    .answers(other),
    Route::new(Get, "/authorize", Who::Everybody, "The page of a login in the browser", |_| get(oauth::ask))
        .counts(Traffic::Open),
    Route::new(Post, "/authorize", Who::Everybody, "What that page sends", |_| post(oauth::answer))
        .counts(Traffic::Login)
        .reads(other)
        .at_most(SMALL)
        .status(303),
    Route::new(Post, "/oauth/token", Who::Everybody, "Makes a device of a code, with PKCE", |_| {
        post(oauth::exchange)
    })
    .counts(Traffic::Login)
    .reads(one::<oauth::Exchange>)
    .at_most(SMALL)
    .answers(one::<wire::LoggedIn>),
    Route::new(
        Get,
        oauth::DESCRIPTION,
        Who::Everybody,
        "Says that a login in the browser is offered",
        |_| get(oauth::description),
    )
    .counts(Traffic::Open)
    .answers(other),
    Route::new(Post, rpc::GET_TEAM_HOOKS, RUNNER, "The published hooks, over Connect", rpc::route)
        .reads(other)
        .answers(other)
        .speaks(Speech::Connect),
    Route::new(
        Post,
        rpc::CREATE_TEAM_HOOK,
        from(Admin),
        "Adds a hook to the draft, over Connect",
        rpc::route,
    )
    .reads(other)
    .at_most(LARGEST_HOOK)
    .answers(other)
    .speaks(Speech::Connect),
    Route::new(
        Post,
        rpc::UPDATE_TEAM_HOOK,
        from(Admin),
        "Replaces a hook of the draft, over Connect",
        rpc::route,
    )
    .reads(other)
    .at_most(LARGEST_HOOK)
    .answers(other)
    .speaks(Speech::Connect),
    Route::new(
        Post,
        rpc::DELETE_TEAM_HOOK,
        from(Admin),
        "Takes a hook out of the draft, over Connect",
        rpc::route,
    )
    .reads(other)
    .answers(other)
    .speaks(Speech::Connect),
    Route::new(Get, "/healthz", Who::Everybody, "Whether the process lives", |_| get(open::alive))
        .counts(Traffic::Open)
        .answers(other),
    Route::new(Get, "/readyz", Who::Everybody, "Whether requests can be answered", |_| get(open::ready))
        .counts(Traffic::Open)
        .answers(other),
    Route::new(Get, "/metrics", from(Auditor), "Numbers for Prometheus", |_| get(health::metrics))
        .answers(other),
    Route::new(Get, "/openapi.json", Who::Everybody, "This document", |_| get(open::document))
        .counts(Traffic::Open)
        .answers(other),
];
