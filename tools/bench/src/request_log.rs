//! What the log says of the last request: one is made at a time.

use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

use presence_runtime::telemetry;
use presence_store::meter::Cost;
use serde_json::Value;

/// The line, and its bytes.
static LAST_LINE: Mutex<(Value, usize)> = Mutex::new((Value::Null, 0));

struct LogCapture;

impl Write for LogCapture {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let line: Value = serde_json::from_slice(bytes).unwrap_or_default();
        if line["message"] == "request" {
            *LAST_LINE.lock().unwrap_or_else(PoisonError::into_inner) = (line, bytes.len());
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Listens to the log of this process from now on.
pub(crate) fn capture() {
    telemetry::init(|| LogCapture);
}

/// The operation of the last request, and what it cost.
pub(crate) fn last_cost() -> (String, Cost) {
    let (line, _) = LAST_LINE.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let whole = |name: &str| line[name].as_u64().and_then(|count| u32::try_from(count).ok()).unwrap_or_default();
    let units = |name: &str| line[name].as_f64().unwrap_or_default();
    let cost = Cost {
        calls: whole("calls"),
        waves: whole("waves"),
        read_units: units("read_units"),
        write_units: units("write_units"),
    };
    (line["operation"].as_str().unwrap_or_default().to_owned(), cost)
}

/// Returns the bytes of the last request's line.
pub(crate) fn last_line_bytes() -> usize {
    LAST_LINE.lock().unwrap_or_else(PoisonError::into_inner).1
}
