//! Local stacks that run on this machine: each writes a file when it is ready, by which `ops --local` finds it.

use std::fs::{self, File, TryLockError};
use std::io::{self, Seek as _, Write as _};
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::config::state_folder;

/// Folder of the files, below that of the user's state.
const FOLDER: &str = "presence/stacks";

/// True if the URL of an endpoint names this machine by itself. Other names may lead to this machine, too, but nobody can be sure.
pub fn is_on_this_machine(endpoint_url: &str) -> bool {
    let Ok(uri) = endpoint_url.parse::<http::Uri>() else { return false };
    let host = uri.scheme().and(uri.host()).unwrap_or_default().to_ascii_lowercase();
    match host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>() {
        Ok(address) => address.is_loopback(),
        Err(_) => host == "localhost" || host.ends_with(".localhost"),
    }
}

/// Addresses and tables of a running stack. There are no keys in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunningStack {
    /// Base URL of the API.
    pub base_url: String,
    /// Endpoint of its `DynamoDB`.
    pub dynamodb_url: String,
    /// Prefix of the names of its tables.
    pub table_prefix: String,
    /// Full name of the table of the audit trail, if it does not begin with the prefix.
    pub audit_table: Option<String>,
    /// Full name of the table of reviews, if it does not begin with the prefix.
    pub reviews_table: Option<String>,
}

/// File of a stack that runs in this process. Dropping it removes the file; if the process is killed, the file stays, but its lock is free.
#[derive(Debug)]
pub struct StackFile {
    path: PathBuf,
    _locked: File,
}

/// Stacks of this user, as their files say.
#[derive(Debug, Default)]
pub struct FoundStacks {
    /// Stacks that run, the one that was ready last at the end.
    pub running: Vec<RunningStack>,
    /// Files of stacks that were killed.
    pub stale: Vec<PathBuf>,
}

impl StackFile {
    /// Writes the file of this process, and removes those of stacks that were killed. Returns `None` if the user has no folder for state.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub fn write(stack: &RunningStack) -> io::Result<Option<Self>> {
        state_folder().map(|state| Self::write_below(&state, stack)).transpose()
    }

    /// Writes the file as [`StackFile::write`], below another folder for state.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub fn write_below(state: &Path, stack: &RunningStack) -> io::Result<Self> {
        let folder = state.join(FOLDER);
        fs::create_dir_all(&folder)?;
        for stale in FoundStacks::in_folder(&folder)?.stale {
            let _ = fs::remove_file(stale);
        }
        let path = folder.join(format!("{}.json", std::process::id()));
        let mut file = File::options().create(true).truncate(false).write(true).open(&path)?;
        file.lock()?;
        file.set_len(0)?;
        file.rewind()?;
        serde_json::to_writer(&file, stack)?;
        file.flush()?;
        Ok(Self { path, _locked: file })
    }
}

impl Drop for StackFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

impl FoundStacks {
    /// Reads the files of this user's stacks. There are none without a folder for state.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be read.
    pub fn find() -> io::Result<Self> {
        state_folder().map_or_else(|| Ok(Self::default()), |state| Self::in_folder(&state.join(FOLDER)))
    }

    fn in_folder(folder: &Path) -> io::Result<Self> {
        let entries = match fs::read_dir(folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            entries => entries?,
        };
        let (mut running, mut stale) = (Vec::new(), Vec::new());
        for entry in entries {
            let path = entry?.path();
            // A stack that stops meanwhile removes its file.
            let Ok(file) = File::open(&path) else { continue };
            if matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)) {
                let written_at = file.metadata()?.modified()?;
                // One that is being written is not ready.
                running.extend(serde_json::from_reader(&file).ok().map(|stack| (written_at, stack)));
            } else {
                stale.push(path);
            }
        }
        running.sort_by_key(|(written_at, _)| *written_at);
        Ok(Self { running: running.into_iter().map(|(_, stack)| stack).collect(), stale })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_are_on_it() {
        for local in ["http://127.0.0.1:8000", "http://LocalHost:8000/", "http://[::1]:1", "https://db.localhost"] {
            assert!(is_on_this_machine(local), "{local}");
        }
        for other in [
            "",
            "localhost",
            "127.0.0.1:8000",
            "https://dynamodb.eu-west-1.amazonaws.com",
            "http://localhost.example.org",
            "http://127.0.0.1@db.example.org",
            "http://192.168.0.1:8000",
            "http://[::2]",
        ] {
            assert!(!is_on_this_machine(other), "{other}");
        }
    }
}
