//! Somebody at a terminal: what is shown is waited for, what is typed is typed
//! behind it. `script` of util-linux makes the terminal.

use std::io::{Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Nothing here takes longer, whatever the machine does beside.
const PATIENCE: Duration = Duration::from_secs(60);

/// A command in a terminal of its own.
pub struct Terminal {
    child: Child,
    keyboard: Option<ChildStdin>,
    screen: Arc<Mutex<String>>,
    reader: Option<JoinHandle<()>>,
    /// What was waited for already.
    seen: usize,
}

impl Terminal {
    /// Starts the program of this command, with its words and its environment.
    pub fn start(command: &Command) -> Terminal {
        let words = std::iter::once(command.get_program()).chain(command.get_args());
        let line: Vec<String> = words
            .map(|word| format!("'{}'", word.to_str().expect("a plain word").replace('\'', r"'\''")))
            .collect();
        let mut script = Command::new("script");
        script
            .args(["-q", "-e", "-f", "-c", &line.join(" "), "/dev/null"])
            .env("SHELL", "/bin/sh")
            .env("TERM", "dumb");
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => script.env(name, value),
                None => script.env_remove(name),
            };
        }
        script.current_dir(command.get_current_dir().expect("a place to work"));
        let mut child = script
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("`script` of util-linux is installed");
        let screen: Arc<Mutex<String>> = Arc::default();
        let (shown, mut stdout) = (Arc::clone(&screen), child.stdout.take().expect("a pipe"));
        let reader = thread::spawn(move || {
            let mut piece = [0; 4096];
            while let Ok(read @ 1..) = stdout.read(&mut piece) {
                shown.lock().expect("nobody panicked").push_str(&String::from_utf8_lossy(&piece[..read]));
            }
        });
        Terminal { keyboard: child.stdin.take(), child, screen, reader: Some(reader), seen: 0 }
    }

    /// Waits until this is shown, behind what was waited for before.
    pub fn expect(&mut self, text: &str) -> &mut Terminal {
        let start = Instant::now();
        loop {
            let screen = self.screen();
            if let Some(at) = screen[self.seen..].find(text) {
                self.seen += at + text.len();
                return self;
            }
            assert!(start.elapsed() < PATIENCE, "«{text}» never came; the screen shows\n{screen}");
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Types a line.
    pub fn types(&mut self, text: &str) -> &mut Terminal {
        self.presses(&format!("{text}\n"))
    }

    /// Presses keys: `\u{3}` is Ctrl-C, `\u{4}` Ctrl-D.
    pub fn presses(&mut self, keys: &str) -> &mut Terminal {
        let keyboard = self.keyboard.as_mut().expect("it was not taken away");
        keyboard.write_all(keys.as_bytes()).and_then(|()| keyboard.flush()).expect("it reads");
        self
    }

    /// Everything that was shown so far.
    pub fn screen(&self) -> String {
        self.screen.lock().expect("nobody panicked").clone()
    }

    /// Waits for the end: the exit code, and everything that was shown.
    pub fn end(mut self) -> (i32, String) {
        let start = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("it can be waited for") {
                break status;
            }
            assert!(start.elapsed() < PATIENCE, "it does not end; the screen shows\n{}", self.screen());
            thread::sleep(Duration::from_millis(10));
        };
        self.reader.take().expect("once").join().expect("the reader ends");
        (status.code().unwrap_or(-1), self.screen().replace('\r', ""))
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        drop(self.keyboard.take());
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
