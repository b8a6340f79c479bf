//! Database of the emulator: in memory, or in a data folder, which one process at a time uses.

use std::fs::{File, TryLockError};
use std::path::Path;

use anyhow::{Context as _, anyhow};
use dynoxide::Database;
use dynoxide::storage::Storage;

/// Name of the database file in the data folder.
pub(super) const FILE_NAME: &str = "presence.sqlite";
/// Name of the file in the data folder that a running stack locks.
const LOCK_NAME: &str = "presence.lock";

/// Index and window of the records of streams. The emulator has neither: each write would read all records of its stream to number its
/// own, and none would ever be deleted. A reader of a stream here is never 50,000 records behind.
const STREAMS: &str = "
    CREATE INDEX IF NOT EXISTS stream_positions ON _stream_records (table_name, CAST(sequence_number AS INTEGER));
    CREATE TRIGGER IF NOT EXISTS stream_window AFTER INSERT ON _stream_records WHEN NEW.id % 1000 = 0
    BEGIN DELETE FROM _stream_records WHERE id <= NEW.id - 50000; END;";

/// Creates the data folder if it is missing, and locks it: two processes on one database would spoil each other's data.
pub(super) fn lock_folder(folder: &Path) -> anyhow::Result<File> {
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

/// Opens the database in memory, or in the data folder.
pub(super) fn open_database(data: Option<&Path>) -> anyhow::Result<Database> {
    let Some(folder) = data else {
        return open_in_memory().context("cannot open a database in memory");
    };
    let file = folder.join(FILE_NAME);
    let path = utf8(&file)?;
    prepare_streams(path).with_context(|| format!("cannot open the database file {path}"))?;
    Database::new(path).with_context(|| format!("cannot open the database file {path}"))
}

/// Opens a database in memory, as a copy of an empty file with what streams need.
fn open_in_memory() -> anyhow::Result<Database> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join(FILE_NAME);
    let path = utf8(&file)?;
    prepare_streams(path)?;
    let database = Database::memory()?;
    database.restore_from(path)?;
    Ok(database)
}

/// Returns a path as text, which the emulator wants.
pub(super) fn utf8(path: &Path) -> anyhow::Result<&str> {
    path.to_str().with_context(|| format!("the path {} is not valid UTF-8", path.display()))
}

/// Adds what streams need to a database file, which is made if it is missing.
fn prepare_streams(path: &str) -> anyhow::Result<()> {
    Storage::new(path)?.conn().execute_batch(STREAMS)?;
    Ok(())
}
