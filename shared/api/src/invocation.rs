//! Frame of every request, for JSON and for HTML: an id, a deadline, a meter and a line in the log.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use lambda_http::http::StatusCode;
use lambda_http::{Request, RequestExt as _};

use presence_domain::error::Error;
use presence_runtime::clock::{Stopwatch, time_left};
use presence_runtime::telemetry::{self, RequestLog};
use presence_store::meter::Meter;
use presence_store::with_deadline;

/// Part of the runtime's deadline that is kept for the answer.
const DEADLINE_MARGIN: Duration = Duration::from_millis(300);
/// Maximum time of a request if the runtime sets no deadline.
const DEFAULT_TIME: Duration = Duration::from_secs(10);

/// Request in progress.
#[derive(Debug)]
pub(super) struct Invocation {
    stopwatch: Stopwatch,
    request_id: String,
    /// Time until the deadline, without the margin, when the request came.
    time_limit: Duration,
    meter: Arc<Meter>,
}

impl Invocation {
    /// Starts the stopwatch of a request.
    pub(super) fn start(request: &Request) -> Self {
        let stopwatch = Stopwatch::start();
        let context = request.lambda_context_ref();
        let request_id = context.map_or("local", |context| &context.request_id).to_owned();
        let left = context.and_then(|context| time_left(context.deadline()));
        let time_limit = left.map_or(DEFAULT_TIME, |left| left.saturating_sub(DEADLINE_MARGIN));
        Self { stopwatch, request_id, time_limit, meter: Arc::default() }
    }

    /// Id that the answer and the log have.
    pub(super) fn request_id(&self) -> &str {
        &self.request_id
    }

    /// Runs an operation under the meter. Returns [`Error::Unavailable`] if it does not end before the deadline.
    pub(super) async fn run<T>(&self, operation: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
        let in_time = with_deadline(self.time_limit, operation);
        let outcome = Arc::clone(&self.meter).watch(in_time).await;
        outcome.unwrap_or_else(|| Err(Error::Unavailable("the deadline of the invocation has come".into())))
    }

    /// Logs the causes of an error.
    pub(super) fn log_error(&self, operation: &str, error: &Error) {
        telemetry::log_error(&self.request_id, operation, error);
    }

    /// Logs the request and its cost.
    pub(super) fn log_request(&self, operation: &'static str, status: StatusCode) {
        telemetry::log_request(&RequestLog {
            request_id: &self.request_id,
            operation,
            status: status.as_u16(),
            duration: self.stopwatch.elapsed(),
            cost: self.meter.cost(),
        });
    }
}
