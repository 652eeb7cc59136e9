//! From the options to a server that answers, and to its end.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::middleware::{from_fn, from_fn_with_state};
use boathook_engine::ids::now_millis;
use boathook_engine::run::Cancel;
use tokio::net::TcpListener;
use tokio::sync::watch;

use super::certificate::{Encryption, Tls};
use super::chores;
use super::error::ServeError;
use super::first::{self, Invitation};
use super::health::{self, Health};
use super::listen::{self, Caller, Incoming};
use super::logs::{self, Log};
use super::metrics::Metrics;
use super::state;
use crate::connection;
use crate::team::api::{self, App, Limits, Rates};
use crate::team::publish::Hints;

/// How often it is looked whether it is time to end,
const LOOK_UP: Duration = Duration::from_millis(50);
/// and how long requests have then.
const PARTING: Duration = Duration::from_secs(10);

/// More connections are not held by one process.
const MOST: usize = 8192;
/// Files that are no connection: the database, the log.
const OTHER_FILES: usize = 128;

/// What an operator says.
#[derive(Debug, Clone)]
pub struct Options {
    /// A file for SQLite, or an address for PostgreSQL.
    pub database: String,
    /// What private keys are sealed with.
    pub secret_file: PathBuf,
    /// Where to listen.
    pub listen: SocketAddr,
    /// What to encrypt with.
    pub tls: Tls,
    /// Whether something else encrypts.
    pub behind_proxy: bool,
    /// How others reach the server; nothing is what we listen on.
    pub url: Option<String>,
    /// The first team's name.
    pub team: String,
    /// The first owner's address.
    pub owner: String,
    /// Where metrics are read without a token.
    pub metrics: Option<SocketAddr>,
    /// How the log looks.
    pub log: Log,
}

/// A server that answers.
#[derive(Debug)]
pub struct Started {
    /// How others reach it.
    pub url: String,
    /// Where metrics are read without a token.
    pub metrics: Option<SocketAddr>,
    /// What clients recognise our own authority by.
    pub authority: Option<PathBuf>,
    /// For the first owner, at the first start.
    pub invitation: Option<Invitation>,
    /// What was said and does not do what it seems to.
    pub notes: Vec<String>,
}

/// Serves until `ending` says that it is enough. What is being answered then
/// may be finished.
pub fn serve(options: &Options, ending: &Cancel, tell: impl FnOnce(&Started)) -> Result<(), ServeError> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let result = runtime.block_on(run(options, ending, tell));
    runtime.shutdown_timeout(Duration::from_secs(1));
    result
}

async fn run(options: &Options, ending: &Cancel, tell: impl FnOnce(&Started)) -> Result<(), ServeError> {
    logs::begin(options.log);
    let is_open = options.tls == Tls::None && !options.behind_proxy && !options.listen.ip().is_loopback();
    if is_open {
        return Err(ServeError::Open(options.listen));
    }
    first::check(&options.team, &options.owner)?;
    check_url(options.url.as_deref())?;
    let listener = bind("--listen", options.listen).await?;
    let address = listener.local_addr()?;
    let metrics_listener = match options.metrics {
        Some(address) => Some(bind("--metrics-listen", address).await?),
        None => None,
    };
    let url = options.url.clone().unwrap_or_else(|| url_of(&options.tls, address));
    let encryption = Encryption::new(&options.tls, names(&url, address))?;
    let (store, signer) = state::open(&options.database, &options.secret_file).await?;
    let invitation = first::start(&store, &signer, &options.team, &options.owner).await?;
    let mut notes = match invitation {
        Some(_) => Vec::new(),
        None => first::ignored(&store, &options.team, &options.owner).await?,
    };
    let is_guessed = options.url.is_none() && (options.behind_proxy || address.ip().is_unspecified());
    if is_guessed {
        notes.push(format!("other machines do not reach this server as {url}: `--url URL` says how they do"));
    }

    let metrics = Arc::new(Metrics::default());
    let health = Health { store: store.clone(), metrics: Arc::clone(&metrics) };
    let most = room_for_connections();
    let (end, ended) = watch::channel(false);
    let app = App {
        store: store.clone(),
        signer,
        // Devices that wait for news hold a connection each, and leave room for others.
        hints: Hints::new(most / 4 * 3),
        clock: Arc::new(now_millis),
        limits: Arc::new(Limits::new(Rates::default())),
        origin: (!is_guessed).then(|| Arc::from(url.as_str())),
    };
    let hints = app.hints.clone();
    chores::begin(&app, &metrics);
    let metrics_address = metrics_listener.as_ref().and_then(|listener| listener.local_addr().ok());
    if let Some(listener) = metrics_listener {
        tokio::spawn(health::serve(listener, health.clone()));
    }
    let router = api::router(app)
        .layer(from_fn_with_state(health, health::readiness))
        .layer(from_fn_with_state(Arc::clone(&metrics), logs::told))
        .layer(from_fn(connection::noted))
        .layer(Extension(metrics))
        .layer(from_fn(listen::introduced));

    let authority = encryption.as_ref().and_then(|encryption| encryption.authority.clone());
    let config = encryption.as_ref().map(|encryption| Arc::clone(&encryption.config));
    if let Some(encryption) = encryption {
        tokio::spawn(encryption.keep_current());
    }
    let incoming = Incoming::on(listener, config, most)?;
    tell(&Started { url, metrics: metrics_address, authority, invitation, notes });
    tracing::info!(%address, encrypted = options.tls != Tls::None, "the team server answers");

    let service = router.into_make_service_with_connect_info::<Caller>();
    let serving = axum::serve(incoming, service).with_graceful_shutdown(told(ended.clone()));
    let result = tokio::select! {
        result = serving.into_future() => result,
        () = ends(ending.clone(), &end, &hints) => Ok(()),
    };
    store.close().await;
    tracing::info!("the team server ended");
    Ok(result?)
}

