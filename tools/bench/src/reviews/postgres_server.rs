//! `PostgreSQL` server in a temporary folder. It listens only on a socket in this folder.

use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, ensure};
use tempfile::TempDir;

use super::note;

/// Folder with the programs of Debian's package.
const PROGRAMS: &str = "/usr/lib/postgresql/15/bin";
/// User of Debian's package. The server refuses to run as root, so root runs it as this user.
const UNPRIVILEGED_USER: &str = "postgres";
/// Note for machines without `PostgreSQL`.
pub(super) const NOT_INSTALLED: &str =
    "PostgreSQL 15 is not installed (Debian: apt-get install postgresql-15): it is not compared";

/// Settings for reading, on a machine with 16 GB and two cores and no other load. All data fits into the buffers, statements are
/// planned with their values, and all cores count.
const SETTINGS: &str = "
listen_addresses = ''
shared_buffers = 4GB
effective_cache_size = 12GB
work_mem = 256MB
maintenance_work_mem = 1GB
max_wal_size = 8GB
random_page_cost = 1.1
effective_io_concurrency = 200
max_parallel_workers_per_gather = 2
max_parallel_maintenance_workers = 2
jit = off
plan_cache_mode = force_custom_plan
autovacuum = off
fsync = off
synchronous_commit = off
";

/// Running server. When it is dropped, it stops and its folder is removed.
pub(super) struct PostgresServer {
    folder: TempDir,
}

impl PostgresServer {
    /// True if the programs are installed.
    pub(super) fn is_installed() -> bool {
        Path::new(PROGRAMS).join("postgres").exists()
    }

    /// Starts a server with an empty database.
    pub(super) fn start() -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        if is_root() {
            let (user, group) = (unprivileged_id("-u")?, unprivileged_id("-g")?);
            chown(folder.path(), Some(user), Some(group)).context("cannot make the server's user own the folder")?;
        }
        let server = Self { folder };
        let data = server.data();
        run(program("initdb")
            .args(["--no-sync", "--auth=trust", "--username=bench", "--locale=C", "--encoding=UTF8"])
            .arg("-D")
            .arg(&data))?;
        let settings = format!("{SETTINGS}unix_socket_directories = '{}'\n", server.socket().display());
        let file = data.join("postgresql.conf");
        let defaults = std::fs::read_to_string(&file)?;
        std::fs::write(&file, defaults + &settings)?;
        run(program("pg_ctl").arg("start").arg("--wait").arg("-D").arg(&data).arg("-l").arg(data.join("log")))?;
        Ok(server)
    }

    /// Returns the folder of the socket.
    pub(super) fn socket(&self) -> &Path {
        self.folder.path()
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        // The folder is removed next, so the server need not write its data.
        let stopped = run(program("pg_ctl").args(["stop", "--wait", "--mode=immediate"]).arg("-D").arg(self.data()));
        if let Err(error) = stopped {
            note(&format!("PostgreSQL did not stop: {error:#}"));
        }
    }
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

fn program(name: &str) -> Command {
    let path = Path::new(PROGRAMS).join(name);
    let mut command = if is_root() {
        let mut command = Command::new("runuser");
        command.args(["-u", UNPRIVILEGED_USER, "--"]).arg(path);
        command
    } else {
        Command::new(path)
    };
    // The server inherits the standard output and keeps it open, so a pipe would never end.
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::inherit()).current_dir("/");
    command
}

fn run(command: &mut Command) -> anyhow::Result<()> {
    let status = command.status().with_context(|| format!("cannot run {command:?}"))?;
    ensure!(status.success(), "{command:?}: {status}");
    Ok(())
}

/// Returns the user id (`-u`) or the group id (`-g`) of the unprivileged user.
fn unprivileged_id(option: &str) -> anyhow::Result<u32> {
    let output = Command::new("id").args([option, UNPRIVILEGED_USER]).output()?;
    let number = String::from_utf8(output.stdout)?;
    number.trim().parse().with_context(|| format!("there is no user {UNPRIVILEGED_USER}"))
}
