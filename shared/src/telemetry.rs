//! Logs: JSON lines, one for each request. Never a key, token, password, name or address.

use std::time::Duration;

use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::MakeWriter;

use crate::error::Error;
use crate::store::meter::Cost;

/// What the log tells of a request.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    /// The id that the answer carries too.
    pub request_id: &'a str,
    /// The route's name.
    pub operation: &'static str,
    /// The status of the answer.
    pub status: u16,
    /// From event to answer.
    pub duration: Duration,
    /// What DynamoDB was asked.
    pub cost: Cost,
}

/// Sends the log as JSON lines to a writer, at the level that `RUST_LOG` names, else `info`. Later calls in the same
/// process change nothing.
pub fn init<W>(writer: W)
where
    W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    // The SDK's own lines show requests, and with them addresses: they stay off below warnings, whatever is asked for.
    let filter = EnvFilter::builder().with_default_directive(tracing::Level::INFO.into()).from_env_lossy();
    let filter = ["aws_", "hyper", "h2", "rustls", "lambda_"].iter().fold(filter, |filter, target| {
        let directive = format!("{target}=warn").parse();
        directive.map_or_else(|_| EnvFilter::default(), |directive| filter.add_directive(directive))
    });
    let lines = tracing_subscriber::fmt().json().flatten_event(true).with_current_span(false).with_span_list(false);
    let _ = lines.with_env_filter(filter).with_writer(writer).try_init();
}

/// Writes the line of a request.
pub fn log_request(report: &Report<'_>) {
    let Cost { calls, waves, read_units, write_units } = report.cost;
    tracing::info!(
        request_id = report.request_id,
        operation = report.operation,
        status = report.status,
        duration_ms = report.duration.as_secs_f64() * 1000.0,
        calls,
        waves,
        read_units,
        write_units,
        "request"
    );
}

/// Writes the causes of a failure that an operator must know of; others are answers, and not logged.
pub fn log_error(request_id: &str, operation: &str, error: &Error) {
    match error {
        Error::Internal(source) => {
            tracing::error!(request_id, operation, causes = causes(source.as_ref()), "internal error");
        }
        Error::Unavailable(source) => {
            tracing::warn!(request_id, operation, causes = causes(source.as_ref()), "unavailable");
        }
        _ => {}
    }
}

fn causes(error: &(dyn std::error::Error + 'static)) -> String {
    let chain = std::iter::successors(Some(error), |error| error.source());
    chain.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}
