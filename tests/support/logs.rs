//! Capture of the service's log: costs of requests, metrics, and secrets that must not be there.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, Once, PoisonError};

use serde_json::Value;
use tracing::instrument::WithSubscriber as _;

/// Part of every password of the tests.
pub const PASSWORD_CANARY: &str = "canary-pass";
/// Part of every e-mail address of the tests.
pub const ADDRESS_CANARY: &str = "canary-mail";
/// Part of the names that a test wants to find in no line.
pub const NAME_CANARY: &str = "canary-name";
/// Start of the phone numbers that a test wants to find in no line.
pub const PHONE_CANARY: &str = "+999 0";

/// Texts that no line may contain, in lower case: the canaries, the starts of keys and password hashes, the texts before an
/// invitation's link and its token, secrets and addresses of webhooks, and names of the fixtures that no line has by chance.
const SECRETS: [&str; 16] = [
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
    "whsec_",
    "/webhook-receiver/",
];

/// Filter of the log. The service's crates log more than in operation, because debug lines must not leak secrets either.
const FILTER: &str = "info,presence=debug";

/// Cost of a request, as its line in the log has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoggedCost {
    /// Number of `DynamoDB` operations.
    pub calls: u64,
    /// Read request units.
    pub read_units: f64,
    /// Write request units.
    pub write_units: f64,
}

#[derive(Default)]
struct Log {
    /// Line of each request, by the id of the request.
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
/// Panics if something else captures the log already.
pub fn capture() {
    STARTED.call_once(|| {
        let subscriber = presence_runtime::telemetry::subscriber(FILTER, || LOG.clone());
        tracing::subscriber::set_global_default(subscriber).expect("the first to take the log");
    });
}

/// Returns the line of a request.
///
/// # Panics
/// Panics if no such request was logged.
pub fn request_line(request_id: &str) -> Value {
    log().requests.get(request_id).cloned().expect("every request is logged under the id in its answer")
}

/// Returns the cost in the line of a request.
pub fn cost(request_id: &str) -> LoggedCost {
    let line = request_line(request_id);
    let whole = |name: &str| line[name].as_u64().expect("a whole number");
    let units = |name: &str| line[name].as_f64().expect("a number");
    LoggedCost { calls: whole("calls"), read_units: units("read_units"), write_units: units("write_units") }
}

/// Returns the number of lines so far.
pub fn lines() -> usize {
    log().lines
}

/// Returns the lines that contain a key, a password, a name, an address or an invitation.
pub fn leaks() -> Vec<String> {
    LOG.leaks()
}

/// Runs a future, and returns its output with the metrics that it logs.
pub async fn with_metrics<F: Future>(future: F) -> (F::Output, Vec<(String, f64)>) {
    let log = Capture::default();
    let writer = log.clone();
    let output = future.with_subscriber(presence_runtime::telemetry::subscriber(FILTER, move || writer.clone())).await;
    let metrics = std::mem::take(&mut log.log().metrics);
    (output, metrics)
}

fn log() -> MutexGuard<'static, Log> {
    LOG.log()
}

/// Writer of a log that looks for secrets in its lines. Clones share one log.
#[derive(Clone, Default)]
pub struct Capture(Arc<Mutex<Log>>);

impl Capture {
    /// Returns the lines that contain a secret.
    pub fn leaks(&self) -> Vec<String> {
        self.log().leaks.clone()
    }

    /// Returns the number of lines.
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
        if line["message"] == "metric" {
            log.metrics.extend(metrics(&line));
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

/// Returns the metrics that `CloudWatch` makes of a line, as its member `_aws` says: name and value.
pub fn metrics(line: &Value) -> Vec<(String, f64)> {
    let directives = line["_aws"]["CloudWatchMetrics"].as_array().into_iter().flatten();
    let names = directives.flat_map(|directive| directive["Metrics"].as_array().into_iter().flatten());
    names
        .filter_map(|metric| metric["Name"].as_str())
        .map(|name| (name.to_owned(), line[name].as_f64().expect("a number under the name of the metric")))
        .collect()
}
