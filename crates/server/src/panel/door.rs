//! Who may come in: the browser that brought the printed token first.
//!
//! The token is exchanged once for a cookie. Browsers send cookies to every
//! port of a host, and the next port may belong to a server of the very
//! repository that is looked at: so everything stands below a folder with a
//! random name, and the cookie is for that folder alone.
//!
//! A request that changes something needs the form's own token as well, and must
//! say that it comes from our own page.

use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::{ConnectInfo, Form, FromRequest, Query, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};

use super::{App, layout};
use crate::connection::{self, Activity};
use crate::doorkeeper::{Doorkeeper, Refusal, same};
use crate::random;

const COOKIE: &str = "boathook";
/// The name of the hidden field.
pub const FORM_TOKEN: &str = "form_token";
/// More than this is no payload that anybody edits by hand.
pub const LARGEST_FORM: usize = 4 * 1024 * 1024;
/// A form that takes longer to arrive is not waited for.
const SLOWEST_FORM: Duration = Duration::from_secs(15);

/// No script, style or image but ours, no frame around us, nothing from elsewhere.
pub const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
    img-src 'self' data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

/// The secrets of one panel.
#[derive(Debug)]
pub struct Door {
    keeper: Doorkeeper,
    address: SocketAddr,
    token: String,
    used: AtomicBool,
    folder: String,
    cookie: String,
    /// The cookie for the door alone, by which it knows who is in already. It
    /// opens nothing: with the token it leads to the folder, where the other counts.
    known: String,
    form_token: String,
}

/// What a form brought.
#[derive(Debug, Clone, Default)]
pub struct Fields(HashMap<String, String>);

impl Fields {
    /// A field; empty when there is none.
    pub fn get(&self, name: &str) -> &str {
        self.0.get(name).map(String::as_str).unwrap_or_default()
    }
}

impl Door {
    pub fn new(address: SocketAddr) -> io::Result<Door> {
        let token = random::secret()?;
        Ok(Door {
            keeper: Doorkeeper::new(address, token.clone()),
            address,
            token,
            used: AtomicBool::new(false),
            folder: format!("/{}", random::name()?),
            cookie: random::secret()?,
            known: random::secret()?,
            form_token: random::secret()?,
        })
    }

    /// The address that lets one browser in.
    pub fn url(&self) -> String {
        format!("http://{}/enter?token={}", self.address, self.token)
    }

    /// Everything stands below this.
    pub fn folder(&self) -> &str {
        &self.folder
    }

    /// What every form of ours has in a hidden field.
    pub fn form_token(&self) -> &str {
        &self.form_token
    }

    /// Whether a request comes from the browser that was let in.
    pub fn has_cookie(&self, headers: &HeaderMap) -> bool {
        self.brings(headers, COOKIE, &self.cookie)
    }

    /// Whether it comes from there to the door once more.
    fn was_in(&self, headers: &HeaderMap) -> bool {
        self.brings(headers, &self.known_name(), &self.known)
    }

    fn brings(&self, headers: &HeaderMap, wanted: &str, secret: &str) -> bool {
        let values = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut pairs =
            values.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
        pairs.any(|(name, value)| name == wanted && same(value, secret))
    }

    /// Takes the token once.
    fn exchange(&self, token: &str) -> bool {
        self.keeper.knows(token)
            && self.used.compare_exchange(false, true, Ordering::SeqCst, Ordering::SeqCst).is_ok()
    }

    fn cookies(&self) -> [HeaderValue; 2] {
        let cookie = |name: &str, value: &str, path: &str| {
            let text = format!("{name}={value}; Path={path}; HttpOnly; SameSite=Strict");
            HeaderValue::from_str(&text).unwrap_or_else(|_| HeaderValue::from_static(""))
        };
        [cookie(COOKIE, &self.cookie, &self.folder), cookie(&self.known_name(), &self.known, "/enter")]
    }

    /// Panels of other ports have doors as well.
    fn known_name(&self) -> String {
        format!("{COOKIE}-{}", self.address.port())
    }
}

