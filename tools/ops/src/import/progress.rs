//! Progress bar of an import.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use presence_runtime::clock::Stopwatch;

/// Template for a file of known size: the part that is done, and the time left.
const BAR: &str = "{wide_bar} {percent}% · {msg} · {eta} left";
/// Template for standard input, whose size is unknown.
const SPINNER: &str = "{spinner} {msg}";

/// Progress bar on a terminal. Clones move the same bar.
#[derive(Clone)]
pub(super) struct Progress {
    bar: ProgressBar,
    rows: Arc<AtomicU64>,
    stopwatch: Arc<Stopwatch>,
}

impl Progress {
    /// Starts a bar over this number of bytes, a spinner if the number is unknown. Draws on standard error or not at all.
    pub(super) fn start(bytes: Option<u64>, is_shown: bool) -> Self {
        let target = if is_shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let template = if bytes.is_some() { BAR } else { SPINNER };
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = ProgressBar::with_draw_target(bytes, target).with_style(style).with_message("reading");
        bar.tick();
        Self { bar, rows: Arc::default(), stopwatch: Arc::new(Stopwatch::start()) }
    }

    /// Moves the bar by this number of bytes and rows, which are done.
    pub(super) fn advance(&self, bytes: u64, rows: u64) {
        let rows = self.rows.fetch_add(rows, Ordering::Relaxed) + rows;
        self.bar.inc(bytes);
        if !self.bar.is_hidden() {
            let rows_per_second = u128::from(rows) * 1_000 / self.stopwatch.elapsed().as_millis().max(1);
            self.bar.set_message(format!("{rows} rows · {rows_per_second}/s"));
        }
    }

    /// Shows what the import waits for.
    pub(super) fn show(&self, message: &str) {
        self.bar.set_message(message.to_owned());
        self.bar.tick();
    }

    /// Removes the bar. The summary follows in its place.
    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
