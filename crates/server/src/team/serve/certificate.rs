//! The server's certificate: from files of somebody else's, read again when
//! they change, or from an authority of our own.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, SystemTime};

use rustls::crypto::CryptoProvider;
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use rustls::{ServerConfig, version};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};

use super::authority;
use super::error::ServeError;

/// How often it is looked whether the files changed,
const LOOK: Duration = Duration::from_secs(2);
/// and how often our own authority makes another one.
const RENEW: Duration = Duration::from_hours(24 * 30);

/// Where the certificate comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tls {
    /// Nowhere: plain HTTP.
    None,
    /// Two files in PEM.
    Files {
        /// The server's certificate, then those that lead to the authority.
        certificate: PathBuf,
        /// Its private key.
        key: PathBuf,
    },
    /// An authority of our own, kept in this folder.
    SelfSigned(PathBuf),
}

/// What connections are encrypted with, and how it stays current.
#[derive(Debug)]
pub struct Encryption {
    /// For every connection.
    pub config: Arc<ServerConfig>,
    /// What clients are given to recognise our own authority by.
    pub authority: Option<PathBuf>,
    current: Arc<Current>,
    from: From,
}

#[derive(Debug)]
enum From {
    Files { certificate: PathBuf, key: PathBuf },
    Authority { folder: PathBuf, names: Vec<String> },
}

/// The certificate of the moment.
#[derive(Debug)]
struct Current(RwLock<Arc<CertifiedKey>>);

impl ResolvesServerCert for Current {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner)))
    }
}

impl Encryption {
    /// Reads or makes the certificate for these names; nothing for plain HTTP.
    pub fn new(tls: &Tls, names: Vec<String>) -> Result<Option<Encryption>, ServeError> {
        let (from, authority) = match tls {
            Tls::None => return Ok(None),
            Tls::Files { certificate, key } => {
                (From::Files { certificate: certificate.clone(), key: key.clone() }, None)
            }
            Tls::SelfSigned(folder) => {
                (From::Authority { folder: folder.clone(), names }, Some(folder.join(authority::CERTIFICATE)))
            }
        };
        let current = Arc::new(Current(RwLock::new(Arc::new(from.read()?))));
        let mut config = ServerConfig::builder_with_provider(Arc::new(provider()))
            .with_protocol_versions(&[&version::TLS13, &version::TLS12])
            .map_err(|error| ServeError::tls("this build", &error))?
            .with_no_client_auth()
            .with_cert_resolver(Arc::clone(&current) as Arc<dyn ResolvesServerCert>);
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Some(Encryption { config: Arc::new(config), authority, current, from }))
    }

    /// Takes a changed certificate for the connections to come. One that cannot
    /// be read changes nothing: whoever replaces two files is seen in between.
    pub async fn keep_current(self) {
        let mut seen = self.from.stamp();
        loop {
            let wait = match self.from {
                From::Files { .. } => LOOK,
                From::Authority { .. } => RENEW,
            };
            tokio::time::sleep(wait).await;
            let now = self.from.stamp();
            if now == seen && matches!(self.from, From::Files { .. }) {
                continue;
            }
            // What cannot be read is said once, and read again when it changes.
            seen = now;
            match self.from.read() {
                Ok(key) => {
                    *self.current.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(key);
                    tracing::info!("a new certificate is in use");
                }
                Err(error) => tracing::warn!(%error, "the old certificate stays in use"),
            }
        }
    }
}

impl From {
    fn read(&self) -> Result<CertifiedKey, ServeError> {
        match self {
            From::Files { certificate, key } => of_files(certificate, key),
            From::Authority { folder, names } => authority::issue(folder, names),
        }
    }

    /// What changes when the files do.
    fn stamp(&self) -> Vec<Option<(SystemTime, u64)>> {
        match self {
            From::Files { certificate, key } => [certificate, key].map(|file| stamp(file).ok()).to_vec(),
            From::Authority { .. } => Vec::new(),
        }
    }
}

fn stamp(file: &Path) -> io::Result<(SystemTime, u64)> {
    let metadata = fs::metadata(file)?;
    Ok((metadata.modified()?, metadata.len()))
}

fn of_files(certificate: &Path, key: &Path) -> Result<CertifiedKey, ServeError> {
    let shown = certificate.display().to_string();
    let chain = CertificateDer::pem_file_iter(certificate)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| ServeError::tls(&shown, &error))?;
    if chain.is_empty() {
        return Err(ServeError::tls(&shown, &"there is no certificate in it"));
    }
    let private = PrivateKeyDer::from_pem_file(key)
        .map_err(|error| ServeError::tls(&key.display().to_string(), &error))?;
    // The key must be the certificate's: that is looked at here.
    CertifiedKey::from_der(chain, private, &provider())
        .map_err(|error| ServeError::tls(&format!("{shown} and {}", key.display()), &error))
}

/// The cryptography of this build.
pub fn provider() -> CryptoProvider {
    rustls_graviola::default_provider()
}
