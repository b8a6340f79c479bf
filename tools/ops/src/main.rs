//! `ops`: the operator command line.

use std::process::ExitCode;

use presence_ops::{parse, start};

#[tokio::main]
async fn main() -> ExitCode {
    match parse(std::env::args_os()) {
        Ok(cli) => start(cli).await.into(),
        Err(exit) => exit.into(),
    }
}
