//! Embedded `DynamoDB`: an emulator in this process, with its data in memory or in one file.

mod database;
mod direct;
mod imports;
mod in_process;
mod proxy;

use std::fs::File;
use std::future::{Future, IntoFuture as _};
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::Context as _;
use dynoxide::Database;
use tokio::sync::oneshot;

use self::database::{lock_folder, open_database, utf8};
pub use self::in_process::in_process_client;
use self::proxy::Pool;
use crate::listen::listen;

/// Time for which a stop waits for running requests. Without it, a client that sent half a request would block the stop.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(2);

/// Running `DynamoDB` emulator. Dropping it stops it and closes its file.
pub struct EmbeddedDynamo {
    address: SocketAddr,
    database: Database,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
    /// Lock of the data folder, which the operating system frees when the process ends.
    _lock: Option<File>,
}

impl std::fmt::Debug for EmbeddedDynamo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EmbeddedDynamo").field("address", &self.address).finish_non_exhaustive()
    }
}

impl EmbeddedDynamo {
    /// Starts the emulator on 127.0.0.1 at `port` (0 picks a free one), with its data in memory or in the folder `data`.
    /// Creates the folder if it is missing. When this returns, the emulator accepts requests.
    ///
    /// # Errors
    /// Returns an error if the port is taken, or if the folder or its file cannot be written.
    pub fn start(port: u16, data: Option<&Path>) -> anyhow::Result<Self> {
        let listener = listen(port, "DynamoDB", "--dynamodb-port")?;
        let lock = data.map(lock_folder).transpose()?;
        let database = open_database(data)?;
        let address = listener.local_addr().context("cannot read the DynamoDB socket's address")?;
        let (stop, stopped) = oneshot::channel();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .context("cannot start a runtime for DynamoDB")?;
        let pool = Arc::new(Pool::of(database.clone()));
        in_process::register(address.port(), Arc::clone(&pool), runtime.handle().clone());
        // Calls by HTTP block on SQLite here. Most calls of this process block their caller instead, each for as long as it takes.
        let thread = std::thread::Builder::new()
            .name("dynamodb".to_owned())
            .spawn(move || runtime.block_on(serve(listener, pool, stopped)))
            .context("cannot start the DynamoDB thread")?;
        Ok(Self { address, database, stop: Some(stop), thread: Some(thread), _lock: lock })
    }

    /// Returns the endpoint URL for SDK clients, such as `http://127.0.0.1:8000`. It accepts any credentials and region.
    pub fn endpoint_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Writes a copy of the tables to a new file.
    ///
    /// # Errors
    /// Returns an error if the file exists or cannot be written.
    pub(crate) fn save(&self, file: &Path) -> anyhow::Result<()> {
        let path = utf8(file)?;
        self.database.vacuum_into(path).with_context(|| format!("cannot save the tables to {path}"))
    }

    /// Replaces the tables by those of a file that [`save`](Self::save) wrote. Returns false if they have items, which stay.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read.
    pub(crate) fn restore_if_empty(&self, file: &Path) -> anyhow::Result<bool> {
        let path = utf8(file)?;
        if self.database.table_stats()?.iter().any(|table| table.item_count > 0) {
            return Ok(false);
        }
        self.database.restore_from(path).with_context(|| format!("cannot restore the tables from {path}"))?;
        Ok(true)
    }

    /// Stops accepting connections, waits for running requests and closes the file. Blocks for some seconds at most.
    pub fn stop(mut self) {
        self.shut_down();
    }

    fn shut_down(&mut self) {
        in_process::unregister(self.address.port());
        drop(self.stop.take());
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the DynamoDB thread panicked");
        }
    }
}

impl Drop for EmbeddedDynamo {
    fn drop(&mut self) {
        self.shut_down();
    }
}

/// Serves until the sender of `stopped` is dropped, then waits for running requests until the timeout.
async fn serve(listener: TcpListener, pool: Arc<Pool>, stopped: oneshot::Receiver<()>) {
    let listener = match tokio::net::TcpListener::from_std(listener) {
        Ok(listener) => listener,
        Err(error) => return tracing::error!(%error, "cannot serve DynamoDB"),
    };
    let (shutdown_started, shutdown_start) = oneshot::channel();
    let shutdown_signal = async move {
        // Nothing is ever sent: the error says that the sender was dropped.
        let _ = stopped.await;
        let _ = shutdown_started.send(());
    };
    tokio::select! {
        result = axum::serve(listener, proxy::router(pool)).with_graceful_shutdown(shutdown_signal).into_future() => {
            if let Err(error) = result {
                tracing::error!(%error, "DynamoDB stopped");
            }
        }
        () = shutdown_timeout(shutdown_start) => tracing::warn!("requests to DynamoDB were cut off by the stop"),
    }
}

async fn shutdown_timeout(start: impl Future) {
    start.await;
    tokio::time::sleep(SHUTDOWN_TIMEOUT).await;
}

#[cfg(test)]
mod tests;
