//! A panel that was started, and requests to it: bytes over a socket, so that
//! a test can send what no browser would.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Nothing here takes so long, on any machine.
const LONGEST: Duration = Duration::from_secs(90);

/// A panel, and the session of the browser that was let in.
pub struct Panel {
    child: Child,
    pub address: String,
    pub token: String,
    pub folder: String,
    pub cookie: String,
}

/// What came back.
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Panel {
    /// Starts one and goes in.
    pub fn enter(command: Command) -> Panel {
        let mut panel = Panel::start(command);
        let answer = panel.get(&format!("/enter?token={}", panel.token));
        assert_eq!(answer.status, 303, "{}", answer.body);
        panel.folder = answer.header("location").trim_end_matches('/').to_owned();
        panel.cookie = answer.header("set-cookie").split(';').next().unwrap_or_default().to_owned();
        panel
    }

    /// Starts one, and stays outside.
    pub fn start(mut command: Command) -> Panel {
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("it starts");
        let mut url = String::new();
        BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut url).expect("an address");
        let rest = url.trim().strip_prefix("http://").expect(&url);
        let (address, token) = rest.split_once("/enter?token=").expect(&url);
        let (address, token) = (address.to_owned(), token.to_owned());
        Panel { child, address, token, folder: String::new(), cookie: String::new() }
    }

    /// A page below the folder, as the browser that was let in asks for it.
    pub fn page(&self, name: &str) -> Answer {
        self.get(&format!("{}/{name}", self.folder))
    }

    pub fn get(&self, path: &str) -> Answer {
        self.send(&format!("GET {path} HTTP/1.1\r\nHost: {}\r\n{}\r\n", self.address, self.cookie_line()))
    }

    /// A form, as our own page sends it.
    pub fn post(&self, name: &str, fields: &[(&str, &str)]) -> Answer {
        let token = self.form_token();
        let fields: Vec<(&str, &str)> =
            [("form_token", token.as_str())].into_iter().chain(fields.iter().copied()).collect();
        self.post_with(name, &fields, &format!("Origin: http://{}\r\n", self.address))
    }

    /// A form with these headers and nothing else.
    pub fn post_with(&self, name: &str, fields: &[(&str, &str)], headers: &str) -> Answer {
        let body = encoded(fields);
        let kind = "application/x-www-form-urlencoded";
        self.send(&format!(
            "POST {}/{name} HTTP/1.1\r\nHost: {}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n{}{headers}\r\n{body}",
            self.folder,
            self.address,
            body.len(),
            self.cookie_line(),
        ))
    }

    /// What our own forms carry.
    pub fn form_token(&self) -> String {
        let page = self.page("try").body;
        value_of(&page, "form_token").expect("a form with a token")
    }

    pub fn cookie_line(&self) -> String {
        if self.cookie.is_empty() { String::new() } else { format!("Cookie: {}\r\n", self.cookie) }
    }

    /// Any bytes.
    pub fn send(&self, request: &str) -> Answer {
        let mut stream = self.connect();
        let request = request.replacen("\r\n\r\n", "\r\nConnection: close\r\n\r\n", 1);
        // The panel may answer before it has read all of it.
        let _ = stream.write_all(request.as_bytes());
        read_answer(stream)
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).expect("it listens");
        stream.set_read_timeout(Some(LONGEST)).expect("a timeout");
        stream
    }
}

impl Drop for Panel {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Answer {
    pub fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str()).unwrap_or_default()
    }
}

pub fn read_answer(mut stream: TcpStream) -> Answer {
    let mut bytes = Vec::new();
    // A connection that is reset has said what it had to say before.
    let _ = stream.read_to_end(&mut bytes);
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let mut lines = head.lines();
    let status = lines.next().and_then(|line| line.split(' ').nth(1)).and_then(|code| code.parse().ok());
    let headers = lines.filter_map(|line| line.split_once(": "));
    Answer {
        status: status.unwrap_or(0),
        headers: headers.map(|(name, value)| (name.to_lowercase(), value.to_owned())).collect(),
        body: body.to_owned(),
    }
}

/// The value of a hidden field.
pub fn value_of(page: &str, name: &str) -> Option<String> {
    let rest = page.split_once(&format!("name=\"{name}\" value=\""))?.1;
    Some(rest.split('"').next()?.to_owned())
}

fn encoded(fields: &[(&str, &str)]) -> String {
    let byte = |byte: u8| {
        if byte.is_ascii_alphanumeric() { char::from(byte).to_string() } else { format!("%{byte:02X}") }
    };
    let text = |text: &str| text.bytes().map(byte).collect::<String>();
    fields
        .iter()
        .map(|(name, value)| format!("{}={}", name.replace('_', "%5F"), text(value)))
        .collect::<Vec<_>>()
        .join("&")
}
