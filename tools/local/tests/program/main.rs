//! Tests of the program `presence-local`, as a developer runs it.

mod hints;
mod invoke;
mod log;
mod state;

use std::process::{Command, Stdio};

/// Variables of this process that would change what the program does or how it looks.
const REMOVED_VARIABLES: [&str; 7] =
    ["TABLE_PREFIX", "AUDIT_TABLE", "REVIEWS_TABLE", "RUST_LOG", "NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"];

/// Returns the program with these arguments and without input.
fn program(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_presence-local"));
    command.args(arguments).stdin(Stdio::null()).env("XDG_STATE_HOME", env!("CARGO_TARGET_TMPDIR"));
    for name in REMOVED_VARIABLES {
        command.env_remove(name);
    }
    command
}
