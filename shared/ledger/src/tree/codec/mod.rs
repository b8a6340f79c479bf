//! Binary forms of roots, branches and leaves.
//!
//! All begin with the version of the format. Integers take as few bytes as they need, seconds are differences from those before, and
//! counts are bits. Bytes that are damaged give an error: no input panics, and none takes more memory than a multiple of its length.

mod bits;
mod branch;
mod bytes;
mod counts;
mod keys;
mod leaf;
mod oldest;
mod periods;
mod root;
mod summary;

pub use branch::{decode_branch, decode_branch_matches, encode_branch};
pub(crate) use bytes::{ByteReader, ByteWriter};
pub use leaf::{decode_leaf, decode_leaf_matches, encode_leaf};
pub use oldest::{decode_oldest, encode_oldest};
pub use root::{decode_root, encode_root};
pub use summary::{PeriodSummary, RootSummary};

/// Occurs when stored bytes are not what they should be: damaged, or written by a later version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodeError(pub &'static str);

impl std::fmt::Display for DecodeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "stored bytes of the ledger cannot be read: {}", self.0)
    }
}

impl std::error::Error for DecodeError {}
