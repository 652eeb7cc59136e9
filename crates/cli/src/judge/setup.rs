//! The `[judge]` table of config.toml. Only the user's own file has one: no
//! file of a project chooses where payloads and keys are sent.

use std::path::PathBuf;

use serde::Deserialize;

use super::provider::Provider;
use crate::https::Endpoint;

/// A judge that can be asked.
#[derive(Debug)]
pub struct Setup {
    pub provider: Provider,
    pub endpoint: Endpoint,
    /// Asked where an entry names none.
    pub model: String,
    pub key: KeySource,
    /// The only certificate authorities that count, in PEM.
    pub ca_file: Option<PathBuf>,
    /// The proxy that requests go through.
    pub proxy: Option<String>,
}

/// Where the key comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeySource {
    /// None is sent.
    None,
    /// A variable of the environment.
    Variable(String),
    /// What a command prints.
    Command(String),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    provider: Provider,
    model: Option<String>,
    endpoint: Option<String>,
    key_env: Option<String>,
    key_command: Option<String>,
    ca_file: Option<PathBuf>,
    proxy: Option<String>,
    #[serde(default)]
    allow_http: bool,
}

impl Setup {
    /// Reads the table; an error says what to write instead.
    pub fn read(table: toml::Value) -> Result<Setup, String> {
        let table: Table = table.try_into().map_err(|error: toml::de::Error| error.message().to_owned())?;
        let endpoint = Endpoint::parse(table.endpoint.as_deref().unwrap_or(table.provider.home()))
            .map_err(|problem| format!("endpoint: {problem}"))?;
        if !endpoint.is_safe() && !table.allow_http {
            return Err(format!(
                "endpoint: {endpoint} would send payloads and the key unencrypted; write https, or `allow_http = true` if that is meant"
            ));
        }
        let model = table.model.filter(|model| !model.trim().is_empty());
        let model = model.ok_or("`model` is missing; write the name of a small, fast model")?;
        let own_endpoint = table.endpoint.is_some();
        let key = match (table.key_env, table.key_command) {
            (Some(_), Some(_)) => return Err("write `key_env` or `key_command`, not both".to_owned()),
            (Some(name), None) => KeySource::Variable(name),
            (None, Some(command)) => KeySource::Command(command),
            // The usual variable holds the key of the usual address, and is
            // sent nowhere else unless somebody says so.
            (None, None) => match table.provider.key_variable() {
                Some(name) if !own_endpoint => KeySource::Variable(name.to_owned()),
                Some(_) | None => KeySource::None,
            },
        };
        let proxy = table.proxy.filter(|_| !endpoint.is_loopback());
        Ok(Setup { provider: table.provider, endpoint, model, key, ca_file: table.ca_file, proxy })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Setup, String> {
        Setup::read(toml::from_str(text).expect("TOML"))
    }

    #[test]
    fn each_provider_has_its_defaults() {
        let variable = |name: &str| KeySource::Variable(name.to_owned());
        let cases = [
            ("anthropic", "", "https://api.anthropic.com", variable("ANTHROPIC_API_KEY")),
            ("openai", "", "https://api.openai.com/v1", variable("OPENAI_API_KEY")),
            ("ollama", "", "http://127.0.0.1:11434", KeySource::None),
            ("anthropic", "key_env='K'", "https://api.anthropic.com", variable("K")),
            ("ollama", "key_env='K'\nendpoint='https://x'", "https://x", variable("K")),
            ("openai", "endpoint='https://x/v1/'", "https://x/v1", KeySource::None),
            (
                "openai",
                "key_command='pass x'",
                "https://api.openai.com/v1",
                KeySource::Command("pass x".into()),
            ),
        ];
        for (provider, more, endpoint, key) in cases {
            let setup = read(&format!("provider='{provider}'\nmodel='m'\n{more}")).expect(more);
            assert_eq!(
                (setup.endpoint.to_string().as_str(), &setup.key),
                (endpoint, &key),
                "{provider} {more}"
            );
        }
    }

    #[test]
    fn a_mistake_says_what_to_write_instead() {
        let cases = [
            ("model='m'", "missing field `provider`"),
            (
                "provider='gpt'\nmodel='m'",
                "unknown variant `gpt`, expected one of `anthropic`, `openai`, `ollama`",
            ),
            ("provider='ollama'", "`model` is missing"),
            ("provider='ollama'\nmodel=' '", "`model` is missing"),
            ("provider='ollama'\nmodle='m'", "unknown field `modle`"),
            ("provider='ollama'\nmodel='m'\nendpoint='ftp://x'", "endpoint: `ftp://x` begins with neither"),
            (
                "provider='ollama'\nmodel='m'\nendpoint='http://example.org'",
                "unencrypted; write https, or `allow_http",
            ),
            ("provider='openai'\nmodel='m'\nkey_env='A'\nkey_command='b'", "not both"),
        ];
        for (text, expected) in cases {
            let problem = read(text).expect_err(text);
            assert!(problem.contains(expected), "{text}: {problem}");
        }
        assert!(read("provider='ollama'\nmodel='m'\nendpoint='http://example.org'\nallow_http=true").is_ok());
    }
}
