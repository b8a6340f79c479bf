//! The progress bar of an import.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use presence_runtime::clock::Stopwatch;

/// With a known size: what is done of it, and the time left.
const BAR: &str = "{wide_bar} {percent}% · {msg} · {eta} left";
/// Without: only what is done.
const SPINNER: &str = "{spinner} {msg}";

/// Shows how far an import is, on a terminal.
pub(super) struct Progress {
    bar: ProgressBar,
    watch: Stopwatch,
}

impl Progress {
    /// Over so many bytes, if that is known; drawn on standard error, or not at all.
    pub(super) fn start(bytes: Option<u64>, is_shown: bool) -> Self {
        let target = if is_shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let template = if bytes.is_some() { BAR } else { SPINNER };
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = ProgressBar::with_draw_target(bytes, target).with_style(style);
        Self { bar, watch: Stopwatch::start() }
    }

    /// So many bytes and rows are done.
    pub(super) fn show(&self, bytes: u64, rows: u64) {
        if self.bar.is_hidden() {
            return;
        }
        let a_second = u128::from(rows) * 1_000 / self.watch.elapsed().as_millis().max(1);
        self.bar.set_message(format!("{rows} rows · {a_second}/s"));
        self.bar.set_position(bytes);
    }

    /// Takes the bar away: the summary says the rest.
    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
