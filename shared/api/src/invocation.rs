//! What every request has around it, an operation's or a page's: an id, a deadline, a meter and a line in the log.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use lambda_http::http::StatusCode;
use lambda_http::{Request, RequestExt as _};

use presence_domain::error::Error;
use presence_runtime::clock::{Stopwatch, time_left};
use presence_runtime::telemetry::{self, Report};
use presence_store::meter::Meter;
use presence_store::within;

/// Kept back from the runtime's deadline, to answer in.
const DEADLINE_MARGIN: Duration = Duration::from_millis(300);
/// How long a request may take where the runtime sets no deadline.
const DEFAULT_TIME: Duration = Duration::from_secs(10);

/// One request under way.
#[derive(Debug)]
pub(super) struct Invocation {
    stopwatch: Stopwatch,
    request_id: String,
    time: Duration,
    meter: Arc<Meter>,
}

impl Invocation {
    /// Begins now.
    pub(super) fn of(request: &Request) -> Self {
        let stopwatch = Stopwatch::start();
        let context = request.lambda_context_ref();
        let request_id = context.map_or("local", |context| &context.request_id).to_owned();
        let left = context.and_then(|context| time_left(context.deadline()));
        let time = left.map_or(DEFAULT_TIME, |left| left.saturating_sub(DEADLINE_MARGIN));
        Self { stopwatch, request_id, time, meter: Arc::default() }
    }

    /// The id that the answer and the log carry.
    pub(super) fn request_id(&self) -> &str {
        &self.request_id
    }

    /// Acts under the meter. What is not done before the deadline is unavailable.
    pub(super) async fn run<T>(&self, acting: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
        let late = || Error::Unavailable("the deadline of the invocation has come".into());
        let in_time = within(self.time, acting);
        Arc::clone(&self.meter).watch(in_time).await.unwrap_or_else(|| Err(late()))
    }

    /// Logs the causes of a failure.
    pub(super) fn log_error(&self, operation: &str, error: &Error) {
        telemetry::log_error(&self.request_id, operation, error);
    }

    /// Logs the request, with what it cost.
    pub(super) fn log_request(&self, operation: &'static str, status: StatusCode) {
        let (request_id, status) = (self.request_id.as_str(), status.as_u16());
        let (duration, cost) = (self.stopwatch.elapsed(), self.meter.cost());
        telemetry::log_request(&Report { request_id, operation, status, duration, cost });
    }
}
