//! HTTP on a port of its own, for what stands in for AWS in these tests.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

/// Request or answer.
pub(super) struct Message {
    /// First line and headers, up to the blank line.
    pub(super) head: String,
    pub(super) body: Vec<u8>,
}

impl Message {
    /// Reads the next message of a connection. Returns `None` at its end.
    pub(super) fn read(reader: &mut BufReader<TcpStream>) -> Option<Self> {
        let mut message = Self { head: String::new(), body: Vec::new() };
        while !message.head.ends_with("\r\n\r\n") {
            reader.read_line(&mut message.head).ok().filter(|read| *read > 0)?;
        }
        if message.header("expect").is_some() {
            reader.get_mut().write_all(b"HTTP/1.1 100 Continue\r\n\r\n").ok()?;
        }
        let length = message.header("content-length").and_then(|text| text.parse().ok()).unwrap_or(0);
        message.body.resize(length, 0);
        reader.read_exact(&mut message.body).ok()?;
        Some(message)
    }

    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.head.lines().filter_map(|line| line.split_once(':'));
        headers.find(|(given, _)| given.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        [self.head.as_bytes(), &self.body].concat()
    }
}

/// Starts a server that answers each request by this function, and closes the connection where it has no answer. Returns its URL. Its
/// threads end with the process.
pub(super) fn start(answer: impl Fn(&Message) -> Option<Vec<u8>> + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let url = format!("http://{}", listener.local_addr().expect("a bound socket has an address"));
    let answer = Arc::new(answer);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let answer = Arc::clone(&answer);
            thread::spawn(move || serve(stream, &*answer));
        }
    });
    url
}

/// Answers the requests of one connection. Returns `None` when either side closes it.
fn serve(stream: TcpStream, answer: &impl Fn(&Message) -> Option<Vec<u8>>) -> Option<()> {
    let mut writer = stream.try_clone().ok()?;
    let mut reader = BufReader::new(stream);
    loop {
        let request = Message::read(&mut reader)?;
        writer.write_all(&answer(&request)?).ok()?;
    }
}
