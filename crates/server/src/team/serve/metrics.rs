//! What Prometheus reads. Labels hold routes, methods and statuses of ours, and
//! never a word that a caller can invent.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

/// The content type of what is read.
pub const TEXT: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Seconds; a hint waits for most of a minute.
const BUCKETS: [f64; 9] = [0.001, 0.005, 0.02, 0.1, 0.5, 2.0, 10.0, 30.0, 60.0];

/// The routes that are counted by themselves, too.
const POLL: &str = "/tuf/{team}/{file}";
const PUBLISH: &str = "/api/v1/releases";

/// Everything that is counted.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    requests: Family<Labels, Counter>,
    at_work: Family<Route, Gauge>,
    durations: Family<Route, Histogram>,
    polls: Counter,
    publishes: Counter,
    /// How old the oldest timestamp of any team is, in seconds.
    timestamp_age: Gauge,
    /// Teams whose files could not be signed anew in time.
    alarms: Gauge,
    /// How many machines are in the teams.
    devices: Gauge,
    /// The worst that a tick of the signer found, for readiness.
    expired: AtomicU64,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Labels {
    method: &'static str,
    route: String,
    status: u16,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Route {
    route: String,
}

/// A request that is being answered. Callers can go away in the middle.
#[derive(Debug)]
pub struct AtWork(Gauge);

impl Drop for AtWork {
    fn drop(&mut self) {
        self.0.dec();
    }
}

impl Default for Metrics {
    fn default() -> Metrics {
        let mut metrics = Metrics {
            registry: Registry::with_prefix("boathook"),
            requests: Family::default(),
            at_work: Family::default(),
            durations: Family::new_with_constructor(|| Histogram::new(BUCKETS)),
            polls: Counter::default(),
            publishes: Counter::default(),
            timestamp_age: Gauge::default(),
            alarms: Gauge::default(),
            devices: Gauge::default(),
            expired: AtomicU64::new(0),
        };
        metrics.register();
        metrics
    }
}

impl Metrics {
    fn register(&mut self) {
        let registry = &mut self.registry;
        registry.register("requests", "Requests by route and status", self.requests.clone());
        registry.register("requests_at_work", "Requests that are being answered", self.at_work.clone());
        registry.register("request_seconds", "How long answers took", self.durations.clone());
        registry.register("polls", "Devices that asked for the newest timestamp", self.polls.clone());
        registry.register("publishes", "Releases that were published here", self.publishes.clone());
        registry.register(
            "timestamp_age_seconds",
            "Age of the oldest timestamp of any team",
            self.timestamp_age.clone(),
        );
        registry.register(
            "signing_alarms",
            "Signed files that used half of their life and were not signed anew",
            self.alarms.clone(),
        );
        registry.register("devices", "Machines in all teams", self.devices.clone());
    }

    /// A request is being answered, until what this gives is dropped.
    pub fn begun(&self, route: &str) -> AtWork {
        let gauge = self.at_work.get_or_create_owned(&Route { route: route.to_owned() });
        gauge.inc();
        AtWork(gauge)
    }

    /// A request was answered.
    pub fn answered(&self, method: &'static str, route: &str, status: u16, took: Duration) {
        let labels = Labels { method, route: route.to_owned(), status };
        self.requests.get_or_create(&labels).inc();
        self.durations.get_or_create(&Route { route: route.to_owned() }).observe(took.as_secs_f64());
        match (method, route, status) {
            ("GET", POLL, 200 | 304) => _ = self.polls.inc(),
            ("POST", PUBLISH, 200..=299) => _ = self.publishes.inc(),
            _ => {}
        }
    }

    /// What the signer found at its last look.
    pub fn signed(&self, oldest_timestamp: i64, alarms: i64, expired: u64) {
        self.timestamp_age.set(oldest_timestamp);
        self.alarms.set(alarms);
        self.expired.store(expired, Ordering::SeqCst);
    }

    /// How many machines there are.
    pub fn devices(&self, devices: i64) {
        self.devices.set(devices);
    }

    /// How many teams have a timestamp that devices no longer accept.
    pub fn expired(&self) -> u64 {
        self.expired.load(Ordering::SeqCst)
    }

    /// All of it as text.
    pub fn text(&self) -> String {
        let mut text = String::new();
        // Writing to memory does not fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_counted_by_route_and_never_by_what_a_caller_wrote() {
        let metrics = Metrics::default();
        metrics.answered("GET", POLL, 304, Duration::from_millis(3));
        metrics.answered("GET", POLL, 401, Duration::from_millis(3));
        metrics.answered("POST", PUBLISH, 201, Duration::from_millis(30));
        metrics.signed(12, 1, 0);
        let text = metrics.text();
        for line in [
            r#"boathook_requests_total{method="GET",route="/tuf/{team}/{file}",status="304"} 1"#,
            "boathook_polls_total 1",
            "boathook_publishes_total 1",
            "boathook_timestamp_age_seconds 12",
            "boathook_signing_alarms 1",
            "# EOF",
        ] {
            assert!(text.lines().any(|it| it == line), "{line} is not in\n{text}");
        }
    }
}
