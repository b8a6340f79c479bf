//! Lines in the embedded metric format: JSON of which `CloudWatch` makes metrics, since its member `_aws` names them.
//!
//! Such a line is an event of `tracing` with the whole text in its one field. The subscriber writes that text as it is.

use std::borrow::Cow;
use std::fmt;
use std::sync::{LazyLock, Mutex, PoisonError};

use jiff::Timestamp;
use metrique_writer_core::format::Format as _;
use metrique_writer_core::unit::{NegativeScale, Unit};
use metrique_writer_core::value::MetricFlags;
use metrique_writer_core::{Entry, EntryWriter, Observation, Value, ValueWriter};
use metrique_writer_format_emf::Emf;
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

use super::metrics::MetricLog;
use super::request_log::{REQUEST_DIMENSIONS, RequestLog};
use crate::clock::{Clock as _, SystemClock};
use crate::config::metric_namespace;

/// Target of the lines of requests.
pub const REQUEST_TARGET: &str = "presence_runtime::request";
/// Target of the lines of metrics.
pub const METRIC_TARGET: &str = "presence_runtime::metric";

/// Size of the text of a line in bytes for which room is made at once.
const LINE_BYTES: usize = 1024;

/// Format of the lines of requests.
static REQUESTS: LazyLock<Mutex<Emf>> =
    LazyLock::new(|| Mutex::new(emf(vec![REQUEST_DIMENSIONS.map(str::to_owned).to_vec()])));
/// Format of the lines of metrics, which have no dimensions.
static METRICS: LazyLock<Mutex<Emf>> = LazyLock::new(|| Mutex::new(emf(vec![Vec::new()])));

/// Returns the format. The checks of each line are left to a test, since all names are constants.
fn emf(dimensions: Vec<Vec<String>>) -> Emf {
    Emf::no_validations(metric_namespace(), dimensions)
}

pub(super) fn of_request(request: &RequestLog<'_>) -> Cow<'static, str> {
    format(&REQUESTS, request)
}

pub(super) fn of_metric(metric: &MetricLog) -> Cow<'static, str> {
    format(&METRICS, metric)
}

fn format(format: &Mutex<Emf>, entry: &impl Entry) -> Cow<'static, str> {
    let mut line = Vec::with_capacity(LINE_BYTES);
    let result = format.lock().unwrap_or_else(PoisonError::into_inner).format(entry, &mut line);
    // Only a failed check or a failed write is an error, and there are none.
    let text = result.ok().and_then(|()| String::from_utf8(line).ok());
    text.map_or(Cow::Borrowed("{\"level\":\"ERROR\",\"message\":\"a line cannot be written\"}\n"), Cow::Owned)
}

/// Writes the fields that every line has.
pub(super) fn write_head<'a>(writer: &mut impl EntryWriter<'a>, message: &'static str) {
    let now = SystemClock.now();
    writer.timestamp(now.into());
    let to_microsecond = Timestamp::from_microsecond(now.as_microsecond()).unwrap_or(now);
    writer.value("timestamp", &to_microsecond.to_string());
    writer.value("level", "INFO");
    writer.value("message", message);
}

/// Value of a metric, with its unit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measurement {
    value: f64,
    unit: Unit,
}

impl Measurement {
    pub(super) fn milliseconds(value: f64) -> Self {
        Self { value, unit: Unit::Second(NegativeScale::Milli) }
    }

    pub(super) fn seconds(value: f64) -> Self {
        Self { value, unit: Unit::Second(NegativeScale::One) }
    }

    pub(super) fn count(value: f64) -> Self {
        Self { value, unit: Unit::Count }
    }
}

impl Value for Measurement {
    fn write(&self, writer: impl ValueWriter) {
        writer.metric([Observation::Floating(self.value)], self.unit, [], MetricFlags::empty());
    }
}

/// Format of events that writes whole lines as they are, and leaves all other events to another format.
#[derive(Debug)]
pub struct WholeLines<F>(pub F);

impl<S, N, F> FormatEvent<S, N> for WholeLines<F>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
    F: FormatEvent<S, N>,
{
    fn format_event(&self, context: &FmtContext<'_, S, N>, mut writer: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        if ![REQUEST_TARGET, METRIC_TARGET].contains(&event.metadata().target()) {
            return self.0.format_event(context, writer, event);
        }
        let mut line = WholeLine { writer: &mut writer, result: Ok(()) };
        event.record(&mut line);
        line.result
    }
}

/// Visitor that writes the text of the one field.
struct WholeLine<'a, 'w> {
    writer: &'a mut Writer<'w>,
    result: fmt::Result,
}

impl Visit for WholeLine<'_, '_> {
    fn record_str(&mut self, _: &Field, text: &str) {
        self.result = self.writer.write_str(text);
    }

    fn record_debug(&mut self, _: &Field, _: &dyn fmt::Debug) {}
}
