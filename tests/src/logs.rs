//! Every line that the service logs in the tests: what requests cost, and whether a secret got out.

use std::collections::HashMap;
use std::io;
use std::sync::{LazyLock, Mutex, MutexGuard, Once, PoisonError};

use serde_json::Value;

/// Every password of the tests has this in it.
pub const PASSWORD_CANARY: &str = "canary-pass";
/// Every address of the tests has this in it.
pub const ADDRESS_CANARY: &str = "canary-mail";
/// Every key has this in front.
const KEY_CANARY: &str = "pk_";

/// What the log says that a request cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoggedCost {
    /// `DynamoDB` operations.
    pub calls: u64,
    /// Groups of them that ran side by side.
    pub waves: u64,
    /// Read request units.
    pub read_units: f64,
    /// Write request units.
    pub write_units: f64,
}

#[derive(Default)]
struct Log {
    requests: HashMap<String, Value>,
    leaks: Vec<String>,
    lines: usize,
}

static LOG: LazyLock<Mutex<Log>> = LazyLock::new(Mutex::default);
static STARTED: Once = Once::new();

/// Captures the log of this process from now on.
pub fn capture() {
    STARTED.call_once(|| presence::telemetry::init(|| Sink));
}

/// The log's line of a request.
///
/// # Panics
/// When no such request was logged.
pub fn of_request(request_id: &str) -> Value {
    log().requests.get(request_id).cloned().expect("every request is logged under the id in its answer")
}

/// What a request cost, by its line.
pub fn cost(request_id: &str) -> LoggedCost {
    let line = of_request(request_id);
    let whole = |name: &str| line[name].as_u64().expect("a whole number");
    let units = |name: &str| line[name].as_f64().expect("a number");
    LoggedCost {
        calls: whole("calls"),
        waves: whole("waves"),
        read_units: units("read_units"),
        write_units: units("write_units"),
    }
}

/// How many lines were logged.
pub fn lines() -> usize {
    log().lines
}

/// The lines with a key, a password or an address in them.
pub fn leaks() -> Vec<String> {
    log().leaks.clone()
}

fn log() -> MutexGuard<'static, Log> {
    LOG.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Sink;

impl io::Write for Sink {
    /// The subscriber writes one line at a time.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        let mut log = log();
        log.lines += 1;
        if [PASSWORD_CANARY, ADDRESS_CANARY, KEY_CANARY].iter().any(|canary| text.contains(canary)) {
            log.leaks.push(text.to_string());
        }
        if let Ok(line) = serde_json::from_str::<Value>(&text)
            && line["message"] == "request"
            && let Some(id) = line["request_id"].as_str()
        {
            log.requests.insert(id.to_owned(), line);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
