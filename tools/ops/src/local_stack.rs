//! `--local`: the local stack that runs on this machine.

use anyhow::Context as _;
use presence_runtime::local_stack::{FoundStacks, RunningStack};

use crate::error::CommandError;

/// Finds the local stack that was ready last, and a message that names it.
///
/// # Errors
/// Returns an error that says what to start if no stack runs.
pub(crate) fn find() -> Result<(RunningStack, String), CommandError> {
    let mut found = FoundStacks::find().context("the local stacks of this machine cannot be looked up")?;
    let Some(stack) = found.running.pop() else {
        let killed = found
            .stale
            .first()
            .map_or_else(String::new, |file| format!(" (the last one was killed: its file is {})", file.display()));
        return Err(CommandError::from_text(format!("no local stack runs{killed}: start one with `cargo run`")));
    };
    let others = match found.running.len() {
        0 => String::new(),
        others => format!(", which was ready last; {others} more run, which --endpoint can name"),
    };
    let message = format!("the local stack at {}{others}", stack.base_url);
    Ok((stack, message))
}
