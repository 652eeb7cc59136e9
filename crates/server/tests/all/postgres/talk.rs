//! The few words of PostgreSQL's protocol that it takes to have one statement
//! done by a server that trusts whoever reaches its socket.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

/// Has one statement done.
pub fn ask(socket: &Path, database: &str, statement: &str) -> io::Result<()> {
    let mut stream = UnixStream::connect(socket)?;
    stream.set_read_timeout(Some(Duration::from_secs(60)))?;
    let mut hello = 196_608i32.to_be_bytes().to_vec();
    for word in ["user", "boathook", "database", database, ""] {
        hello.extend_from_slice(word.as_bytes());
        hello.push(0);
    }
    stream.write_all(&framed(None, &hello)?)?;
    until_ready(&mut stream)?;
    stream.write_all(&framed(Some(b'Q'), format!("{statement}\0").as_bytes())?)?;
    until_ready(&mut stream)
}

fn framed(kind: Option<u8>, body: &[u8]) -> io::Result<Vec<u8>> {
    let length = i32::try_from(body.len() + 4).map_err(io::Error::other)?;
    let mut message: Vec<u8> = kind.into_iter().collect();
    message.extend_from_slice(&length.to_be_bytes());
    message.extend_from_slice(body);
    Ok(message)
}

/// Reads what the server says until it waits for the next word.
fn until_ready(stream: &mut UnixStream) -> io::Result<()> {
    let mut refusal = None;
    loop {
        let mut head = [0; 5];
        if let Err(error) = stream.read_exact(&mut head) {
            return Err(refusal.unwrap_or(error));
        }
        let [kind, a, b, c, d] = head;
        let length = u32::from_be_bytes([a, b, c, d]).saturating_sub(4);
        let mut body = vec![0; usize::try_from(length).map_err(io::Error::other)?];
        stream.read_exact(&mut body)?;
        match kind {
            b'E' => refusal = Some(io::Error::other(String::from_utf8_lossy(&body).replace('\0', " "))),
            b'Z' => return refusal.map_or(Ok(()), Err),
            _ => {}
        }
    }
}
