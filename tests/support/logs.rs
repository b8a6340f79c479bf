//! Every line that the service logs in the tests: what requests cost, and whether a secret got out.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, Once, PoisonError};

use serde_json::Value;
use tracing::instrument::WithSubscriber as _;
use tracing_subscriber::fmt::MakeWriter;

/// Every password of the tests has this in it.
pub const PASSWORD_CANARY: &str = "canary-pass";
/// Every address of the tests has this in it.
pub const ADDRESS_CANARY: &str = "canary-mail";
/// A name with this in it is looked for in the log.
pub const NAME_CANARY: &str = "canary-name";
/// A phone number with this in it is looked for in the log.
pub const PHONE_CANARY: &str = "+999 0";

/// What no line may have in it, in lower case: the canaries, what keys and password hashes start with, what an invitation's
/// link and its token stand behind, and names of the fixtures that no line has by chance.
const SECRETS: [&str; 14] = [
    PASSWORD_CANARY,
    ADDRESS_CANARY,
    NAME_CANARY,
    PHONE_CANARY,
    "pk_",
    "$argon2",
    "/invitation?",
    "token=",
    "provider-in-",
    "admin-1",
    "admin-2",
    "manager-1",
    "manager-2",
    "invited-1",
];

/// Our own crates tell more than in operation: what debugging would show must not leak either.
const FILTER: &str = "info,presence=debug";

/// What the log says that a request cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoggedCost {
    /// `DynamoDB` operations.
    pub calls: u64,
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
    metrics: Vec<(String, f64)>,
}

static LOG: LazyLock<Capture> = LazyLock::new(Capture::default);
static STARTED: Once = Once::new();

/// Captures the log of this process from now on.
///
/// # Panics
/// When something else took the log first.
pub fn capture() {
    STARTED.call_once(|| {
        let subscriber = presence_runtime::telemetry::subscriber(FILTER, LOG.clone());
        tracing::subscriber::set_global_default(subscriber).expect("the first to take the log");
    });
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
    LoggedCost { calls: whole("calls"), read_units: units("read_units"), write_units: units("write_units") }
}

/// How many lines were logged.
pub fn lines() -> usize {
    log().lines
}

/// The lines with a key, a password, a name, an address or an invitation in them.
pub fn leaks() -> Vec<String> {
    LOG.leaks()
}

/// What a future does, and what it measures meanwhile.
pub async fn measured<F: Future>(future: F) -> (F::Output, Vec<(String, f64)>) {
    let log = Capture::default();
    let output = future.with_subscriber(presence_runtime::telemetry::subscriber(FILTER, log.clone())).await;
    let metrics = std::mem::take(&mut log.log().metrics);
    (output, metrics)
}

fn log() -> MutexGuard<'static, Log> {
    LOG.log()
}

/// Takes lines and looks for secrets in them. Clones share everything.
#[derive(Clone, Default)]
pub struct Capture(Arc<Mutex<Log>>);

impl Capture {
    /// The lines with a secret in them.
    pub fn leaks(&self) -> Vec<String> {
        self.log().leaks.clone()
    }

    /// How many lines came.
    pub fn lines(&self) -> usize {
        self.log().lines
    }

    fn log(&self) -> MutexGuard<'_, Log> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Capture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Capture").finish_non_exhaustive()
    }
}

impl MakeWriter<'_> for Capture {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        self.clone()
    }
}

impl io::Write for Capture {
    /// The subscriber writes one line at a time.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        let lower_case = text.to_lowercase();
        let mut log = self.log();
        log.lines += 1;
        if SECRETS.iter().any(|secret| lower_case.contains(secret)) {
            log.leaks.push(text.to_string());
        }
        let line: Value = serde_json::from_str(&text).unwrap_or_default();
        if let (Some(metric), Some(value)) = (line["metric"].as_str(), line["value"].as_f64()) {
            log.metrics.push((metric.to_owned(), value));
        }
        if line["message"] == "request"
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
