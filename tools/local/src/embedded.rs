//! Embedded `DynamoDB`: an emulator in this process, with its data in memory or in one file.

mod proxy;

use std::collections::HashMap;
use std::fs::{File, TryLockError};
use std::future::{Future, IntoFuture as _};
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::{Context, anyhow};
use aws_sdk_dynamodb::types::AttributeValue;
use dynoxide::storage::Storage;
use dynoxide::{Database, ImportOptions};
use presence_domain::error::Error;
use presence_domain::ledger::tree::FACETS_FROM;
use presence_domain::review::Review;
use presence_store::{OrgPostings, Stores, bulk_review_items, schema};
use tokio::sync::oneshot;

use crate::listen::listen;

/// Name of the database file in the data folder.
const FILE_NAME: &str = "presence.sqlite";
/// Name of the file in the data folder that a running stack locks.
const LOCK_NAME: &str = "presence.lock";

/// Index and window of the records of streams. The emulator has neither: each write would read all records of its stream to number its
/// own, and none would ever be deleted. Whoever reads a stream here is never 50,000 records behind.
const STREAMS: &str = "
    CREATE INDEX IF NOT EXISTS stream_positions ON _stream_records (table_name, CAST(sequence_number AS INTEGER));
    CREATE TRIGGER IF NOT EXISTS stream_window AFTER INSERT ON _stream_records WHEN NEW.id % 1000 = 0
    BEGIN DELETE FROM _stream_records WHERE id <= NEW.id - 50000; END;";

/// Number of items of trees that are imported at a time: some 40 MB.
const IMPORT_CHUNK: usize = 10_000;

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
        listener.set_nonblocking(true).context("cannot prepare the DynamoDB socket")?;
        let address = listener.local_addr().context("cannot read the DynamoDB socket's address")?;
        let (stop, stopped) = oneshot::channel();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .context("cannot start a runtime for DynamoDB")?;
        let served_database = database.clone();
        // Its handlers block on SQLite. On the caller's runtime, they would starve all other tasks.
        let thread = std::thread::Builder::new()
            .name("dynamodb".to_owned())
            .spawn(move || runtime.block_on(serve(listener, served_database, stopped)))
            .context("cannot start the DynamoDB thread")?;
        Ok(Self { address, database, stop: Some(stop), thread: Some(thread), _lock: lock })
    }

    /// Returns the endpoint URL for SDK clients, such as `http://127.0.0.1:8000`. It accepts any credentials and region.
    pub fn endpoint_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Imports many items into a table without the HTTP protocol, which would take ten times as long. Writes no stream records.
    /// Returns the number of bytes, as `DynamoDB` counts them.
    pub fn import(&self, table: &str, items: Vec<HashMap<String, AttributeValue>>) -> anyhow::Result<usize> {
        let items: anyhow::Result<Vec<_>> = items.into_iter().map(embedded_item).collect();
        Ok(self.database.import_items(table, items?, ImportOptions::default())?.bytes_imported)
    }

    /// Imports the trees and the directory of an organisation, whose reviews are imported one by one. Returns the number of bytes.
    pub fn import_trees(&self, table: &str, postings: OrgPostings) -> anyhow::Result<usize> {
        let (mut items, mut bytes) = (Vec::new(), 0);
        postings.into_items(FACETS_FROM, |item| {
            items.push(item);
            if items.len() >= IMPORT_CHUNK {
                bytes += self.import(table, std::mem::take(&mut items)).map_err(Error::internal)?;
            }
            Ok(())
        })?;
        Ok(bytes + self.import(table, items)?)
    }

    /// Speeds up writes at the cost of durability: a power cut may corrupt the file. For data that can be generated again.
    pub fn enable_bulk_loading(&self) -> anyhow::Result<()> {
        self.database.enable_bulk_loading().context("cannot set the database up for bulk loading")
    }

    /// Imports all reviews of some organisations, and the items that count them.
    pub(crate) fn fill_reviews(&self, store: &Stores, reviews: &[Review], facets_from: i64) -> anyhow::Result<()> {
        self.import(&store.database.name(&schema::REVIEWS), bulk_review_items(reviews, facets_from)?).map(drop)
    }

    /// Stops accepting connections, waits for running requests and closes the file. Blocks for some seconds at most.
    pub fn stop(mut self) {
        self.shut_down();
    }

    fn shut_down(&mut self) {
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

/// Converts an item into the emulator's own type. Sets are not supported: the service stores none.
fn embedded_item(item: HashMap<String, AttributeValue>) -> anyhow::Result<dynoxide::Item> {
    item.into_iter().map(|(name, value)| Ok((name, embedded_value(value)?))).collect()
}

fn embedded_value(value: AttributeValue) -> anyhow::Result<dynoxide::AttributeValue> {
    Ok(match value {
        AttributeValue::S(text) => dynoxide::AttributeValue::S(text),
        AttributeValue::N(digits) => dynoxide::AttributeValue::N(digits),
        AttributeValue::B(bytes) => dynoxide::AttributeValue::B(bytes.into_inner()),
        AttributeValue::Bool(is_true) => dynoxide::AttributeValue::BOOL(is_true),
        AttributeValue::Null(is_null) => dynoxide::AttributeValue::NULL(is_null),
        AttributeValue::L(values) => {
            dynoxide::AttributeValue::L(values.into_iter().map(embedded_value).collect::<Result<_, _>>()?)
        }
        AttributeValue::M(item) => dynoxide::AttributeValue::M(embedded_item(item)?),
        other => return Err(anyhow!("{other:?} is of a type that the service does not store")),
    })
}

/// Creates the data folder if it is missing, and locks it: two processes on one database would spoil each other's data.
fn lock_folder(folder: &Path) -> anyhow::Result<File> {
    let shown = folder.display();
    std::fs::create_dir_all(folder).with_context(|| format!("cannot create the data folder {shown}"))?;
    let file =
        File::create(folder.join(LOCK_NAME)).with_context(|| format!("cannot write to the data folder {shown}"))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(anyhow!(
            "another local stack uses the data folder {shown}: stop it, or name another folder with --data"
        )),
        Err(TryLockError::Error(error)) => Err(error).with_context(|| format!("cannot lock the data folder {shown}")),
    }
}

