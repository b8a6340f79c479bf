//! `ops`: the operator command line.

use std::process::ExitCode;

use clap::Parser as _;
use presence_ops::{Cli, start};

#[tokio::main]
async fn main() -> ExitCode {
    start(Cli::parse()).await.into()
}
