//! The OpenAPI document, made from the table of routes.

use std::collections::BTreeMap;

use utoipa::openapi::path::{HttpMethod, OperationBuilder, ParameterBuilder, ParameterIn, PathsBuilder};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{
    ComponentsBuilder, ContentBuilder, InfoBuilder, ObjectBuilder, OpenApi, OpenApiBuilder, PathItem, RefOr,
    Required, ResponseBuilder, Schema, Type,
};

use super::ROUTES;
use super::route::{Route, Verb, Who, role_word};
use super::shape;
use crate::team::wire::{Problem, TokenKind};

type Named = Vec<(String, RefOr<Schema>)>;

/// The name of the one way to say who calls.
const BEARER: &str = "bearer";

/// The whole document.
pub fn openapi() -> OpenApi {
    let mut named = Named::new();
    let problem = shape::one::<Problem>(&mut named);
    let mut paths = PathsBuilder::new();
    for route in ROUTES {
        let operation = operation(route, &problem, &mut named);
        paths = paths.path(plain(route.path), PathItem::new(method(route.verb), operation));
    }
    let named = opened(named.into_iter().collect());
    let bearer = SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer));
    let components =
        ComponentsBuilder::new().schemas_from_iter(named).security_scheme(BEARER, bearer).build();
    let info = InfoBuilder::new()
        .title("Boathook team server")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some("Hooks written once, signed, and on every member's machine within minutes."));
    OpenApiBuilder::new().info(info.build()).paths(paths.build()).components(Some(components)).build()
}

/// What is part of something larger cannot say that there is nothing else.
fn opened(mut named: BTreeMap<String, RefOr<Schema>>) -> BTreeMap<String, RefOr<Schema>> {
    let whole = named.values().filter_map(|schema| match schema {
        RefOr::T(Schema::AllOf(all)) => Some(&all.items),
        RefOr::T(_) | RefOr::Ref(_) => None,
    });
    let parts = whole.flatten().filter_map(|part| match part {
        RefOr::Ref(part) => part.ref_location.rsplit('/').next().map(str::to_owned),
        RefOr::T(_) => None,
    });
    for part in parts.collect::<Vec<String>>() {
        if let Some(RefOr::T(Schema::Object(object))) = named.get_mut(&part) {
            object.additional_properties = None;
        }
    }
    named
}

/// The document as it is served and kept: two spaces, and a line's end.
pub fn text() -> String {
    let mut text = openapi().to_pretty_json().unwrap_or_default();
    text.push('\n');
    text
}

fn operation(route: &Route, problem: &RefOr<Schema>, named: &mut Named) -> OperationBuilder {
    let mut operation = OperationBuilder::new()
        .summary(Some(route.summary))
        .description(Some(callers(route.who)))
        .operation_id(Some(format!("{} {}", route.verb.name(), route.path)))
        .response(route.status.to_string(), answer(route, named));
    for name in names(route.path) {
        let parameter = ParameterBuilder::new()
            .name(name)
            .parameter_in(ParameterIn::Path)
            .required(Required::True)
            .schema(Some(ObjectBuilder::new().schema_type(Type::String)));
        operation = operation.parameter(parameter);
    }
    if let Some(body) = route.body {
        let content = ContentBuilder::new().schema(Some(body(named))).build();
        let body =
            RequestBodyBuilder::new().content("application/json", content).required(Some(Required::True));
        operation = operation.request_body(Some(body.build()));
    }
    if route.who != Who::Everybody {
        operation = operation.security(SecurityRequirement::new(BEARER, Vec::<String>::new()));
    }
    operation.response("default", refusal(problem))
}

fn answer(route: &Route, named: &mut Named) -> ResponseBuilder {
    let response = ResponseBuilder::new().description("Done.");
    match route.answer {
        Some(shape) => {
            let content = ContentBuilder::new().schema(Some(shape(named))).build();
            response.content("application/json", content)
        }
        None => response,
    }
}

fn refusal(problem: &RefOr<Schema>) -> ResponseBuilder {
    let content = ContentBuilder::new().schema(Some(problem.clone())).build();
    let statuses = "Not done: 400, 401, 403, 404, 409, 413, 422, 429 or 503.";
    ResponseBuilder::new().description(statuses).content("application/json", content)
}

fn callers(who: Who) -> String {
    match who {
        Who::Everybody => "For everybody.".into(),
        Who::Holder(kinds, role) => {
            let kinds: Vec<&str> = kinds.iter().map(|kind| kind_word(*kind)).collect();
            format!(
                "For holders of a token of the kind {}, from the role {} up.",
                kinds.join(" or "),
                role_word(role)
            )
        }
    }
}

fn kind_word(kind: TokenKind) -> &'static str {
    match kind {
        TokenKind::SignIn => "sign-in",
        TokenKind::Api => "api",
        TokenKind::Enrolment => "enrolment",
        TokenKind::Device => "device",
    }
}

fn method(verb: Verb) -> HttpMethod {
    match verb {
        Verb::Get => HttpMethod::Get,
        Verb::Post => HttpMethod::Post,
        Verb::Put => HttpMethod::Put,
        Verb::Patch => HttpMethod::Patch,
        Verb::Delete => HttpMethod::Delete,
    }
}

/// The path as OpenAPI writes it.
fn plain(path: &str) -> String {
    path.replace("{*", "{")
}

/// The names in a path.
fn names(path: &str) -> impl Iterator<Item = &str> {
    path.split('/')
        .filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
        .map(|name| name.trim_start_matches('*'))
}
