//! How often somebody may call, and how many at once.
//!
//! The key is who calls: the device, the member, the token. Those whom no token
//! names are told apart by the address of their socket. What a header says of
//! addresses is never read: whoever sends it invents it.

use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::refusal::Refusal;
use super::route::Traffic;

/// So many in a minute, and so many at once after a pause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// In a minute, for ever.
    pub per_minute: u32,
    /// At once.
    pub burst: u32,
}

/// The rates of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rates {
    /// Signed files that change: a sync needs about five of them, and a sync
    /// in a minute is enough.
    pub poll: Rate,
    /// Files that are named by their content: a first sync needs all scripts.
    pub content: Rate,
    /// Waiting for news.
    pub wait: Rate,
    /// How syncs went.
    pub report: Rate,
    /// Everything that people and their programs do.
    pub work: Rate,
    /// Logins of one member.
    pub login: Rate,
    /// Logins by one enrolment token, which many machines share.
    pub enrolment: Rate,
    /// Tokens that are not good, from one address.
    pub unknown: Rate,
    /// Those at the login.
    pub unknown_login: Rate,
    /// Steps of a login in the browser, from one address: a proxy may stand
    /// before many people.
    pub open_login: Rate,
    /// Requests that are worked on at once.
    pub at_once: usize,
}

impl Default for Rates {
    fn default() -> Rates {
        let rate = |per_minute, burst| Rate { per_minute, burst };
        Rates {
            poll: rate(6, 60),
            content: rate(120, 3000),
            wait: rate(6, 30),
            report: rate(6, 30),
            work: rate(300, 300),
            login: rate(5, 5),
            enrolment: rate(600, 600),
            unknown: rate(60, 60),
            unknown_login: rate(5, 5),
            open_login: rate(60, 60),
            at_once: 256,
        }
    }
}

/// Who is counted.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Key {
    /// A device of a team.
    Device(i64, String),
    /// A member of a team.
    Member(i64, i64),
    /// A token that belongs to nobody.
    Token(i64, i64),
    /// Somebody at an address.
    Peer(IpAddr),
}

impl Key {
    /// One address counts as one; of IPv6 a whole network does, since each of
    /// its hosts has as many addresses as it likes.
    pub fn peer(address: IpAddr) -> Key {
        Key::Peer(match address {
            IpAddr::V4(_) => address,
            IpAddr::V6(six) => match six.to_ipv4_mapped() {
                Some(four) => IpAddr::V4(four),
                None => IpAddr::V6((u128::from(six) >> 64 << 64).into()),
            },
        })
    }
}

/// Counts.
#[derive(Debug)]
pub struct Limits {
    poll: Counter,
    content: Counter,
    wait: Counter,
    report: Counter,
    work: Counter,
    login: Counter,
    enrolment: Counter,
    unknown: Counter,
    unknown_login: Counter,
    open_login: Counter,
    places: Arc<Semaphore>,
    report_places: Arc<Semaphore>,
}

/// A request's place among those that are worked on.
#[derive(Debug)]
pub struct Place {
    _held: Vec<OwnedSemaphorePermit>,
}

/// How long a request that is not shed waits for a place.
const PATIENCE: Duration = Duration::from_secs(2);

impl Limits {
    /// With these rates.
    pub fn new(rates: Rates) -> Limits {
        let at_once = rates.at_once.clamp(4, Semaphore::MAX_PERMITS);
        Limits {
            poll: Counter::new(rates.poll),
            content: Counter::new(rates.content),
            wait: Counter::new(rates.wait),
            report: Counter::new(rates.report),
            work: Counter::new(rates.work),
            login: Counter::new(rates.login),
            enrolment: Counter::new(rates.enrolment),
            unknown: Counter::new(rates.unknown),
            unknown_login: Counter::new(rates.unknown_login),
            open_login: Counter::new(rates.open_login),
            places: Arc::new(Semaphore::new(at_once)),
            report_places: Arc::new(Semaphore::new(at_once / 4)),
        }
    }

    /// Counts a request of somebody who is known.
    pub fn count(&self, traffic: Traffic, key: &Key) -> Result<(), Refusal> {
        match (traffic, key) {
            (Traffic::Poll, _) => self.poll.check(key),
            (Traffic::Content, _) => self.content.check(key),
            (Traffic::Wait, _) => self.wait.check(key),
            (Traffic::Report, _) => self.report.check(key),
            (Traffic::Work | Traffic::Open, _) => self.work.check(key),
            (Traffic::Login, Key::Token(..)) => self.enrolment.check(key),
            (Traffic::Login, Key::Device(..) | Key::Member(..) | Key::Peer(_)) => self.login.check(key),
        }
    }

    /// Counts a request of somebody whose token is not good. Others at the same
    /// address, whose tokens are, do not pay for it.
    pub fn count_unknown(&self, traffic: Traffic, address: IpAddr) -> Result<(), Refusal> {
        let key = Key::peer(address);
        match traffic {
            Traffic::Login => self.unknown_login.check(&key),
            Traffic::Poll
            | Traffic::Content
            | Traffic::Wait
            | Traffic::Report
            | Traffic::Work
            | Traffic::Open => self.unknown.check(&key),
        }
    }

