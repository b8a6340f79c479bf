//! Frame of every request, for JSON and for HTML: its ids, a deadline, a meter and a line in the log.

use std::borrow::Cow;
use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use lambda_http::http::{HeaderName, HeaderValue, StatusCode};
use lambda_http::{Request, RequestExt as _};

use super::content::AnswerForm;
use super::deprecation::DeprecationNotice;
use super::error_help::{self, DocsUrl};
use super::request_context::{Identity, RequestContext};
use super::request_ids;
use presence_domain::error::Error;
use presence_domain::rate_limit::Quota;
use presence_runtime::clock::{Deadline, Stopwatch};
use presence_runtime::telemetry::{self, RequestIds, RequestLog};
use presence_store::meter::Meter;
use presence_store::with_deadline;

/// Part of the runtime's deadline that is kept for the answer.
const DEADLINE_MARGIN: Duration = Duration::from_millis(300);
/// Maximum time of a request if the runtime sets no deadline.
const DEFAULT_TIME: Duration = Duration::from_secs(10);

/// True once this process has had a request.
static IS_WARM: AtomicBool = AtomicBool::new(false);

/// Request in progress.
#[derive(Debug)]
pub(super) struct Invocation {
    stopwatch: Stopwatch,
    pub(super) ids: RequestIds,
    /// Form in which the client wants the answer.
    pub(super) form: AnswerForm,
    /// URL of the documentation, if it is published.
    docs_url: Option<Cow<'static, str>>,
    route: Option<String>,
    function_version: String,
    is_cold_start: bool,
    /// Time until the deadline, without the margin, when the request came.
    time_limit: Duration,
    meter: Arc<Meter>,
    context: Arc<RequestContext>,
    /// Notice about deprecated parts that the request uses, which each answer to it has.
    pub(super) deprecation: OnceLock<DeprecationNotice>,
}

/// Result of a request, for the log.
#[derive(Clone, Debug)]
pub(super) struct Outcome {
    /// Name of the route.
    pub(super) operation: &'static str,
    /// Status of the answer.
    pub(super) status: StatusCode,
    /// Kind of the error; `None` after a success.
    pub(super) error_kind: Option<&'static str>,
    /// Names of the bad fields that the log may have.
    pub(super) bad_fields: Vec<&'static str>,
}

impl Invocation {
    /// Starts the stopwatch of a request.
    pub(super) fn start(request: &Request) -> Self {
        let stopwatch = Stopwatch::start();
        let context = request.lambda_context_ref();
        let left = context.and_then(|context| Deadline::of_runtime(context.deadline()).time_left());
        let time_limit = left.map_or(DEFAULT_TIME, |left| left.saturating_sub(DEADLINE_MARGIN));
        Self {
            stopwatch,
            ids: request_ids::of(request),
            form: AnswerForm::of(request),
            docs_url: request.extensions().get().and_then(|docs_url: &DocsUrl| docs_url.of(request)),
            route: request_ids::route(request).map(str::to_owned),
            function_version: context.map_or("", |context| &context.env_config.version).to_owned(),
            is_cold_start: !IS_WARM.swap(true, Ordering::Relaxed),
            time_limit,
            meter: Arc::default(),
            context: Arc::default(),
            deprecation: OnceLock::new(),
        }
    }

    /// Returns the headers that help with an error of this kind.
    pub(super) fn error_headers(&self, kind: &'static str) -> Vec<(HeaderName, HeaderValue)> {
        error_help::headers(kind, self.docs_url.as_deref())
    }

    /// Runs an operation under the meter. Returns [`Error::Unavailable`] if it does not end before the deadline.
    pub(super) async fn run<T>(&self, operation: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
        let in_time = with_deadline(self.time_limit, operation);
        let metered = Arc::clone(&self.meter).watch(in_time);
        let outcome = Arc::clone(&self.context).watch(metered).await;
        outcome.unwrap_or_else(|| Err(Error::Unavailable("the deadline of the invocation has come".into())))
    }

    /// Returns the remaining requests of the caller's key, which the answer has; `None` if no key was verified, or it has no limit.
    pub(super) fn quota(&self) -> Option<Quota> {
        let identity = self.context.identity();
        identity.caller.and(identity.quota)
    }

    /// Logs the causes of an error.
    pub(super) fn log_error(&self, operation: &str, error: &Error) {
        telemetry::log_error(&self.ids.request_id, &self.function_version, operation, error);
    }

    /// Logs the request, its caller and its cost.
    pub(super) fn log_request(&self, outcome: &Outcome) {
        let Identity { key_id, caller, is_replay, other_names, .. } = self.context.identity();
        telemetry::log_request(&RequestLog {
            ids: &self.ids,
            route: self.route.as_deref(),
            operation: outcome.operation,
            status: outcome.status.as_u16(),
            error_kind: outcome.error_kind,
            bad_fields: &outcome.bad_fields,
            caller,
            key_id,
            is_replay,
            other_names,
            duration: self.stopwatch.elapsed(),
            cost: self.meter.cost(),
            is_cold_start: self.is_cold_start,
            function_version: &self.function_version,
        });
    }
}

impl Outcome {
    /// Returns the outcome of a request that succeeded.
    pub(super) fn success(operation: &'static str, status: StatusCode) -> Self {
        Self { operation, status, error_kind: None, bad_fields: Vec::new() }
    }
}
