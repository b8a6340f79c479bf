//! Limit of a process by a control group of Linux, version 2 or 1.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::memory::{Memory, PERIOD};

/// Folder of all control groups.
const ROOT: &str = "/sys/fs/cgroup";
/// Weight of a function in version 2: the largest one, so that other processes of the machine do not slow it down.
const WEIGHT: &str = "10000";
/// Weight of a function in version 1: the largest one.
const SHARES: &str = "262144";
/// Attempts to remove a group. With a period between them, they give a killed process time to leave it.
const REMOVALS: u32 = 10;

/// Control group with a limit. It is removed when it is dropped, if its processes have ended.
#[derive(Debug)]
pub(super) struct Cgroup {
    folder: PathBuf,
}

impl Cgroup {
    /// Creates a control group. Returns `None` if this process may not.
    pub(super) fn new(name: &str, memory: Memory) -> Option<Self> {
        let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        Self::create_under(Path::new(ROOT), &own, name, memory)
    }

    fn create_under(root: &Path, own: &str, name: &str, memory: Memory) -> Option<Self> {
        v2_folders(root, own)
            .into_iter()
            .filter(|parent| has_cpu_controller(parent))
            .find_map(|parent| Self::create_v2(parent.join(name), memory).ok())
            .or_else(|| Self::create_v1(root.join("cpu").join(name), memory).ok())
    }

    fn create_v2(folder: PathBuf, memory: Memory) -> io::Result<Self> {
        let quota = format!("{} {}", memory.quota().as_micros(), PERIOD.as_micros());
        Self::create(folder, [("cpu.max", &quota), ("cpu.weight", WEIGHT)])
    }

    fn create_v1(folder: PathBuf, memory: Memory) -> io::Result<Self> {
        let [period, quota] = [PERIOD, memory.quota()].map(|time| time.as_micros().to_string());
        Self::create(folder, [("cpu.cfs_period_us", &period), ("cpu.cfs_quota_us", &quota), ("cpu.shares", SHARES)])
    }

    fn create<const N: usize>(folder: PathBuf, settings: [(&str, &str); N]) -> io::Result<Self> {
        fs::create_dir(&folder)?;
        let group = Self { folder };
        settings.into_iter().try_for_each(|(file, value)| group.write(file, value))?;
        Ok(group)
    }

    /// Adds a process with all its threads.
    pub(super) fn add_process(&self, process: u32) -> io::Result<()> {
        self.write("cgroup.procs", &process.to_string())
    }

    fn write(&self, file: &str, value: &str) -> io::Result<()> {
        fs::write(self.folder.join(file), value)
    }
}

impl Drop for Cgroup {
    /// Removes the group. A killed process leaves it with a delay.
    fn drop(&mut self) {
        for _ in 0..REMOVALS {
            if fs::remove_dir(&self.folder).is_ok() {
                return;
            }
            std::thread::sleep(PERIOD);
        }
    }
}

/// Returns the folders of version 2 that may take a new group: that of this process and its ancestors, nearest first.
fn v2_folders(root: &Path, own: &str) -> Vec<PathBuf> {
    let path = own.lines().find_map(|line| line.strip_prefix("0::/")).unwrap_or_default();
    let folder = root.join(path);
    folder.ancestors().take_while(|folder| folder.starts_with(root)).map(Path::to_owned).collect()
}

/// True if groups in this folder can limit processors.
fn has_cpu_controller(folder: &Path) -> bool {
    let controllers = fs::read_to_string(folder.join("cgroup.subtree_control")).unwrap_or_default();
    controllers.split_whitespace().any(|controller| controller == "cpu")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(file: PathBuf) -> String {
        fs::read_to_string(file).expect("written")
    }

    #[test]
    fn nearest_ancestor_that_can_limit_processors_is_used() {
        let root = tempfile::tempdir().expect("a folder");
        let own = root.path().join("user/session");
        fs::create_dir_all(&own).expect("created");
        fs::write(root.path().join("cgroup.subtree_control"), "cpu memory\n").expect("written");
        fs::write(root.path().join("user/cgroup.subtree_control"), "memory cpuset\n").expect("written");
        let group =
            Cgroup::create_under(root.path(), "1:cpu:/x\n0::/user/session\n", "bench", Memory(256)).expect("created");
        assert_eq!(group.folder, root.path().join("bench"));
        assert_eq!(read(root.path().join("bench/cpu.max")), "2894 20000");
        group.add_process(17).expect("added");
        assert_eq!(read(root.path().join("bench/cgroup.procs")), "17");
    }

    #[test]
    fn version_1_is_used_without_version_2_and_none_without_both() {
        let root = tempfile::tempdir().expect("a folder");
        assert!(Cgroup::create_under(root.path(), "0::/\n", "bench", Memory(256)).is_none());
        fs::create_dir(root.path().join("cpu")).expect("created");
        let group = Cgroup::create_under(root.path(), "1:cpu:/\n0::/\n", "bench", Memory(128)).expect("created");
        assert_eq!(group.folder, root.path().join("cpu/bench"));
        assert_eq!(read(root.path().join("cpu/bench/cpu.cfs_quota_us")), "1447");
        assert_eq!(read(root.path().join("cpu/bench/cpu.cfs_period_us")), "20000");
    }
}