fn open_database(data: Option<&Path>) -> anyhow::Result<Database> {
    let Some(folder) = data else {
        return open_in_memory().context("cannot open a database in memory");
    };
    let file = folder.join(FILE_NAME);
    let path = file.to_str().with_context(|| format!("the path {} is not valid UTF-8", file.display()))?;
    prepare_streams(path).with_context(|| format!("cannot open the database file {path}"))?;
    Database::new(path).with_context(|| format!("cannot open the database file {path}"))
}

/// Opens a database in memory, as a copy of an empty file with what streams need.
fn open_in_memory() -> anyhow::Result<Database> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join(FILE_NAME);
    let path = file.to_str().context("the path of the temporary files is not valid UTF-8")?;
    prepare_streams(path)?;
    let database = Database::memory()?;
    database.restore_from(path)?;
    Ok(database)
}

/// Adds what streams need to a database file, which is made if it is missing.
fn prepare_streams(path: &str) -> anyhow::Result<()> {
    Storage::new(path)?.conn().execute_batch(STREAMS)?;
    Ok(())
}

/// Serves until the sender of `stopped` is dropped, then waits for running requests until the timeout.
async fn serve(listener: TcpListener, database: Database, stopped: oneshot::Receiver<()>) {
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
        result = axum::serve(listener, proxy::router(database)).with_graceful_shutdown(shutdown_signal).into_future() => {
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
mod tests {
    use super::*;
    use aws_sdk_dynamodb::Client;
    use aws_sdk_dynamodb::config::{BehaviorVersion, Credentials, Region};
    use aws_sdk_dynamodb::types::{
        AttributeDefinition, BillingMode, KeySchemaElement, KeyType, ScalarAttributeType, TableDescription,
    };

    fn client(dynamo: &EmbeddedDynamo) -> Client {
        let config = aws_sdk_dynamodb::Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::new("local"))
            .credentials_provider(Credentials::new("local", "local", None, None, "test"))
            .endpoint_url(dynamo.endpoint_url())
            .build();
        Client::from_conf(config)
    }

    async fn create_table(client: &Client, name: &str) -> Option<TableDescription> {
        let attribute = AttributeDefinition::builder().attribute_name("pk").attribute_type(ScalarAttributeType::S);
        let key = KeySchemaElement::builder().attribute_name("pk").key_type(KeyType::Hash);
        client
            .create_table()
            .table_name(name)
            .billing_mode(BillingMode::PayPerRequest)
            .attribute_definitions(attribute.build().expect("attribute is complete"))
            .key_schema(key.build().expect("key is complete"))
            .send()
            .await
            .expect("table is created")
            .table_description
    }

    async fn list_tables(client: &Client) -> Vec<String> {
        client.list_tables().send().await.expect("tables are listed").table_names.unwrap_or_default()
    }

    #[tokio::test]
    async fn instances_serve_sdk_clients_and_share_no_tables() {
        let first = EmbeddedDynamo::start(0, None).expect("starts");
        let second = EmbeddedDynamo::start(0, None).expect("a second one starts beside it");
        create_table(&client(&first), "users").await.expect("described");
        assert_eq!(list_tables(&client(&first)).await, ["users"]);
        assert!(list_tables(&client(&second)).await.is_empty());
    }

    #[tokio::test]
    async fn data_folder_keeps_its_tables_after_a_stop() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let data = folder.path().join("new").join("data");
        let dynamo = EmbeddedDynamo::start(0, Some(&data)).expect("starts in a folder that it creates");
        create_table(&client(&dynamo), "users").await.expect("described");
        dynamo.stop();
        assert!(data.join(FILE_NAME).is_file());
        let dynamo = EmbeddedDynamo::start(0, Some(&data)).expect("starts again");
        assert_eq!(list_tables(&client(&dynamo)).await, ["users"]);
    }

    #[test]
    fn dropped_instance_frees_its_port() {
        let dynamo = EmbeddedDynamo::start(0, None).expect("starts");
        let port = dynamo.address.port();
        let error = EmbeddedDynamo::start(port, None).expect_err("the port is taken");
        assert_eq!(
            error.to_string(),
            format!(
                "cannot listen on 127.0.0.1:{port} for DynamoDB: another program uses the port; --dynamodb-port 0 picks a free one"
            )
        );
        drop(dynamo);
        EmbeddedDynamo::start(port, None).expect("the port is free again");
    }

    #[test]
    fn incomplete_request_does_not_block_the_stop() {
        use std::io::Write;
        let dynamo = EmbeddedDynamo::start(0, None).expect("starts");
        let mut socket = std::net::TcpStream::connect(dynamo.address).expect("connects");
        socket.write_all(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{").expect("writes");
        std::thread::sleep(Duration::from_millis(50));
        dynamo.stop();
    }

    #[test]
    fn error_names_the_folder_that_cannot_be_created() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let file = folder.path().join("file");
        std::fs::write(&file, "not a folder").expect("file is written");
        let error = EmbeddedDynamo::start(0, Some(&file.join("data"))).expect_err("a file is no folder");
        assert!(error.to_string().contains(&file.display().to_string()), "{error}");
        std::fs::create_dir(folder.path().join(FILE_NAME)).expect("folder is made");
        let error = EmbeddedDynamo::start(0, Some(folder.path())).expect_err("a folder is no database");
        assert!(error.to_string().contains(FILE_NAME), "{error}");
    }
}
