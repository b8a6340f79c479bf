//! Subscriber of `tracing` that writes each event as a JSON line. It knows no spans: no line names one.

use std::borrow::Cow;
use std::fmt::Debug;
use std::io::Write;

use serde::{Serialize, Serializer};
use serde_json::Value;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::Interest;
use tracing::{Event, Level, Metadata, Subscriber};
use tracing_subscriber::filter::Targets;

use super::lines::{self, microsecond, whole_line};
use crate::clock::{Clock as _, SystemClock};

/// Prefixes of targets of other crates that log the requests that pass through them.
const VERBOSE_TARGETS: [&str; 5] = ["aws_", "hyper", "h2", "rustls", "lambda_"];

/// Levels by target.
#[derive(Clone, Debug)]
pub struct Levels(Targets);

impl Levels {
    /// Reads levels such as `info,presence=debug`. Invalid ones count as `info`.
    pub fn parse(levels: &str) -> Self {
        let levels = levels.parse().ok().filter(|_| !levels.is_empty());
        Self(levels.unwrap_or_else(|| Targets::new().with_default(Level::INFO)))
    }

    /// True if the event is written.
    pub fn include(&self, event: &Metadata<'_>) -> bool {
        event.is_event() && self.0.would_enable(event.target(), event.level()) && is_harmless(event)
    }
}

/// True if a line cannot hold personal data. Lines of the SDK below warnings show requests, and with them e-mail addresses.
///
/// A directive in the levels would not be enough: a longer one, such as `aws_sdk_dynamodb=debug`, would win over it.
fn is_harmless(event: &Metadata<'_>) -> bool {
    *event.level() <= Level::WARN || !VERBOSE_TARGETS.iter().any(|target| event.target().starts_with(target))
}

/// Subscriber that writes JSON lines. Each line is one write to a new writer.
pub(super) struct JsonLines<M> {
    pub(super) levels: Levels,
    /// Further condition of the lines.
    pub(super) filter: fn(&Metadata<'_>) -> bool,
    pub(super) make_writer: M,
}

impl<M, W> Subscriber for JsonLines<M>
where
    M: Fn() -> W + Send + Sync + 'static,
    W: Write,
{
    fn register_callsite(&self, metadata: &'static Metadata<'static>) -> Interest {
        if self.enabled(metadata) { Interest::always() } else { Interest::never() }
    }

    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        self.levels.include(metadata) && (self.filter)(metadata)
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let line = whole_line(event).map_or_else(|| line_of(event), Cow::Owned);
        // A log that cannot be written has no other place to say so.
        let _ = (self.make_writer)().write_all(line.as_bytes());
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// Returns the line of an event: instant, level, its fields, and its target.
fn line_of(event: &Event<'_>) -> Cow<'static, str> {
    let metadata = event.metadata();
    let mut line = JsonLine(vec![
        ("timestamp", microsecond(SystemClock.now()).into()),
        ("level", metadata.level().as_str().into()),
    ]);
    event.record(&mut line);
    line.0.push(("target", metadata.target().into()));
    lines::text(&line)
}

/// Fields of a line, in their order.
struct JsonLine(Vec<(&'static str, Value)>);

impl Serialize for JsonLine {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl Visit for JsonLine {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.push((field.name(), value.into()));
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.0.push((field.name(), value.into()));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.0.push((field.name(), value.into()));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.0.push((field.name(), value.into()));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.0.push((field.name(), value.into()));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.push((field.name(), format!("{value:?}").into()));
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::{Arc, Mutex};

    use serde_json::json;

    use super::*;

    #[derive(Clone, Default)]
    struct Capture(Arc<Mutex<Vec<u8>>>);

    impl Write for Capture {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().expect("no panic").write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn each_event_is_a_json_line_with_its_fields() {
        let capture = Capture::default();
        let (levels, log) = (Levels::parse("info,quiet=error"), capture.clone());
        let subscriber =
            JsonLines { levels, filter: |event| event.target() != "left_out", make_writer: move || log.clone() };
        tracing::subscriber::with_default(subscriber, || {
            let span = tracing::info_span!("a_span", secret = 1).entered();
            tracing::warn!(name = "a", whole = 1_u64, less = -1_i64, part = 0.5, is_true = true, debug = ?Some(1), "done {}", 2);
            tracing::debug!("below the level");
            tracing::warn!(target: "quiet", "below the level of the target");
            tracing::error!(target: "left_out", "not of the filter");
            drop(span);
        });
        let text = String::from_utf8(capture.0.lock().expect("no panic").clone()).expect("text");
        assert_eq!(text.matches('\n').count(), 1, "{text}");
        assert!(text.starts_with(r#"{"timestamp":"20"#) && text.ends_with("}\n"), "{text}");
        let mut line: Value = serde_json::from_str(&text).expect("JSON");
        let timestamp = line["timestamp"].take();
        assert!(timestamp.as_str().is_some_and(|text| text.parse::<jiff::Timestamp>().is_ok()), "{timestamp}");
        let expected = json!({
            "timestamp": null, "level": "WARN", "message": "done 2", "name": "a", "whole": 1, "less": -1, "part": 0.5,
            "is_true": true, "debug": "Some(1)", "target": module_path!(),
        });
        assert_eq!(line, expected);
    }
}
