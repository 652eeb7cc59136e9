//! HTTP/1.1 over one connection that is kept: as much of it as a device needs.

use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// Longer than the server takes for anything.
const PATIENCE: Duration = Duration::from_secs(30);

/// A connection to the server.
pub struct Connection {
    stream: BufReader<TcpStream>,
}

/// What is asked.
pub struct Request<'a> {
    /// `GET` or `POST`.
    pub method: &'a str,
    /// With its leading slash.
    pub path: &'a str,
    /// Who asks.
    pub token: &'a str,
    /// The version that is already here.
    pub etag: Option<&'a str>,
    /// JSON; empty where there is none.
    pub body: &'a str,
}

/// What the server said.
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The version.
    pub etag: String,
    /// The body.
    pub body: Vec<u8>,
}

impl<'a> Request<'a> {
    /// Of a file.
    pub fn get(path: &'a str, token: &'a str) -> Request<'a> {
        Request { method: "GET", path, token, etag: None, body: "" }
    }

    /// With JSON.
    pub fn post(path: &'a str, token: &'a str, body: &'a str) -> Request<'a> {
        Request { method: "POST", path, token, etag: None, body }
    }
}

impl Connection {
    /// A new one.
    pub fn open(address: SocketAddr) -> io::Result<Connection> {
        let stream = TcpStream::connect_timeout(&address, PATIENCE)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        Ok(Connection { stream: BufReader::new(stream) })
    }

    /// Asks, and waits for the answer.
    pub fn ask(&mut self, request: &Request<'_>) -> io::Result<Answer> {
        let Request { method, path, token, etag, body } = request;
        let mut text =
            format!("{method} {path} HTTP/1.1\r\nHost: fleet\r\nAuthorization: Bearer {token}\r\n");
        if let Some(etag) = etag {
            text.push_str(&format!("If-None-Match: {etag}\r\n"));
        }
        if !body.is_empty() {
            let length = body.len();
            text.push_str(&format!("Content-Type: application/json\r\nContent-Length: {length}\r\n"));
        }
        text.push_str("\r\n");
        text.push_str(body);
        self.stream.get_mut().write_all(text.as_bytes())?;
        self.answer()
    }

    fn answer(&mut self) -> io::Result<Answer> {
        let first = self.line()?;
        let status = first.split(' ').nth(1).and_then(|word| word.parse().ok());
        let status = status.ok_or_else(|| io::Error::new(ErrorKind::InvalidData, "no status"))?;
        let mut answer = Answer { status, etag: String::new(), body: Vec::new() };
        loop {
            let line = self.line()?;
            let Some((name, value)) = line.split_once(':') else { break };
            match name.to_ascii_lowercase().as_str() {
                "etag" => answer.etag = value.trim().to_owned(),
                // An answer without a body may still say how long it would be.
                "content-length" if ![204, 304].contains(&status) => {
                    answer.body = vec![0; value.trim().parse().unwrap_or(0)];
                }
                _ => {}
            }
        }
        self.stream.read_exact(&mut answer.body)?;
        Ok(answer)
    }

    fn line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        match self.stream.read_line(&mut line)? {
            0 => Err(ErrorKind::UnexpectedEof.into()),
            _ => Ok(line.trim_end().to_owned()),
        }
    }
}