/// How many connections there may be, by the number of files we may open.
fn room_for_connections() -> usize {
    #[cfg(unix)]
    let files = usize::try_from(boathook_engine::remote::seat::make_room_for_files()).unwrap_or(MOST);
    #[cfg(not(unix))]
    let files = MOST;
    files.saturating_sub(OTHER_FILES).clamp(16, MOST)
}

async fn bind(option: &'static str, address: SocketAddr) -> Result<TcpListener, ServeError> {
    TcpListener::bind(address).await.map_err(|error| ServeError::Listen { option, address, error })
}

/// An address that others can type has a scheme and a host, and nothing behind.
fn check_url(url: Option<&str>) -> Result<(), ServeError> {
    let Some(url) = url else { return Ok(()) };
    let host = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    let fits = |host: &str| !host.is_empty() && !host.contains(['@', '?', '#']) && !host.contains("://");
    match host.is_some_and(fits) && !url.chars().any(|c| c.is_whitespace() || c.is_control()) {
        true => Ok(()),
        false => Err(ServeError::state(
            format!("`--url {url}` is no address that others could type"),
            "write scheme and host, such as `--url https://hooks.example.com`",
        )),
    }
}

/// Tells everybody that it is enough, then waits as long as requests may take.
async fn ends(ending: Cancel, end: &watch::Sender<bool>, hints: &Hints) {
    while !ending.is_cancelled() {
        tokio::time::sleep(LOOK_UP).await;
    }
    tracing::info!("the team server ends");
    let _ = end.send(true);
    hints.close();
    tokio::time::sleep(PARTING).await;
}

async fn told(mut ended: watch::Receiver<bool>) {
    // Who would tell is gone, too: then it is over as well.
    let _ = ended.wait_for(|ended| *ended).await;
}

fn url_of(tls: &Tls, address: SocketAddr) -> String {
    let scheme = if *tls == Tls::None { "http" } else { "https" };
    // What listens everywhere is reached from here by the loopback.
    let host = match address.ip() {
        ip if ip.is_unspecified() => "localhost".to_owned(),
        std::net::IpAddr::V6(ip) => format!("[{ip}]"),
        std::net::IpAddr::V4(ip) => ip.to_string(),
    };
    format!("{scheme}://{host}:{}", address.port())
}

/// What a certificate of our own is for.
fn names(url: &str, address: SocketAddr) -> Vec<String> {
    let behind = url.split_once("://").map_or(url, |(_, behind)| behind);
    let authority = behind.split('/').next().unwrap_or_default();
    let host = match authority.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => authority.rsplit_once(':').map_or(authority, |(host, _)| host),
    };
    let own = [host.to_owned(), "localhost".to_owned(), "127.0.0.1".to_owned(), "::1".to_owned()];
    let ip = (!address.ip().is_unspecified()).then(|| address.ip().to_string());
    let mut names: Vec<String> = Vec::new();
    for name in own.into_iter().chain(ip).filter(|name| !name.is_empty()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_certificate_is_for_the_address_that_people_type() {
        let cases = [
            ("https://hooks.example.com", "0.0.0.0:443", "hooks.example.com localhost 127.0.0.1 ::1"),
            ("https://10.0.0.7:8787/", "10.0.0.7:8787", "10.0.0.7 localhost 127.0.0.1 ::1"),
            ("https://[::1]:1", "[::1]:1", "::1 localhost 127.0.0.1"),
            ("https://localhost:1", "127.0.0.1:1", "localhost 127.0.0.1 ::1"),
        ];
        for (url, address, expected) in cases {
            let address = address.parse().expect("an address");
            assert_eq!(names(url, address).join(" "), expected, "{url}");
        }
        for (url, fits) in [
            ("https://hooks.example.com", true),
            ("http://10.0.0.7:8787/hooks", true),
            ("hooks.example.com", false),
            ("https://", false),
            ("htp://hooks.example.com", false),
            ("https://me@hooks.example.com", false),
            ("https://hooks example", false),
        ] {
            assert_eq!(check_url(Some(url)).is_ok(), fits, "{url}");
        }
        let tls = Tls::SelfSigned("x".into());
        assert_eq!(url_of(&Tls::None, "127.0.0.1:80".parse().expect("an address")), "http://127.0.0.1:80");
        assert_eq!(url_of(&tls, "[::1]:80".parse().expect("an address")), "https://[::1]:80");
        assert_eq!(url_of(&tls, "0.0.0.0:80".parse().expect("an address")), "https://localhost:80");
    }
}
