//! Imports with the operator's command, in this process.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, ensure};
use clap::Parser as _;
use presence_ops::{Cli, Console, Exit};
use presence_runtime::clock::SystemClock;
use presence_store::Stores;

/// Writes rows of a resource into a file in the folder, and imports it.
pub(crate) async fn import_rows(store: &Stores, folder: &Path, resource: &str, rows: &str) -> anyhow::Result<()> {
    let file = folder.join(format!("{resource}.jsonl"));
    std::fs::write(&file, rows)?;
    import_file(store, resource, file.to_str().context("the path of the temporary folder is not UTF-8")?).await
}

/// Imports a file with rows of a resource.
pub(crate) async fn import_file(store: &Stores, resource: &str, file: &str) -> anyhow::Result<()> {
    let cli = Cli::try_parse_from(["ops", "import", resource, file])?;
    let console = Console::new(Box::new(std::io::sink()), Box::new(std::io::stderr()));
    let mut context = presence_ops::Context::new(store.clone(), Arc::new(SystemClock), console);
    let exit = Box::pin(presence_ops::run(cli, &mut context)).await;
    ensure!(exit == Exit::Done, "the import of {resource} ended with {exit:?}");
    Ok(())
}
