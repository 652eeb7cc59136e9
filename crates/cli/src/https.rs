//! What every client of ours needs before it speaks: the way through a proxy,
//! and encryption.

mod endpoint;
mod proxy;

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use boathook_engine::read_file::{self, Owner};
use ureq::Proxy;
use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem};

pub use self::endpoint::Endpoint;
use self::proxy::proxy_for;

/// A process's variables.
pub type Environment = Vec<(OsString, OsString)>;

/// The proxy that the environment names for an endpoint, if there is one.
pub fn proxy(endpoint: &Endpoint, environment: &Environment) -> Result<Option<Proxy>, String> {
    let Some(address) = proxy_for(endpoint, environment) else { return Ok(None) };
    parse_proxy(&address).map(Some).map_err(|problem| format!("the proxy of the environment: {problem}"))
}

/// A proxy by its address. The address may hold a password, so no error repeats it.
pub fn parse_proxy(address: &str) -> Result<Proxy, String> {
    let wrong = "it is not an http:// or https:// address";
    let known = ["http://", "https://"].iter().any(|scheme| address.starts_with(scheme));
    if address.contains("://") && !known {
        return Err(wrong.to_owned());
    }
    Proxy::new(address).map_err(|_| wrong.to_owned())
}

/// Encryption that believes these certificates.
pub fn tls(roots: RootCerts) -> Result<TlsConfig, String> {
    if !processor_is_able() {
        return Err(
            "encryption needs a processor with AES and vector instructions of 2014 or later".to_owned()
        );
    }
    let provider = Arc::new(rustls_graviola::default_provider());
    Ok(TlsConfig::builder().unversioned_rustls_crypto_provider(provider).root_certs(roots).build())
}

/// The certificates in a file.
pub fn certificates(file: &Path) -> Result<Vec<Certificate<'static>>, String> {
    let wrong = |problem: String| format!("{}: {problem}", file.display());
    let read = read_file::read(file, read_file::CONFIG_LIMIT, Owner::Anybody);
    let bytes = read.map_err(|error| wrong(error.to_string()))?.bytes;
    let mut found = Vec::new();
    for item in parse_pem(&bytes) {
        if let PemItem::Certificate(certificate) = item.map_err(|error| wrong(error.to_string()))? {
            found.push(certificate);
        }
    }
    if found.is_empty() { Err(wrong("there is no certificate in it".to_owned())) } else { Ok(found) }
}

/// What the cryptography is written for; on less it would panic.
fn processor_is_able() -> bool {
    #[cfg(target_arch = "x86_64")]
    return is_x86_feature_detected!("aes")
        && is_x86_feature_detected!("ssse3")
        && is_x86_feature_detected!("avx")
        && is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("adx")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("pclmulqdq");
    #[cfg(target_arch = "aarch64")]
    return std::arch::is_aarch64_feature_detected!("neon")
        && std::arch::is_aarch64_feature_detected!("aes")
        && std::arch::is_aarch64_feature_detected!("pmull")
        && std::arch::is_aarch64_feature_detected!("sha2");
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    return false;
}
