//! A `PostgreSQL` server of our own in a temporary folder, reached by a socket in it and by nothing else.

use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, ensure};
use tempfile::TempDir;

use super::note;

/// Where Debian's package has its programs.
const PROGRAMS: &str = "/usr/lib/postgresql/15/bin";
/// The server refuses to run as root: then it runs as the user that Debian's package makes.
const UNPRIVILEGED_USER: &str = "postgres";
/// What to do without it.
pub(super) const MISSING: &str =
    "PostgreSQL 15 is not installed (Debian: apt-get install postgresql-15): it is left out";

/// For a machine of some 16 GB and two cores, on which nothing else runs, and for reading: everything fits into the buffers,
/// plans know the values, counts are made by all cores.
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

/// A running server. Dropped, it stops and its folder goes.
pub(super) struct PostgresServer {
    folder: TempDir,
}

impl PostgresServer {
    /// Whether its programs are there.
    pub(super) fn is_installed() -> bool {
        Path::new(PROGRAMS).join("postgres").exists()
    }

    /// Makes an empty one.
    pub(super) fn start() -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        if is_root() {
            let (user, group) = (id_of("-u")?, id_of("-g")?);
            chown(folder.path(), Some(user), Some(group)).context("cannot give the folder to the server's user")?;
        }
        let cluster = Self { folder };
        let data = cluster.data();
        run(program("initdb")
            .args(["--no-sync", "--auth=trust", "--username=bench", "--locale=C", "--encoding=UTF8"])
            .arg("-D")
            .arg(&data))?;
        let settings = format!("{SETTINGS}unix_socket_directories = '{}'\n", cluster.socket().display());
        let file = data.join("postgresql.conf");
        let defaults = std::fs::read_to_string(&file)?;
        std::fs::write(&file, defaults + &settings)?;
        run(program("pg_ctl").arg("start").arg("--wait").arg("-D").arg(&data).arg("-l").arg(data.join("log")))?;
        Ok(cluster)
    }

    /// The folder of its socket.
    pub(super) fn socket(&self) -> &Path {
        self.folder.path()
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        // Its data go with the folder: nothing has to be written any more.
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
    // The server keeps what it inherits open: a pipe would never end.
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::inherit()).current_dir("/");
    command
}

fn run(command: &mut Command) -> anyhow::Result<()> {
    let status = command.status().with_context(|| format!("cannot run {command:?}"))?;
    ensure!(status.success(), "{command:?}: {status}");
    Ok(())
}

/// A number of the unprivileged user: `-u` or `-g`.
fn id_of(which: &str) -> anyhow::Result<u32> {
    let output = Command::new("id").args([which, UNPRIVILEGED_USER]).output()?;
    let number = String::from_utf8(output.stdout)?;
    number.trim().parse().with_context(|| format!("there is no user {UNPRIVILEGED_USER}"))
}
