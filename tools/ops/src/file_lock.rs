//! Locks of files: two commands that write one output at once would spoil each other's rows.

use std::fs::{self, File, TryLockError};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::error::CommandError;

/// Opens a file for writing, and locks it until it is closed. Creates it if it is missing, and leaves its content.
///
/// # Errors
/// Occurs with the text `busy` if another process has locked the file.
pub(crate) fn open_locked(path: &Path, busy: &str) -> Result<File, CommandError> {
    let cannot_write = || format!("cannot write {}", path.display());
    let file = File::options().create(true).truncate(false).write(true).open(path).with_context(cannot_write)?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => return Err(CommandError::from_text(busy.to_owned())),
        Err(TryLockError::Error(error)) => return Err(anyhow::Error::from(error).context(cannot_write()).into()),
        Ok(()) => {}
    }
    // The process that had the lock may have renamed or deleted the file after it was opened here.
    let inode = file.metadata().with_context(cannot_write)?.ino();
    let is_in_place = fs::metadata(path).is_ok_and(|found| found.ino() == inode);
    if is_in_place { Ok(file) } else { Err(CommandError::from_text(busy.to_owned())) }
}

/// File without content that is locked, and deleted in the end.
pub(crate) struct LockFile {
    path: PathBuf,
    _locked: File,
}

impl LockFile {
    /// Creates the file, and locks it.
    ///
    /// # Errors
    /// Occurs with the text `busy` if another process has locked the file.
    pub(crate) fn create(path: PathBuf, busy: &str) -> Result<Self, CommandError> {
        let locked = open_locked(&path, busy)?;
        Ok(Self { path, _locked: locked })
    }
}

impl Drop for LockFile {
    fn drop(&mut self) {
        // The next command uses a file that is left.
        let _ = fs::remove_file(&self.path);
    }
}
