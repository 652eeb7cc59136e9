//! What one row of the table of routes says.

use std::time::Duration;

use axum::routing::MethodRouter;
use utoipa::openapi::{RefOr, Schema};

use super::App;
use super::caller::Caller;
use super::refusal::Refusal;
use crate::team::wire::{Role, TokenKind};

/// One address and method.
#[derive(Debug, Clone, Copy)]
pub struct Route {
    /// The method.
    pub verb: Verb,
    /// The path, with names in braces.
    pub path: &'static str,
    /// Who may call.
    pub who: Who,
    /// What it does, in a sentence.
    pub summary: &'static str,
    /// How it is counted.
    pub traffic: Traffic,
    /// The body it reads.
    pub body: Option<Shape>,
    /// The largest body it reads.
    pub largest: usize,
    /// What it answers when all is well.
    pub status: u16,
    /// The body of that.
    pub answer: Option<Shape>,
    /// How its refusals are worded.
    pub speech: Speech,
    /// Makes the handler.
    pub handler: fn(&App) -> MethodRouter<App>,
}

/// The methods we use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    /// Reads.
    Get,
    /// Adds, or does.
    Post,
    /// Replaces.
    Put,
    /// Changes a part.
    Patch,
    /// Removes.
    Delete,
}

impl Verb {
    /// As HTTP spells it.
    pub fn name(self) -> &'static str {
        match self {
            Verb::Get => "GET",
            Verb::Post => "POST",
            Verb::Put => "PUT",
            Verb::Patch => "PATCH",
            Verb::Delete => "DELETE",
        }
    }
}

/// Who may call a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// Everybody; a token is not looked at.
    Everybody,
    /// Holders of these tokens, from a role up.
    Holder(&'static [TokenKind], Role),
}

/// A member's own token, from a role up.
pub const fn from(role: Role) -> Who {
    Who::Holder(&[TokenKind::Api], role)
}

/// A member, also one who only has the token to sign in with.
pub const MYSELF: Who = Who::Holder(&[TokenKind::Api, TokenKind::SignIn], Role::Member);
/// A device, or a member.
pub const RUNNER: Who = Who::Holder(&[TokenKind::Device, TokenKind::Api], Role::Member);
/// A device.
pub const DEVICE: Who = Who::Holder(&[TokenKind::Device], Role::Member);
/// Whoever may bring a device into the team.
pub const NEWCOMER: Who =
    Who::Holder(&[TokenKind::SignIn, TokenKind::Api, TokenKind::Enrolment], Role::Member);

/// Whoever holds a token: a person compares the fingerprint before a token that
/// works once is used.
pub const HOLDER: Who =
    Who::Holder(&[TokenKind::Device, TokenKind::Api, TokenKind::SignIn, TokenKind::Enrolment], Role::Member);

impl Who {
    /// Whether a caller is among them.
    pub fn admits(self, kind: TokenKind, role: Role) -> bool {
        match self {
            Who::Everybody => true,
            Who::Holder(kinds, from) => kinds.contains(&kind) && role >= from,
        }
    }

    /// The same, with the words for those who are not.
    pub fn check(self, caller: &Caller) -> Result<(), Refusal> {
        match self {
            _ if self.admits(caller.kind, caller.role) => Ok(()),
            Who::Holder(kinds, from) if kinds.contains(&caller.kind) => {
                Err(Refusal::forbidden(role_words(from, caller)))
            }
            Who::Everybody | Who::Holder(..) => Err(Refusal::forbidden(kind_words(caller.kind))),
        }
    }
}

/// A role as the API spells it.
pub fn role_word(role: Role) -> &'static str {
    match role {
        Role::Member => "member",
        Role::Auditor => "auditor",
        Role::Admin => "admin",
        Role::Owner => "owner",
    }
}

/// Whether it is the token that may too little, or its holder.
fn role_words(from: Role, caller: &Caller) -> String {
    let (needed, found) = (role_word(from), role_word(caller.role));
    match caller.own {
        Some(own) if own >= from => format!(
            "this needs the role {needed}, and this token was made with the role {found}, though its member has {}: \
             sign in with a token of that role",
            role_word(own)
        ),
        Some(_) | None => {
            format!(
                "this needs the role {needed}, and this token's holder has {found}: an owner gives others"
            )
        }
    }
}

fn kind_words(kind: TokenKind) -> &'static str {
    match kind {
        TokenKind::SignIn => {
            "a sign-in token only signs in: POST /api/v1/login with it for a device, or POST /api/v1/tokens for an API token"
        }
        TokenKind::Api => {
            "this address is for devices; log in with POST /api/v1/login and use the device's token"
        }
        TokenKind::Enrolment => "an enrolment token only enrols devices, with POST /api/v1/login",
        TokenKind::Device => "this token belongs to a device; use an API token of a member",
    }
}

/// How a request is counted, and who goes first when too many come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Traffic {
    /// Signed files that change.
    Poll,
    /// Files that are named by their content.
    Content,
    /// Waits for news.
    Wait,
    /// How a sync went.
    Report,
    /// What people and their programs do.
    Work,
    /// Signing in.
    Login,
    /// Open to everybody.
    Open,
}

/// How refusals are worded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speech {
    /// With the words of our API.
    Api,
    /// With those of Connect.
    Connect,
}

/// Says what a body looks like, and names the types that this needs.
pub type Shape = fn(&mut Vec<(String, RefOr<Schema>)>) -> RefOr<Schema>;

/// The largest body, where nothing else is said.
const LARGEST: usize = 1024 * 1024;

impl Route {
    /// A route that reads and answers nothing in particular.
    pub const fn new(
        verb: Verb,
        path: &'static str,
        who: Who,
        summary: &'static str,
        handler: fn(&App) -> MethodRouter<App>,
    ) -> Route {
        Route {
            verb,
            path,
            who,
            summary,
            traffic: Traffic::Work,
            body: None,
            largest: LARGEST,
            status: 200,
            answer: None,
            speech: Speech::Api,
            handler,
        }
    }

    /// Counts as this.
    pub const fn counts(self, traffic: Traffic) -> Route {
        Route { traffic, ..self }
    }

    /// Reads this.
    pub const fn reads(self, body: Shape) -> Route {
        Route { body: Some(body), ..self }
    }

    /// Reads so much at most.
    pub const fn at_most(self, largest: usize) -> Route {
        Route { largest, ..self }
    }

    /// Answers this.
    pub const fn answers(self, answer: Shape) -> Route {
        Route { answer: Some(answer), ..self }
    }

    /// Answers with this status when all is well.
    pub const fn status(self, status: u16) -> Route {
        Route { status, ..self }
    }

    /// Words its refusals like this.
    pub const fn speaks(self, speech: Speech) -> Route {
        Route { speech, ..self }
    }

    /// How long its handler may take.
    pub fn deadline(&self) -> Duration {
        match self.traffic {
            Traffic::Wait => Duration::from_secs(65),
            Traffic::Poll
            | Traffic::Content
            | Traffic::Report
            | Traffic::Work
            | Traffic::Login
            | Traffic::Open => Duration::from_secs(30),
        }
    }
}
