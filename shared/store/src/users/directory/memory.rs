//! Memory that directories take: those of the cache, and those that requests hold.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use presence_domain::user_directory::UserDirectory;

/// Counter of the bytes of all directories in memory.
#[derive(Debug, Default)]
pub(super) struct MemoryCounter {
    present: AtomicUsize,
    pub(super) peak: AtomicUsize,
}

impl MemoryCounter {
    fn add(&self, bytes: usize) {
        let present = self.present.fetch_add(bytes, Ordering::Relaxed) + bytes;
        self.peak.fetch_max(present, Ordering::Relaxed);
    }
}

/// Directory whose bytes are counted as long as it is in memory.
#[derive(Debug)]
pub(crate) struct MeasuredDirectory {
    pub(super) directory: Arc<UserDirectory>,
    pub(super) bytes: AtomicUsize,
    counter: Arc<MemoryCounter>,
}

impl MeasuredDirectory {
    pub(super) fn new(directory: Arc<UserDirectory>, counter: &Arc<MemoryCounter>) -> Self {
        let bytes = directory.heap_bytes();
        counter.add(bytes);
        Self { directory, bytes: AtomicUsize::new(bytes), counter: Arc::clone(counter) }
    }

    /// Measures the directory again. True if it has grown.
    pub(super) fn measure(&self) -> bool {
        let bytes = self.directory.heap_bytes();
        let before = self.bytes.fetch_max(bytes, Ordering::Relaxed);
        let growth = bytes.saturating_sub(before);
        self.counter.add(growth);
        growth > 0
    }
}

impl Deref for MeasuredDirectory {
    type Target = UserDirectory;

    fn deref(&self) -> &UserDirectory {
        &self.directory
    }
}

impl Drop for MeasuredDirectory {
    fn drop(&mut self) {
        self.counter.present.fetch_sub(*self.bytes.get_mut(), Ordering::Relaxed);
    }
}
