//! Before a handler: a place, who calls, how often, the body. After it: a
//! deadline, and what goes with every answer.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::{ConnectInfo, Request, State};
use axum::http::{Extensions, HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::App;
use super::caller::{self, Caller};
use super::limits::Place;
use super::refusal::Refusal;
use super::route::{Route, Speech, Who};
use crate::connection;

/// A body that takes longer to arrive is not waited for.
const SLOWEST_BODY: Duration = Duration::from_secs(15);

/// Stands before each route.
pub async fn guard(
    State((app, route)): State<(App, &'static Route)>,
    request: Request,
    next: Next,
) -> Response {
    let mut response = match admit(&app, route, request).await {
        Ok((request, place)) => {
            let answer = tokio::time::timeout(route.deadline(), next.run(request)).await;
            drop(place);
            answer.unwrap_or_else(|_| {
                refuse(route, Refusal::busy(10, "this took too long; try again in a moment"))
            })
        }
        Err(refusal) => refuse(route, refusal),
    };
    // The handler of Connect says it with an empty body.
    if response.status() == StatusCode::UNSUPPORTED_MEDIA_TYPE {
        response = refuse(route, Refusal::media_type(route.speech));
    }
    seal(&mut response);
    response
}

fn refuse(route: &Route, refusal: Refusal) -> Response {
    match route.speech {
        Speech::Api => refusal.into_response(),
        Speech::Connect => refusal.for_connect().into_response(),
    }
}

async fn admit(app: &App, route: &Route, mut request: Request) -> Result<(Request, Option<Place>), Refusal> {
    let mut place = app.limits.place(route.traffic).await?;
    let from = peer(request.extensions());
    match route.who {
        Who::Everybody => app.limits.count_open(route.traffic, from)?,
        Who::Holder(..) => {
            let caller = known(app, route, request.headers(), from).await?;
            app.limits.count(route.traffic, &caller.key())?;
            route.who.check(&caller)?;
            // From now on strangers do not take its place.
            connection::welcome(&request);
            request.extensions_mut().insert(caller);
        }
    }
    if route.body.is_some() {
        // Who sends slowly keeps nobody else waiting.
        drop(place.take());
        request = with_body(request, route.largest).await?;
        place = app.limits.place(route.traffic).await?;
    }
    Ok((request, place))
}

async fn known(app: &App, route: &Route, headers: &HeaderMap, from: IpAddr) -> Result<Caller, Refusal> {
    match caller::identify(app, headers).await {
        Err(refusal) if refusal.status == StatusCode::UNAUTHORIZED => {
            app.limits.count_unknown(route.traffic, from)?;
            Err(refusal)
        }
        other => other,
    }
}

/// The address of the caller's socket, as whoever accepted the connection put
/// it into the request. Those without one share one count.
pub fn peer(extensions: &Extensions) -> IpAddr {
    let socket = extensions.get::<ConnectInfo<SocketAddr>>();
    socket.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |ConnectInfo(address)| address.ip())
}

/// The request with its body read whole, within a limit of time and size.
async fn with_body(request: Request, most: usize) -> Result<Request, Refusal> {
    let (parts, body) = request.into_parts();
    let bytes = tokio::time::timeout(SLOWEST_BODY, to_bytes(body, most))
        .await
        .map_err(|_| Refusal::unreadable("the body took too long to arrive"))?
        .map_err(|_| Refusal::too_large(most))?;
    Ok(Request::from_parts(parts, Body::from(bytes)))
}

fn seal(response: &mut Response) {
    let headers = response.headers_mut();
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
}
