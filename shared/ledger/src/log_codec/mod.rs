//! Binary form of the log, and of the directory of an organisation's trees.

mod changes;
mod directory;

pub use changes::{decode_changes, encode_changes};
pub(crate) use directory::short_hash;
pub use directory::{DIRECTORY_BUCKETS, Directory, DirectoryBucket, directory_hash};
