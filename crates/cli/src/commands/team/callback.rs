//! Waits for the browser to come back with a code: one page of this machine,
//! for one sign-in, reached from this machine alone.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

/// Where the browser comes back to.
pub struct Callback {
    listener: TcpListener,
    port: u16,
}

/// What came of a sign-in.
#[derive(Debug, PartialEq, Eq)]
pub enum Came {
    /// The code, to be exchanged for a token.
    Code(String),
    /// The person, or the server, said no.
    Refused(String),
    /// Nobody came in time.
    Nobody,
}

/// The path of the page.
const PATH: &str = "/signed-in";
/// The longest head of a request that is read.
const LONGEST: usize = 16 * 1024;
/// A browser that says nothing for so long holds nobody.
const PATIENCE: Duration = Duration::from_secs(2);
/// How often it is looked whether somebody came.
const LOOK_UP: Duration = Duration::from_millis(50);

impl Callback {
    pub fn new() -> io::Result<Callback> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let port = listener.local_addr()?.port();
        Ok(Callback { listener, port })
    }

    /// The address that the server sends the browser back to.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}{PATH}", self.port)
    }

    /// Waits for the browser that brings `state`. Whoever else comes is told
    /// nothing, and ends nothing: any program of this machine can knock.
    pub fn wait(&self, state: &str, patience: Duration) -> Came {
        let deadline = Instant::now() + patience;
        while Instant::now() < deadline {
            match self.listener.accept() {
                Ok((stream, _)) => {
                    if let Some(came) = self.hear(stream, state) {
                        return came;
                    }
                }
                Err(_) => thread::sleep(LOOK_UP),
            }
        }
        Came::Nobody
    }

    fn hear(&self, mut stream: TcpStream, state: &str) -> Option<Came> {
        let head = read_head(&mut stream).ok()?;
        let came = understood(&head, state, self.port);
        let page = match &came {
            Some(Came::Code(_)) => {
                page("200 OK", "You are signed in", "Go back to your terminal; this page can be closed.")
            }
            Some(Came::Refused(_)) => {
                page("200 OK", "You are not signed in", "Your terminal says why; this page can be closed.")
            }
            Some(Came::Nobody) | None => {
                page("404 Not Found", "Nothing is here", "This address is for one sign-in alone.")
            }
        };
        // The code was heard: a browser that is gone by now changes nothing.
        let _ = stream.write_all(page.as_bytes());
        came
    }
}

fn read_head(stream: &mut TcpStream) -> io::Result<String> {
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let deadline = Instant::now() + PATIENCE;
    let mut head = Vec::new();
    let mut piece = [0; 2048];
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        let read = stream.read(&mut piece)?;
        head.extend_from_slice(&piece[..read]);
        if read == 0 || head.len() > LONGEST || Instant::now() > deadline {
            return Err(ErrorKind::InvalidData.into());
        }
    }
    String::from_utf8(head).map_err(|_| ErrorKind::InvalidData.into())
}

/// None when this is not the browser that was sent.
fn understood(head: &str, state: &str, port: u16) -> Option<Came> {
    let mut lines = head.split("\r\n");
    let target = lines.next()?.strip_prefix("GET ")?.split(' ').next()?;
    // Another name for this address means another page that leads here.
    let host = lines.find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("host").then(|| value.trim().to_owned())
    });
    if host? != format!("127.0.0.1:{port}") {
        return None;
    }
    let query = target.strip_prefix(PATH)?.strip_prefix('?')?;
    let value = |wanted: &str| {
        let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        pairs.find(|(name, _)| *name == wanted).and_then(|(_, value)| decoded(value))
    };
    if value("state")? != state {
        return None;
    }
    match (value("code"), value("error")) {
        (_, Some(error)) => Some(Came::Refused(value("error_description").unwrap_or(error))),
        (Some(code), None) => Some(Came::Code(code)),
        (None, None) => None,
    }
}

/// A value of a query, as it was before it was put there.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let mut digit = || char::from(rest.next()?).to_digit(16).map(|digit| digit as u8);
                digit()? << 4 | digit()?
            }
            other => other,
        });
    }
    String::from_utf8(bytes).ok()
}

fn page(status: &str, title: &str, text: &str) -> String {
    let body = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Boathook</title><h1>{title}</h1><p>{text}</p></html>\n"
    );
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\nCache-Control: no-store\r\nContent-Security-Policy: default-src 'none'; frame-ancestors 'none'\r\nReferrer-Policy: no-referrer\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_browser_that_was_sent_brings_a_code() {
        let head = |target: &str, host: &str| format!("GET {target} HTTP/1.1\r\nHost: {host}\r\n\r\n");
        let ours = "127.0.0.1:4000";
        let cases = [
            ("a code", head("/signed-in?code=a%2Bb&state=s1", ours), Some(Came::Code("a+b".to_owned()))),
            (
                "a refusal",
                head("/signed-in?error=access_denied&state=s1", ours),
                Some(Came::Refused("access_denied".to_owned())),
            ),
            (
                "a refusal that says why",
                head("/signed-in?error=x&error_description=not+you&state=s1", ours),
                Some(Came::Refused("not you".to_owned())),
            ),
            ("another state", head("/signed-in?code=c&state=s2", ours), None),
            ("no state", head("/signed-in?code=c", ours), None),
            ("no code", head("/signed-in?state=s1", ours), None),
            ("another path", head("/favicon.ico", ours), None),
            ("another name", head("/signed-in?code=c&state=s1", "evil.example:4000"), None),
            ("no name", "GET /signed-in?code=c&state=s1 HTTP/1.1\r\n\r\n".to_owned(), None),
            ("another method", "POST /signed-in?code=c&state=s1 HTTP/1.1\r\n\r\n".to_owned(), None),
            ("broken escapes", head("/signed-in?code=%2&state=s1", ours), None),
            ("nothing", String::new(), None),
        ];
        for (name, head, expected) in cases {
            assert_eq!(understood(&head, "s1", 4000), expected, "{name}");
        }
    }

    #[test]
    fn others_who_knock_do_not_end_the_waiting() {
        let callback = Callback::new().expect("a port");
        let port = callback.port;
        let browser = thread::spawn(move || {
            // Who is slow to speak is let go without a word, and comes again.
            let say = |text: String| loop {
                let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).expect("a listener");
                stream.write_all(text.as_bytes()).expect("sent");
                let mut answer = String::new();
                let _ = stream.read_to_string(&mut answer);
                if !answer.is_empty() {
                    break answer;
                }
            };
            let host = format!("Host: 127.0.0.1:{port}\r\n\r\n");
            assert!(
                say(format!("GET /signed-in?code=x&state=other HTTP/1.1\r\n{host}"))
                    .starts_with("HTTP/1.1 404")
            );
            drop(TcpStream::connect((Ipv4Addr::LOCALHOST, port)).expect("a listener"));
            assert!(
                say(format!("GET /signed-in?code=x&state=right HTTP/1.1\r\n{host}"))
                    .starts_with("HTTP/1.1 200")
            );
        });
        assert_eq!(callback.wait("right", Duration::from_secs(60)), Came::Code("x".to_owned()));
        browser.join().expect("the browser is content");
        assert_eq!(callback.wait("right", Duration::from_millis(1)), Came::Nobody);
    }
}
