//! `ops`: the operator command line.

use std::process::ExitCode;

use presence_ops::{Exit, parse, start};
use tokio::runtime::Runtime;

fn main() -> ExitCode {
    let exit = parse(std::env::args_os()).map_or_else(
        |exit| exit,
        |cli| {
            let runtime = Runtime::new().expect("the system gives threads");
            // On the heap, because the SDK's futures are large.
            let exit: Exit = runtime.block_on(Box::pin(start(cli)));
            // A read of standard input that is still open does not end by itself.
            runtime.shutdown_background();
            exit
        },
    );
    exit.into()
}
