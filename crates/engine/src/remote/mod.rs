//! The daemon, as others see it: where its socket stands, what is said there,
//! and its client, which falls back to the engine in process.
//!
//! A daemon makes things faster and never decides whether a gate holds: absent,
//! slow, false, of another version or gone in the middle, each ends in the same
//! decision, made here.
//!
//! ```no_run
//! use boathook_engine::remote::{Remote, wire::Caller};
//! use boathook_engine::{Engine, Event, Os, Roots, Settings, input};
//!
//! let state = "/home/me/.local/state/boathook";
//! let engine = Engine::new(Settings::new(Roots::new(Os::current(), "/home/me", state, ["/home/me/project"])));
//! let caller = Caller {
//!     version: "0.1.0".into(),
//!     home: "/home/me".into(),
//!     config: "/home/me/.config/boathook/config.toml".into(),
//!     root: "/".into(),
//! };
//! let remote = Remote::new(state, caller);
//! let event = input::BeforeShellExecution { command: "git push --force".into(), ..Default::default() };
//! let asked = remote.handle_or_ask(&engine, Event::of(&event));
//! if asked.handled.blocked {
//!     println!("{}", asked.handled.model_text.unwrap_or_default());
//! }
//! ```

mod ask;
mod client;
mod connection;
mod lock;
pub mod place;
mod reason;
pub mod seat;
pub mod stream;
pub mod verbs;
pub mod wire;

use std::path::{Path, PathBuf};
use std::time::Duration;

pub use ask::Asked;
pub use client::Remote;
pub use reason::Reason;

/// The folder of the state directory that holds the daemon's socket and lock.
pub const FOLDER: &str = "daemon";
/// The socket's name in it.
pub const SOCKET: &str = "socket";
/// A daemon that is silent for so long is left. One that works says so every
/// `wire::BEAT`.
pub const PATIENCE: Duration = Duration::from_secs(3);

/// The file whose lock says who is the daemon; it holds the daemon's number.
pub const LOCK: &str = "lock";

/// Where the daemon of a state directory listens; on Windows the file that holds
/// the name of its pipe.
pub fn socket(state: &Path) -> PathBuf {
    state.join(FOLDER).join(SOCKET)
}

/// Where a daemon answers an agent that asks over HTTP.
pub fn agent_url(port: u16, agent: &str) -> String {
    format!("http://127.0.0.1:{port}/agents/{agent}")
}

/// The port in an address of that form, for this agent.
pub fn port_of(url: &str, agent: &str) -> Option<u16> {
    let rest = url.strip_prefix("http://127.0.0.1:")?;
    let port = rest.strip_suffix(agent)?.strip_suffix("/agents/")?;
    port.parse().ok().filter(|number: &u16| number.to_string() == port)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_of_an_agent_is_known_again() {
        assert_eq!(port_of(&agent_url(4711, "claude"), "claude"), Some(4711));
        for other in [
            "http://127.0.0.1:4711/agents/codex",
            "http://127.0.0.1:4711/agents/claude/x",
            "http://127.0.0.1:/agents/claude",
            "http://127.0.0.1:04711/agents/claude",
            "http://127.0.0.1:4711@evil.example/agents/claude",
            "https://127.0.0.1:4711/agents/claude",
            "http://localhost:4711/agents/claude",
        ] {
            assert_eq!(port_of(other, "claude"), None, "{other}");
        }
    }
}