    /// Counts a request to an address that is open to everybody.
    pub fn count_open(&self, traffic: Traffic, address: IpAddr) -> Result<(), Refusal> {
        match traffic {
            Traffic::Login => self.open_login.check(&Key::peer(address)),
            Traffic::Poll
            | Traffic::Content
            | Traffic::Wait
            | Traffic::Report
            | Traffic::Work
            | Traffic::Open => Ok(()),
        }
    }

    /// Takes a place. When many call at once reports are sent away first: they
    /// have a part of the places, and do not wait.
    pub async fn place(&self, traffic: Traffic) -> Result<Option<Place>, Refusal> {
        match traffic {
            // Those who wait are counted where they wait.
            Traffic::Wait => Ok(None),
            // Whether the process lives is said however many are in it.
            Traffic::Open => Ok(None),
            Traffic::Report => {
                let refused = |_| Refusal::busy(60, "too many reports at once; come back later");
                let among = Arc::clone(&self.report_places).try_acquire_owned().map_err(refused)?;
                let place = Arc::clone(&self.places).try_acquire_owned().map_err(refused)?;
                Ok(Some(Place { _held: vec![among, place] }))
            }
            Traffic::Poll | Traffic::Content | Traffic::Work | Traffic::Login => {
                let waiting = Arc::clone(&self.places).acquire_owned();
                match tokio::time::timeout(PATIENCE, waiting).await {
                    Ok(Ok(place)) => Ok(Some(Place { _held: vec![place] })),
                    Ok(Err(_)) | Err(_) => {
                        Err(Refusal::busy(10, "too many requests at once; come back later"))
                    }
                }
            }
        }
    }
}

/// After so many requests those who were not here for long are forgotten.
const SWEEP: u32 = 4096;

struct Counter {
    limiter: DefaultKeyedRateLimiter<Key>,
    clock: DefaultClock,
    since_sweep: AtomicU32,
}

impl std::fmt::Debug for Counter {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Counter({} keys)", self.limiter.len())
    }
}

impl Counter {
    fn new(rate: Rate) -> Counter {
        let some = |number: u32| NonZeroU32::new(number).unwrap_or(NonZeroU32::MIN);
        let quota = Quota::per_minute(some(rate.per_minute)).allow_burst(some(rate.burst));
        Counter {
            limiter: RateLimiter::keyed(quota),
            clock: DefaultClock::default(),
            since_sweep: AtomicU32::new(0),
        }
    }

    fn check(&self, key: &Key) -> Result<(), Refusal> {
        if self.since_sweep.fetch_add(1, Ordering::Relaxed) >= SWEEP {
            self.since_sweep.store(0, Ordering::Relaxed);
            self.limiter.retain_recent();
        }
        self.limiter.check_key(key).map_err(|until| {
            let wait = until.wait_time_from(self.clock.now());
            Refusal::too_often(wait.as_secs() + 1)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_caller_has_a_count_of_its_own() {
        let limits = Limits::new(Rates { poll: Rate { per_minute: 1, burst: 2 }, ..Rates::default() });
        let (one, other) = (Key::Device(1, "a".into()), Key::Device(2, "a".into()));
        let asked = |key: &Key| limits.count(Traffic::Poll, key).map_err(|refusal| refusal.code);
        assert_eq!([asked(&one), asked(&one), asked(&one)], [Ok(()), Ok(()), Err("throttled")]);
        assert_eq!(asked(&other), Ok(()), "the same name in another team is another device");
    }

    #[test]
    fn an_address_counts_once_however_it_is_spelt() {
        let peer = |text: &str| Key::peer(text.parse().expect("an address"));
        assert_eq!(peer("::ffff:192.0.2.1"), peer("192.0.2.1"));
        assert_eq!(peer("2001:db8::1"), peer("2001:db8::ffff:2"));
        assert_ne!(peer("2001:db8::1"), peer("2001:db8:0:1::1"));
        assert_ne!(peer("192.0.2.1"), peer("192.0.2.2"));
    }

    #[tokio::test]
    async fn s22_reports_are_sent_away_before_polls() {
        let limits = Limits::new(Rates { at_once: 8, ..Rates::default() });
        let mut held = Vec::new();
        for _ in 0..2 {
            held.push(limits.place(Traffic::Report).await.expect("a place"));
        }
        let refusal = limits.place(Traffic::Report).await.expect_err("no more reports");
        assert_eq!((refusal.code, refusal.retry_after), ("busy", Some(60)));
        for _ in 0..6 {
            held.push(limits.place(Traffic::Poll).await.expect("polls still go"));
        }
        let refusal = limits.place(Traffic::Poll).await.expect_err("now all places are taken");
        assert_eq!(refusal.retry_after, Some(10));
        drop(held);
        assert!(limits.place(Traffic::Report).await.is_ok());
    }
}
