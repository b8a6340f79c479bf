//! `ops`: the operator command line.

use std::process::ExitCode;

use presence_ops::{parse, start};

#[tokio::main]
async fn main() -> ExitCode {
    match parse(std::env::args_os()) {
        // On the heap, because the SDK's futures are large.
        Ok(cli) => Box::pin(start(cli)).await.into(),
        Err(exit) => exit.into(),
    }
}
