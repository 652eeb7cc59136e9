//! Certificates that a test makes for itself: an authority and a server.

use std::sync::Arc;

use boathook_server::team::api::secret::base64url;
use graviola::hashing::Sha256;
use graviola::signing::ecdsa::{P256, SigningKey};
use rcgen::{
    BasicConstraints, Certificate, CertificateParams, IsCa, Issuer, KeyIdMethod, PKCS_ECDSA_P256_SHA256,
    PublicKeyData, SerialNumber, SignatureAlgorithm,
};
use rustls::ServerConfig;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};

/// A server for this name, and the certificate of the authority that vouches
/// for it, in PEM.
pub fn server_for(name: &str) -> (ServerConfig, String) {
    server(params(name, 2))
}

/// The same, with a certificate that ended long ago.
pub fn expired_server_for(name: &str) -> (ServerConfig, String) {
    let mut params = params(name, 2);
    params.not_before = rcgen::date_time_ymd(2001, 1, 1);
    params.not_after = rcgen::date_time_ymd(2002, 1, 1);
    server(params)
}

/// A certificate for this name as files hold it: itself, its key, and the
/// authority that vouches for it, all in PEM.
pub fn files_for(name: &str) -> [String; 3] {
    let (certificate, key, authority) = issued(params(name, 2));
    let plain: String = base64url(&key.pkcs8()).replace('-', "+").replace('_', "/");
    let padding = "=".repeat((4 - plain.len() % 4) % 4);
    let key = format!("-----BEGIN PRIVATE KEY-----\n{plain}{padding}\n-----END PRIVATE KEY-----\n");
    [certificate.pem(), key, authority.pem()]
}

fn server(wanted: CertificateParams) -> (ServerConfig, String) {
    let (server, server_key, authority) = issued(wanted);
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(server_key.pkcs8()));
    let config = ServerConfig::builder_with_provider(Arc::new(rustls_graviola::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(vec![server.der().clone()], key)
        .expect("a server");
    (config, authority.pem())
}

/// A certificate and its key, and the authority's certificate.
fn issued(wanted: CertificateParams) -> (Certificate, Pair, Certificate) {
    let (authority_key, server_key) = (Pair::new(), Pair::new());
    let mut params = params("authority.test", 1);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority: Certificate = params.self_signed(&authority_key).expect("a certificate");
    let issuer = Issuer::new(params, authority_key);
    let server = wanted.signed_by(&server_key, &issuer).expect("a certificate");
    (server, server_key, authority)
}

fn params(name: &str, number: u64) -> CertificateParams {
    let mut params = CertificateParams::new(vec![name.to_owned()]).expect("a name");
    params.serial_number = Some(SerialNumber::from(number));
    params.key_identifier_method = KeyIdMethod::PreSpecified(number.to_be_bytes().to_vec());
    params.distinguished_name.push(rcgen::DnType::CommonName, name);
    params
}

/// A pair of keys that signs with the cryptography the binary is built with.
struct Pair {
    key: SigningKey<P256>,
    /// The point on the curve: the last 65 bytes of what describes the key.
    public: Vec<u8>,
}

impl Pair {
    fn new() -> Pair {
        let key = SigningKey::<P256>::generate().expect("a key");
        let mut buffer = [0; 256];
        let described = key.to_spki_der(&mut buffer).expect("room");
        let public = described[described.len() - 65..].to_vec();
        Pair { key, public }
    }

    fn pkcs8(&self) -> Vec<u8> {
        self.key.to_pkcs8_der(&mut [0; 512]).expect("room").to_vec()
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
