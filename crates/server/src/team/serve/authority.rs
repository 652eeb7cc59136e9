//! An authority of our own: a key and a certificate in a folder, which vouch
//! for the server's certificates. Clients are given the certificate once.
//!
//! Each start makes a new certificate for the server; only the authority stays.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, SystemTime};

use graviola::hashing::Sha256;
use graviola::signing::ecdsa::{P256, SigningKey};
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyIdMethod,
    KeyUsagePurpose, PKCS_ECDSA_P256_SHA256, PublicKeyData, SerialNumber, SignatureAlgorithm,
};
use rustls::sign::CertifiedKey;
use rustls_pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};

use super::certificate::provider;
use super::error::ServeError;

/// What clients are given, in PEM.
pub const CERTIFICATE: &str = "authority.pem";
/// What stays here.
const KEY: &str = "authority.key";
const NAME: &str = "Boathook team server's own authority";
/// So long an authority is good for.
const AUTHORITY_DAYS: u64 = 3650;
/// Systems refuse a server's certificate that is good for much longer.
const SERVER_DAYS: u64 = 390;
const DAY: Duration = Duration::from_hours(24);

/// A certificate for these names, by the authority in this folder, which is
/// made when there is none.
pub fn issue(folder: &Path, names: &[String]) -> Result<CertifiedKey, ServeError> {
    let failed = |error: &dyn std::fmt::Display| ServeError::tls(&folder.display().to_string(), error);
    let authority = kept(folder).map_err(|error| failed(&error))?;
    let vouching = params(vec![], AUTHORITY_DAYS).map_err(|error| failed(&error))?;
    let issuer = Issuer::new(as_authority(vouching, &authority), authority);
    let own = Pair::new().map_err(|error| failed(&error))?;
    let mut params = params(names.to_vec(), SERVER_DAYS).map_err(|error| failed(&error))?;
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.use_authority_key_identifier_extension = true;
    params.distinguished_name.push(DnType::CommonName, names.first().map_or("localhost", String::as_str));
    let signed = params.signed_by(&own, &issuer).map_err(|error| failed(&error))?;
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(own.pkcs8().map_err(|error| failed(&error))?));
    CertifiedKey::from_der(vec![signed.der().clone()], key, &provider()).map_err(|error| failed(&error))
}

/// The authority's key from its folder; made there when there is none.
fn kept(folder: &Path) -> io::Result<Pair> {
    let (key, certificate) = (folder.join(KEY), folder.join(CERTIFICATE));
    match fs::read(&key) {
        Ok(bytes) if certificate.exists() => Pair::of(&bytes),
        Ok(_) => Err(io::Error::other(format!("{KEY} is there and {CERTIFICATE} is not; remove both"))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => make(folder),
        Err(error) => Err(error),
    }
}

fn make(folder: &Path) -> io::Result<Pair> {
    fs::create_dir_all(folder)?;
    let pair = Pair::new()?;
    let params = as_authority(params(vec![], AUTHORITY_DAYS).map_err(io::Error::other)?, &pair);
    let certificate = params.self_signed(&pair).map_err(io::Error::other)?;
    // Nobody has the key without its certificate, whenever we are killed.
    let mut public = File::create(folder.join(CERTIFICATE))?;
    public.write_all(certificate.pem().as_bytes())?;
    public.sync_all()?;
    let mut private = private_file(&folder.join(KEY))?;
    private.write_all(&pair.pkcs8()?)?;
    private.sync_all()?;
    Ok(pair)
}

#[cfg(unix)]
fn private_file(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    File::options().write(true).create_new(true).mode(0o600).open(path)
}

#[cfg(not(unix))]
fn private_file(path: &Path) -> io::Result<File> {
    File::options().write(true).create_new(true).open(path)
}

fn params(names: Vec<String>, days: u64) -> Result<CertificateParams, rcgen::Error> {
    let mut params = CertificateParams::new(names)?;
    let now = SystemTime::from(jiff::Timestamp::now());
    // A client whose clock is a little behind must not be turned away.
    params.not_before = (now - DAY).into();
    params.not_after = (now + DAY * u32::try_from(days).unwrap_or(u32::MAX)).into();
    let mut number = [0; 16];
    getrandom::fill(&mut number).map_err(|_| rcgen::Error::RemoteKeyError)?;
    number[0] &= 0x7f;
    params.serial_number = Some(SerialNumber::from_slice(&number));
    params.key_identifier_method = KeyIdMethod::PreSpecified(number.to_vec());
    Ok(params)
}

/// The same name and key number for the same key, so that what it signed later
/// leads to the certificate that was handed out.
fn as_authority(mut params: CertificateParams, pair: &Pair) -> CertificateParams {
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::DigitalSignature];
    params.distinguished_name.push(DnType::CommonName, NAME);
    params.key_identifier_method = KeyIdMethod::PreSpecified(pair.public[1..21].to_vec());
    params
}

/// A pair of keys that signs with the cryptography of this build.
struct Pair {
    key: SigningKey<P256>,
    /// The point on the curve: the last 65 bytes of what describes the key.
    public: Vec<u8>,
}

impl Pair {
    fn new() -> io::Result<Pair> {
        Pair::with(SigningKey::<P256>::generate())
    }

    fn of(pkcs8: &[u8]) -> io::Result<Pair> {
        Pair::with(SigningKey::<P256>::from_pkcs8_der(pkcs8))
    }

    fn with(key: Result<SigningKey<P256>, graviola::Error>) -> io::Result<Pair> {
        let key = key.map_err(|_| io::Error::other(format!("{KEY} holds no key")))?;
        let mut buffer = [0; 256];
        let described = key.to_spki_der(&mut buffer).map_err(|_| io::Error::other("no room for a key"))?;
        let public = described[described.len().saturating_sub(65)..].to_vec();
        Ok(Pair { key, public })
    }

    fn pkcs8(&self) -> io::Result<Vec<u8>> {
        let mut buffer = [0; 512];
        let bytes = self.key.to_pkcs8_der(&mut buffer).map_err(|_| io::Error::other("no room for a key"))?;
        Ok(bytes.to_vec())
    }
}

impl PublicKeyData for Pair {
    fn der_bytes(&self) -> &[u8] {
        &self.public
    }

    fn algorithm(&self) -> &'static SignatureAlgorithm {
        &PKCS_ECDSA_P256_SHA256
    }
}

impl rcgen::SigningKey for Pair {
    fn sign(&self, message: &[u8]) -> Result<Vec<u8>, rcgen::Error> {
        let mut buffer = [0; 128];
        let signature = self.key.sign_asn1::<Sha256>(&[message], &mut buffer);
        signature.map(<[u8]>::to_vec).map_err(|_| rcgen::Error::RemoteKeyError)
    }
}
