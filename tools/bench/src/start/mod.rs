//! Benchmark of starts: time and memory of our functions, and of others, until the first request is answered.

mod candidates;
mod report;
mod trial;

use std::path::Path;
use std::time::Duration;

use anyhow::Context as _;
use presence_local::{Options, Stack};

use self::candidates::find_candidates;
use self::trial::Trial;
use crate::sandbox::environment;
use crate::sandbox::tls::TlsProxy;

/// Memory of the functions in MB, as the environment says it. Nothing limits them to it.
const MEMORY_MB: u32 = 256;

/// Measures every function and renders the report. `programs` is the folder with the release binaries.
pub(crate) async fn run(programs: &Path, starts: usize) -> anyhow::Result<String> {
    let stack = Stack::start(Options { port: 0, sample: true, ..Options::default() }).await?;
    let folder = tempfile::tempdir()?;
    let upstream = stack.dynamodb_url().trim_start_matches("http://").parse().context("an address")?;
    let proxy = TlsProxy::start(upstream, folder.path(), Duration::ZERO).await?;
    let environment = environment(&proxy.url(), proxy.roots()?, MEMORY_MB);
    let found = find_candidates(&stack, programs, folder.path()).await?;
    let mut trials: Vec<Vec<Trial>> = found.candidates.iter().map(|_| Vec::with_capacity(starts)).collect();
    // In turns, so that other load of the machine affects all alike. The first round only loads files into memory.
    for round in 0..=starts {
        for (candidate, trials) in found.candidates.iter().zip(&mut trials) {
            let trial = candidate.run(&environment).await?;
            if round > 0 {
                trials.push(trial);
            }
        }
    }
    stack.stop().await;
    Ok(report::render(&found, &trials, starts))
}
