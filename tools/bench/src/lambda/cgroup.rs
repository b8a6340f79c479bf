//! A limit by a control group of Linux: version 2, or the older one.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::memory::{Memory, PERIOD};

/// Where control groups are.
const ROOT: &str = "/sys/fs/cgroup";
/// The weight of a function against the machine's other work, which must not be measured: the most that there is.
const WEIGHT: &str = "10000";
const SHARES: &str = "262144";
/// Attempts to remove a group: with a period between them, enough for a process to end.
const REMOVALS: u32 = 10;

/// A control group with a limit. Dropped, it is removed, if no process is in it any more.
#[derive(Debug)]
pub(super) struct Cgroup {
    folder: PathBuf,
    pub(super) version: u8,
}

impl Cgroup {
    /// Makes one of this name, where this process may. Returns nothing where it may not.
    pub(super) fn new(name: &str, memory: Memory) -> Option<Self> {
        let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        Self::create_below(Path::new(ROOT), &own, name, memory)
    }

    fn create_below(root: &Path, own: &str, name: &str, memory: Memory) -> Option<Self> {
        v2_folders(root, own)
            .into_iter()
            .filter(|parent| has_cpu_controller(parent))
            .find_map(|parent| Self::create_v2(parent.join(name), memory).ok())
            .or_else(|| Self::create_v1(root.join("cpu").join(name), memory).ok())
    }

    fn create_v2(folder: PathBuf, memory: Memory) -> io::Result<Self> {
        fs::create_dir(&folder)?;
        let group = Self { folder, version: 2 };
        group.write("cpu.max", &format!("{} {}", memory.quota().as_micros(), PERIOD.as_micros()))?;
        group.write("cpu.weight", WEIGHT)?;
        Ok(group)
    }

    fn create_v1(folder: PathBuf, memory: Memory) -> io::Result<Self> {
        fs::create_dir(&folder)?;
        let group = Self { folder, version: 1 };
        group.write("cpu.cfs_period_us", &PERIOD.as_micros().to_string())?;
        group.write("cpu.cfs_quota_us", &memory.quota().as_micros().to_string())?;
        group.write("cpu.shares", SHARES)?;
        Ok(group)
    }

    /// Takes a process in, with all its threads.
    pub(super) fn add_process(&self, process: u32) -> io::Result<()> {
        self.write("cgroup.procs", &process.to_string())
    }

    fn write(&self, file: &str, value: &str) -> io::Result<()> {
        fs::write(self.folder.join(file), value)
    }
}

impl Drop for Cgroup {
    /// Removes it. A process that was just killed leaves it a moment later.
    fn drop(&mut self) {
        for _ in 0..REMOVALS {
            if fs::remove_dir(&self.folder).is_ok() {
                return;
            }
            std::thread::sleep(PERIOD);
        }
    }
}

/// Returns the folders of version 2 that a group may be made in: this process's own, and those above it.
fn v2_folders(root: &Path, own: &str) -> Vec<PathBuf> {
    let path = own.lines().find_map(|line| line.strip_prefix("0::/")).unwrap_or_default();
    let folder = root.join(path);
    folder.ancestors().take_while(|folder| folder.starts_with(root)).map(Path::to_owned).collect()
}

/// True if the groups in a folder can have a limit of the processor.
fn has_cpu_controller(folder: &Path) -> bool {
    let controllers = fs::read_to_string(folder.join("cgroup.subtree_control")).unwrap_or_default();
    controllers.split_whitespace().any(|controller| controller == "cpu")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(file: PathBuf) -> String {
        fs::read_to_string(file).expect("written")
    }

    #[test]
    fn the_nearest_group_above_that_may_limit_processors_is_used() {
        let root = tempfile::tempdir().expect("a folder");
        let own = root.path().join("user/session");
        fs::create_dir_all(&own).expect("made");
        fs::write(root.path().join("cgroup.subtree_control"), "cpu memory\n").expect("written");
        fs::write(root.path().join("user/cgroup.subtree_control"), "memory cpuset\n").expect("written");
        let group =
            Cgroup::create_below(root.path(), "1:cpu:/x\n0::/user/session\n", "bench", Memory(256)).expect("made");
        assert_eq!((group.version, &group.folder), (2, &root.path().join("bench")));
        assert_eq!(text(root.path().join("bench/cpu.max")), "2894 20000");
        group.add_process(17).expect("taken");
        assert_eq!(text(root.path().join("bench/cgroup.procs")), "17");
    }

    #[test]
    fn without_version_2_the_older_one_is_used_and_without_both_none() {
        let root = tempfile::tempdir().expect("a folder");
        assert!(Cgroup::create_below(root.path(), "0::/\n", "bench", Memory(256)).is_none());
        fs::create_dir(root.path().join("cpu")).expect("made");
        let group = Cgroup::create_below(root.path(), "1:cpu:/\n0::/\n", "bench", Memory(128)).expect("made");
        assert_eq!(group.version, 1);
        assert_eq!(text(root.path().join("cpu/bench/cpu.cfs_quota_us")), "1447");
        assert_eq!(text(root.path().join("cpu/bench/cpu.cfs_period_us")), "20000");
    }
}
