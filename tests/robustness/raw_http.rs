//! HTTP requests byte for byte, which no client library would send.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::str::FromStr as _;
use std::time::Duration;

use presence_tests::{Reply, TestStack};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

/// Time after which a missing answer is an error.
const READ_TIMEOUT: Duration = Duration::from_mins(1);

/// Request, byte for byte.
#[derive(Clone, Debug, Default)]
pub(super) struct RawRequest {
    pub(super) method: String,
    /// Path and query, with `/api/v2`.
    pub(super) target: Vec<u8>,
    /// Headers besides `host`, `connection` and `content-length`.
    pub(super) headers: Vec<(String, Vec<u8>)>,
    pub(super) body: Vec<u8>,
}

impl RawRequest {
    /// Returns a request below `/api/v2` without headers.
    pub(super) fn new(method: &str, path: impl AsRef<[u8]>) -> Self {
        let target = [b"/api/v2", path.as_ref()].concat();
        Self { method: method.to_owned(), target, ..Self::default() }
    }

    /// Adds a header.
    pub(super) fn with(mut self, name: &str, value: impl AsRef<[u8]>) -> Self {
        self.headers.push((name.to_owned(), value.as_ref().to_vec()));
        self
    }

    /// Adds a JSON body.
    pub(super) fn json(mut self, body: impl AsRef<[u8]>) -> Self {
        self.body = body.as_ref().to_vec();
        self.with("content-type", "application/json")
    }

    /// Sends the request on a new connection.
    pub(super) async fn send(self, stack: &TestStack) -> Reply {
        let host = host(stack);
        let sending = tokio::task::spawn_blocking(move || exchange(&host, &self.bytes(&host)));
        sending.await.expect("no panic").expect("the gateway answers")
    }

    fn bytes(&self, host: &str) -> Vec<u8> {
        let mut bytes = [self.method.as_bytes(), b" ", &self.target, b" HTTP/1.1\r\n"].concat();
        let fixed = [("host", host), ("connection", "close"), ("content-length", &self.body.len().to_string())]
            .map(|(name, value)| (name.to_owned(), value.as_bytes().to_vec()));
        for (name, value) in fixed.iter().chain(&self.headers) {
            bytes.extend([name.as_bytes(), b": ", value, b"\r\n"].concat());
        }
        bytes.extend([b"\r\n", self.body.as_slice()].concat());
        bytes
    }
}

/// True if the HTTP server accepts the bytes in a target: it refuses invalid UTF-8 and three characters.
pub(super) fn is_valid_target(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok() && !bytes.iter().any(|byte| b"\"<>".contains(byte))
}

/// Returns the host and the port of the gateway.
pub(super) fn host(stack: &TestStack) -> String {
    let base = stack.local.base_url();
    base.trim_start_matches("http://").trim_end_matches("/api/v2").to_owned()
}

fn exchange(host: &str, bytes: &[u8]) -> std::io::Result<Reply> {
    let mut stream = TcpStream::connect(host)?;
    stream.set_read_timeout(Some(READ_TIMEOUT))?;
    stream.write_all(bytes)?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    Ok(parse(&String::from_utf8(answer).expect("answers are UTF-8")))
}

fn parse(answer: &str) -> Reply {
    let (head, text) = answer.split_once("\r\n\r\n").expect("a head");
    let mut lines = head.split("\r\n");
    let status = lines.next().and_then(|line| line.split(' ').nth(1)).expect("a status line");
    let mut headers = HeaderMap::new();
    for (name, value) in lines.filter_map(|line| line.split_once(": ")) {
        let name = HeaderName::from_str(name).expect("a name");
        headers.append(name, HeaderValue::from_str(value).expect("a value"));
    }
    Reply { status: status.parse().expect("a status"), headers, text: text.to_owned() }
}
