//! Whether requests go through a proxy: the usual variables, and no other
//! source.
//!
//! `https_proxy` or `HTTPS_PROXY` for https, `http_proxy` for http (in small
//! letters only, as everywhere), else `all_proxy` or `ALL_PROXY`; `no_proxy`
//! or `NO_PROXY` names exceptions. This machine is never asked through one.

use super::Environment;
use super::endpoint::Endpoint;

/// The proxy's address, if there is one for this endpoint.
pub fn proxy_for(endpoint: &Endpoint, environment: &Environment) -> Option<String> {
    let first = |names: &[&str]| names.iter().find_map(|name| variable(environment, name));
    if endpoint.is_loopback() || first(&["no_proxy", "NO_PROXY"]).is_some_and(|list| excepts(&list, endpoint))
    {
        return None;
    }
    let own =
        if endpoint.encrypted { first(&["https_proxy", "HTTPS_PROXY"]) } else { first(&["http_proxy"]) };
    own.or_else(|| first(&["all_proxy", "ALL_PROXY"]))
}

/// A variable that is set to something.
fn variable(environment: &Environment, name: &str) -> Option<String> {
    let value = environment.iter().find(|(key, _)| key == name).map(|(_, value)| value)?;
    value.to_str().filter(|value| !value.is_empty()).map(str::to_owned)
}

/// Names with everything below them, with or without a port; `*` is all.
fn excepts(list: &str, endpoint: &Endpoint) -> bool {
    list.split(',').map(str::trim).filter(|entry| !entry.is_empty()).any(|entry| {
        let (name, port) = match entry.rsplit_once(':') {
            Some((name, port)) if !name.contains(':') => (name, port.parse().ok()),
            _ => (entry, None),
        };
        let name = name.trim_start_matches('*').trim_start_matches('.').to_ascii_lowercase();
        let fits = entry == "*" || endpoint.host == name || endpoint.host.ends_with(&format!(".{name}"));
        fits && port.is_none_or(|port: u16| port == endpoint.port)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_variables_decide() {
        let cases: &[(&str, &[(&str, &str)], Option<&str>)] = &[
            ("https://api.example.org", &[], None),
            ("https://api.example.org", &[("HTTPS_PROXY", "http://p")], Some("http://p")),
            ("https://api.example.org", &[("https_proxy", "")], None),
            ("https://api.example.org", &[("http_proxy", "http://p")], None),
            ("https://api.example.org", &[("ALL_PROXY", "http://p")], Some("http://p")),
            ("http://api.example.org", &[("http_proxy", "http://p")], Some("http://p")),
            ("http://api.example.org", &[("HTTP_PROXY", "http://p")], None),
            ("http://localhost:1", &[("ALL_PROXY", "http://p")], None),
            ("https://api.example.org", &[("ALL_PROXY", "http://p"), ("no_proxy", "a,.example.org")], None),
            ("https://api.example.org", &[("ALL_PROXY", "http://p"), ("NO_PROXY", "*")], None),
            (
                "https://api.example.org",
                &[("ALL_PROXY", "http://p"), ("NO_PROXY", "ample.org")],
                Some("http://p"),
            ),
            (
                "https://api.example.org",
                &[("ALL_PROXY", "http://p"), ("NO_PROXY", "api.example.org:8443")],
                Some("http://p"),
            ),
            (
                "https://api.example.org",
                &[("ALL_PROXY", "http://p"), ("NO_PROXY", "api.example.org:443")],
                None,
            ),
        ];
        for (endpoint, variables, expected) in cases {
            let environment = variables.iter().map(|(name, value)| (name.into(), value.into())).collect();
            let endpoint = Endpoint::parse(endpoint).expect("an address");
            assert_eq!(proxy_for(&endpoint, &environment).as_deref(), *expected, "{endpoint} {variables:?}");
        }
    }
}
