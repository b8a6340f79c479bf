//! Capture of this process's log: the line of the last request, and the bytes of all lines.
//!
//! The benchmarks make one request at a time, so the last line of a request is that of the last one.

use std::io::{self, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use presence_runtime::telemetry;
use serde_json::Value;

use crate::cost::Cost;

/// Line of the last request.
static LAST_LINE: Mutex<Value> = Mutex::new(Value::Null);
/// Number of bytes of all lines since the count began.
static BYTES: AtomicUsize = AtomicUsize::new(0);

/// Writer that keeps the line of the last request, and counts the bytes of all.
struct LogCapture;

impl Write for LogCapture {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let line: Value = serde_json::from_slice(bytes).unwrap_or_default();
        if line["message"] == "request" {
            *LAST_LINE.lock().unwrap_or_else(PoisonError::into_inner) = line;
        }
        BYTES.fetch_add(bytes.len(), Ordering::Relaxed);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Starts the capture. The log of this process is not written to anything else.
pub(crate) fn capture() {
    telemetry::init(|| LogCapture);
}

/// Returns the operation of the last request and its cost, with the waves that the caller counted in virtual time.
pub(crate) fn last_cost(waves: u32) -> (String, Cost) {
    let line = LAST_LINE.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let count = |name: &str| line[name].as_u64().and_then(|number| u32::try_from(number).ok()).unwrap_or_default();
    let units = |name: &str| line[name].as_f64().unwrap_or_default();
    let cost =
        Cost { calls: count("calls"), waves, read_units: units("read_units"), write_units: units("write_units") };
    (line["operation"].as_str().unwrap_or_default().to_owned(), cost)
}

/// Begins to count the bytes of lines from 0.
pub(crate) fn restart_count() {
    BYTES.store(0, Ordering::Relaxed);
}

/// Returns the number of bytes of all lines since the count began.
pub(crate) fn counted_bytes() -> usize {
    BYTES.load(Ordering::Relaxed)
}