/// `GET /enter?token=…`
pub async fn enter(
    State(app): State<Arc<App>>,
    ConnectInfo(activity): ConnectInfo<Activity>,
    Query(asked): Query<HashMap<String, String>>,
    headers: HeaderMap,
) -> Response {
    let token = asked.get("token").map(String::as_str).unwrap_or_default();
    let inside = Redirect::to(&format!("{}/", app.door.folder));
    if app.door.keeper.knows(token) && app.door.was_in(&headers) {
        return inside.into_response();
    }
    if !app.door.exchange(token) {
        return turned_away(if app.door.keeper.knows(token) { Away::Used } else { Away::Token });
    }
    activity.welcome();
    let mut response = inside.into_response();
    for cookie in app.door.cookies() {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    response
}

/// `HEAD /enter`: programs that look at an address before they open it must not
/// use it up.
pub async fn looks() -> Response {
    (StatusCode::METHOD_NOT_ALLOWED, [(header::ALLOW, "GET")]).into_response()
}

/// What goes with every answer, whatever it is.
pub async fn sealed(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        // `no-referrer` would make browsers hide the origin of our own forms.
        (header::REFERRER_POLICY, "same-origin"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::CACHE_CONTROL, "no-store"),
        (header::HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (header::HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Host and Origin, for every request there is.
pub async fn host_and_origin(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    match app.door.keeper.admits(request.headers()) {
        Ok(()) => next.run(request).await,
        Err(refusal) => turned_away(Away::Refused(refusal)),
    }
}

/// The cookie; and for what changes something, our own form.
pub async fn inside(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    if !app.door.has_cookie(request.headers()) {
        return turned_away(Away::Cookie);
    }
    connection::welcome(&request);
    if matches!(*request.method(), Method::GET | Method::HEAD) {
        return next.run(request).await;
    }
    // The keeper looked at its value; that it is there at all is asked here.
    if !request.headers().contains_key(header::ORIGIN) {
        return turned_away(Away::Refused(Refusal::Origin));
    }
    match with_fields(request).await {
        Ok((request, fields)) if same(fields.get(FORM_TOKEN), &app.door.form_token) => {
            let mut request = request;
            request.extensions_mut().insert(fields);
            next.run(request).await
        }
        Ok(_) => turned_away(Away::FormToken),
        Err(status) => turned_away(Away::Form(status)),
    }
}

/// The form of a request, read whole within a limit of time and size.
async fn with_fields(request: Request) -> Result<(Request, Fields), StatusCode> {
    let (parts, body) = request.into_parts();
    let bytes = tokio::time::timeout(SLOWEST_FORM, to_bytes(body, LARGEST_FORM))
        .await
        .map_err(|_| StatusCode::REQUEST_TIMEOUT)?
        .map_err(|_| StatusCode::PAYLOAD_TOO_LARGE)?;
    let again = Request::from_parts(parts.clone(), Body::from(bytes));
    let Form(fields) = Form::<HashMap<String, String>>::from_request(again, &())
        .await
        .map_err(|_| StatusCode::UNPROCESSABLE_ENTITY)?;
    Ok((Request::from_parts(parts, Body::empty()), Fields(fields)))
}

/// Why somebody stays outside.
#[derive(Debug, Clone, Copy)]
pub enum Away {
    Refused(Refusal),
    Token,
    Used,
    Cookie,
    FormToken,
    Form(StatusCode),
}

/// A page that says so, and what to do.
fn turned_away(away: Away) -> Response {
    let again = "Start boathook panel again in a terminal, and open the address it prints.";
    let (status, title, why, what) = match away {
        Away::Refused(refusal) => (
            StatusCode::FORBIDDEN,
            "Not from here",
            refusal.sentence(),
            "Open the panel by the address that was printed.",
        ),
        Away::Token => (StatusCode::FORBIDDEN, "Wrong token", Refusal::Token.sentence(), again),
        Away::Used => (
            StatusCode::FORBIDDEN,
            "This address was used",
            "each printed address lets one browser in, once",
            again,
        ),
        Away::Cookie => (
            StatusCode::UNAUTHORIZED,
            "Not let in",
            "this browser did not come in with the printed address",
            again,
        ),
        Away::FormToken => (
            StatusCode::FORBIDDEN,
            "Not our form",
            "the form has no token of this panel, so nothing was done",
            "Go back, load the page again and send it once more.",
        ),
        Away::Form(status) => {
            (status, "Nothing was done", form_trouble(status), "Go back and send less, or send it again.")
        }
    };
    (status, layout::outside(title, why, what)).into_response()
}

fn form_trouble(status: StatusCode) -> &'static str {
    match status {
        StatusCode::REQUEST_TIMEOUT => "the form took too long to arrive",
        StatusCode::PAYLOAD_TOO_LARGE => "the form is larger than 4 MiB",
        _ => "the form cannot be read",
    }
}
