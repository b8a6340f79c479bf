//! `ops`: the operator command line.

use std::process::ExitCode;

use clap::Parser as _;
use presence_ops::{Cli, Context, run};

#[tokio::main]
async fn main() -> ExitCode {
    let cli = Cli::parse();
    let mut context = Context::from_env().await;
    run(cli, &mut context).await.into()
}
