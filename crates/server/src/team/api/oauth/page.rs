//! The page of a login in the browser: no script, no frame around it, nothing
//! from elsewhere.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use boathook_engine::visible::visible;
use maud::{DOCTYPE, Markup, html};

use super::asked::Asked;

/// Asks the person, perhaps once more.
pub fn consent(asked: &Asked, form_token: &str, trouble: Option<&str>) -> Response {
    let status = if trouble.is_some() { StatusCode::UNAUTHORIZED } else { StatusCode::OK };
    let body = html! {
        h1 { "Log in to team hooks" }
        p {
            "A program on " strong { (visible(&asked.device_name)) } " asks to run your team's hooks in your name. "
            "Allow it only if you have just typed " code { "boathook team login" } " there."
        }
        @if let Some(trouble) = trouble { p.trouble role="alert" { (trouble) } }
        form method="post" action="/authorize" {
            @for (name, value) in asked.fields() { input type="hidden" name=(name) value=(value); }
            input type="hidden" name="form_token" value=(form_token);
            label for="token" { "Your sign-in token or API token" }
            input #token type="password" name="token" autocomplete="off" spellcheck="false" autofocus;
            p {
                button type="submit" name="answer" value="allow" { "Allow" }
                " "
                button type="submit" name="answer" value="deny" { "Deny" }
            }
        }
    };
    sealed(status, body, &asked.form_target())
}

/// Says that nothing was done, and why.
pub fn refused(status: StatusCode, why: &str) -> Response {
    let body = html! {
        h1 { "Nothing was done" }
        p { (visible(why)) }
        p { "Go back to the terminal and start " code { "boathook team login" } " again." }
    };
    sealed(status, body, "'self'")
}

fn sealed(status: StatusCode, body: Markup, form_target: &str) -> Response {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { "Boathook" }
            }
            body { main { (body) } }
        }
    };
    let policy = format!(
        "default-src 'none'; form-action 'self' {form_target}; frame-ancestors 'none'; base-uri 'none'"
    );
    let mut response = (status, Html(page.into_string())).into_response();
    let headers = response.headers_mut();
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    // `no-referrer` would make browsers hide the origin of our own form.
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
