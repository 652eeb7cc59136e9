//! `boathook serve --tls-cert`: a certificate that is replaced while the server
//! runs is what the next connection gets, and no connection is lost by it.

#![cfg(unix)]

use std::fs;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use crate::model::certificates::files_for;
use crate::serving::{PATIENCE, Person, Server};

const NAME: &str = "localhost";
/// What the log says of a certificate that is none.
const STAYS: &str = "the old certificate stays in use";
const NEW: &str = "a new certificate is in use";

/// A connection of somebody who believes this authority alone.
struct Talk(StreamOwned<ClientConnection, TcpStream>);

impl Talk {
    fn with(server: &Server, authority: &str) -> io::Result<Talk> {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(authority.as_bytes()).expect("PEM")).expect("an authority");
        let config = ClientConfig::builder_with_provider(Arc::new(rustls_graviola::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_root_certificates(roots)
            .with_no_client_auth();
        let name = ServerName::try_from(NAME).expect("a name");
        let client = ClientConnection::new(Arc::new(config), name).expect("a client");
        let (_, port) = server.url.rsplit_once(':').expect("a port");
        let stream = TcpStream::connect(("127.0.0.1", port.parse::<u16>().expect("a port")))?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let mut talk = Talk(StreamOwned::new(client, stream));
        talk.asks()?;
        Ok(talk)
    }

    /// A request on this connection, which stays open.
    fn asks(&mut self) -> io::Result<()> {
        self.0.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")?;
        let mut answer = Vec::new();
        let ends = |answer: &[u8]| {
            let text = String::from_utf8_lossy(answer).into_owned();
            let (head, body) = text.split_once("\r\n\r\n")?;
            let length = head
                .lines()
                .find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok());
            (body.len() >= length.unwrap_or(0)).then_some(())
        };
        while ends(&answer).is_none() {
            let mut piece = [0; 1024];
            match self.0.read(&mut piece)? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                read => answer.extend_from_slice(&piece[..read]),
            }
        }
        assert!(answer.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&answer));
        Ok(())
    }
}

/// Puts a certificate and its key in the place of others.
type Replace = fn(folder: &Path, pair: [&str; 2]);

fn written_over(folder: &Path, pair: [&str; 2]) {
    for (name, text) in ["server.pem", "server.key"].iter().zip(pair) {
        fs::write(folder.join(name), text).expect("written");
    }
}

fn renamed(folder: &Path, pair: [&str; 2]) {
    for (name, text) in ["server.pem", "server.key"].iter().zip(pair) {
        fs::write(folder.join("new"), text).expect("written");
        fs::rename(folder.join("new"), folder.join(name)).expect("renamed");
    }
}

/// As containers get it: both are links into a folder that another takes the place of.
fn linked(folder: &Path, pair: [&str; 2]) {
    let store = folder.join("store");
    fs::create_dir(&store).expect("a folder");
    for (name, text) in ["server.pem", "server.key"].iter().zip(pair) {
        fs::write(store.join(name), text).expect("written");
        fs::remove_file(folder.join(name)).expect("removed");
        symlink(store.join(name), folder.join(name)).expect("a link");
    }
}

#[test]
fn a_certificate_that_is_replaced_is_what_the_next_connection_gets() {
    let person = Person::new();
    let folder: PathBuf = person.path("server");
    let [certificate, key, mut believed] = files_for(NAME);
    written_over(&folder, [&certificate, &key]);
    let path = |name: &str| folder.join(name).display().to_string();
    let (database, certificate, key) = (person.database(), path("server.pem"), path("server.key"));
    let server =
        Server::start(&person, &["--database", &database, "--tls-cert", &certificate, "--tls-key", &key]);
    let mut first = Talk::with(&server, &believed).expect("the first certificate");

    let ways: [(&str, Replace); 3] =
        [("written over", written_over), ("renamed", renamed), ("links", linked)];
    for (name, replace) in ways {
        // Half of a change is none: what is no certificate, and one without its key.
        let [certificate, key, authority] = files_for(NAME);
        for half in ["-----BEGIN CERTIFICATE-----\nhalf", certificate.as_str()] {
            fs::write(folder.join("server.pem"), half).expect("written");
            server.logs(STAYS);
            Talk::with(&server, &believed).unwrap_or_else(|error| panic!("{name}: the old one: {error}"));
        }
        replace(&folder, [&certificate, &key]);
        server.logs(NEW);
        Talk::with(&server, &authority).unwrap_or_else(|error| panic!("{name}: the new one: {error}"));
        assert!(Talk::with(&server, &believed).is_err(), "{name}: the old one is no longer shown");
        first.asks().unwrap_or_else(|error| panic!("{name}: who was connected stays so: {error}"));
        believed = authority;
    }
}
