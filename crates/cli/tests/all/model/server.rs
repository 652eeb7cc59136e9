//! A server on this machine that behaves as badly as a test wants.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::Value;

/// One connection, encrypted or not.
pub trait Stream: Read + Write {}
impl<T: Read + Write> Stream for T {}

/// What to do with the connection of a request.
pub type Behaviour = Arc<dyn Fn(&Request, &mut dyn Stream) + Send + Sync>;

/// A request as it was received.
#[derive(Debug, Clone)]
pub struct Request {
    /// The request line.
    pub line: String,
    /// Names in small letters.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// How many came before it.
    pub before: usize,
}

impl Request {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("the body of a request is JSON")
    }
}

/// It lives as long as the test's process.
pub struct Server {
    address: SocketAddr,
    scheme: &'static str,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    pub fn start(behaviour: Behaviour) -> Server {
        Server::listen("http", behaviour, |stream| Box::new(stream))
    }

    pub fn encrypted(config: ServerConfig, behaviour: Behaviour) -> Server {
        let config = Arc::new(config);
        Server::listen("https", behaviour, move |stream| {
            let connection = ServerConnection::new(Arc::clone(&config)).expect("a connection");
            Box::new(StreamOwned::new(connection, stream))
        })
    }

    fn listen(
        scheme: &'static str,
        behaviour: Behaviour,
        dress: impl Fn(TcpStream) -> Box<dyn Stream> + Send + Sync + 'static,
    ) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (received, dress) = (Arc::clone(&requests), Arc::new(dress));
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (received, dress, behaviour) =
                    (Arc::clone(&received), Arc::clone(&dress), Arc::clone(&behaviour));
                thread::spawn(move || serve(&mut *dress(stream), &received, &behaviour));
            }
        });
        Server { address, scheme, requests }
    }

    pub fn url(&self) -> String {
        format!("{}://{}", self.scheme, self.address)
    }

    /// Every request so far.
    pub fn requests(&self) -> Vec<Request> {
        self.requests.lock().expect("nobody panicked").clone()
    }
}

fn serve(stream: &mut dyn Stream, received: &Mutex<Vec<Request>>, behaviour: &Behaviour) {
    // A client that refuses our certificate sends no request.
    let Some(mut request) = read_request(stream) else { return };
    {
        let mut received = received.lock().expect("nobody panicked");
        request.before = received.len();
        received.push(request.clone());
    }
    behaviour(&request, stream);
    let _ = stream.flush();
}

fn read_request(stream: &mut dyn Stream) -> Option<Request> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).ok()?;
        head.extend(byte);
    }
    let head = String::from_utf8(head).ok()?;
    let mut lines = head.lines();
    let line = lines.next()?.to_owned();
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
        .collect();
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let mut body = vec![0; length.and_then(|(_, length)| length.parse().ok()).unwrap_or(0)];
    stream.read_exact(&mut body).ok()?;
    Some(Request { line, headers, body, before: 0 })
}

/// Answers every request alike.
pub fn answers(status: u16, headers: &'static str, body: impl Into<String>) -> Behaviour {
    let body = body.into();
    Arc::new(move |_, stream| answer(stream, status, headers, &body))
}

/// Writes one answer. `headers` are whole lines.
pub fn answer(stream: &mut dyn Stream, status: u16, headers: &str, body: &str) {
    let length = body.len();
    let _ = write!(stream, "HTTP/1.1 {status} X\r\ncontent-length: {length}\r\n{headers}\r\n{body}");
}

/// Writes these bytes and closes.
pub fn writes(bytes: &'static str) -> Behaviour {
    Arc::new(move |_, stream| drop(stream.write_all(bytes.as_bytes())))
}

/// Writes the first bytes, and then nothing until the client is gone.
pub fn hangs_after(bytes: &'static str) -> Behaviour {
    Arc::new(move |_, stream| {
        let _ = stream.write_all(bytes.as_bytes()).and_then(|()| stream.flush());
        wait_for_the_end(stream);
    })
}

/// Writes the first bytes, and then for ever the others, with a pause after each time.
pub fn never_ends(first: &'static str, then: &'static str, pause: std::time::Duration) -> Behaviour {
    Arc::new(move |_, stream| {
        let mut written = stream.write_all(first.as_bytes());
        while written.is_ok() {
            thread::sleep(pause);
            written = stream.write_all(then.as_bytes()).and_then(|()| stream.flush());
        }
    })
}

fn wait_for_the_end(stream: &mut dyn Stream) {
    let mut byte = [0];
    loop {
        match stream.read(&mut byte) {
            Ok(0) => return,
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}
