//! As much of HTTP/1.1 as a model needs: one request per connection, one answer.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// What a client sent.
pub struct Message {
    /// `GET`, `POST`, …
    pub method: String,
    /// With its query.
    pub path: String,
    /// Whole.
    pub body: Vec<u8>,
}

/// What it gets.
pub struct Response {
    /// 200 or 404.
    pub status: u16,
    /// Its media type.
    pub content_type: &'static str,
    /// Whole.
    pub body: String,
}

impl Response {
    /// A JSON document.
    pub fn json(body: &serde_json::Value) -> Response {
        Response { status: 200, content_type: "application/json", body: body.to_string() }
    }

    /// Server-sent events, all at once: nobody here waits for a first word.
    pub fn events(body: String) -> Response {
        Response { status: 200, content_type: "text/event-stream", body }
    }

    /// For what we do not speak.
    pub fn not_found() -> Response {
        Response { status: 404, content_type: "application/json", body: "{}".to_owned() }
    }
}

/// Reads one request. `None`: the connection was opened and closed.
pub fn read(stream: &TcpStream) -> io::Result<Option<Message>> {
    // A client that stops in the middle of a request must not keep this thread.
    stream.set_read_timeout(Some(Duration::from_secs(60)))?;
    let mut reader = BufReader::new(stream);
    let first = line(&mut reader)?;
    let mut words = first.split_whitespace();
    let (Some(method), Some(path)) = (words.next(), words.next()) else { return Ok(None) };
    let mut length = 0;
    let mut chunked = false;
    loop {
        let header = line(&mut reader)?.to_ascii_lowercase();
        let Some((name, value)) = header.split_once(':') else { break };
        match name {
            "content-length" => length = value.trim().parse().map_err(|_| broken("content-length"))?,
            "transfer-encoding" => chunked = value.contains("chunked"),
            _ => {}
        }
    }
    let body = if chunked { chunks(&mut reader)? } else { exactly(&mut reader, length)? };
    Ok(Some(Message { method: method.to_owned(), path: path.to_owned(), body }))
}

/// Answers it.
pub fn write(mut stream: &TcpStream, response: &Response) -> io::Result<()> {
    let Response { status, content_type, body } = response;
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 {status} -\r\ncontent-type: {content_type}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    )?;
    stream.flush()
}

fn line(reader: &mut impl BufRead) -> io::Result<String> {
    let mut line = String::new();
    reader.read_line(&mut line)?;
    Ok(line.trim_end().to_owned())
}

fn exactly(reader: &mut impl Read, length: usize) -> io::Result<Vec<u8>> {
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(body)
}

fn chunks(reader: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let head = line(reader)?;
        let digits = head.split(';').next().unwrap_or_default().trim();
        let size = usize::from_str_radix(digits, 16).map_err(|_| broken("chunk size"))?;
        body.extend(exactly(reader, size)?);
        line(reader)?;
        if size == 0 {
            return Ok(body);
        }
    }
}

fn broken(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("not a {what}"))
}
