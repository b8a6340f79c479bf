//! The log of an organisation's reviews in storage.
//!
//! The partition of a log has a **lane item** for each lane, **sealed chunks** with older changes, and the directory of the
//! organisation's trees. A write adds its changes to the lane item, and seals them in a chunk when there are many. A fold
//! brings the changes into the trees, and then deletes chunks and attributes that nobody needs any more.

mod append;
mod due_folds;
pub(crate) mod items;
mod lanes;

pub(crate) use append::{LaneAppend, MAX_UNSEALED, changes_by_lane, lanes_of};
pub(crate) use due_folds::DueFolds;
pub(crate) use lanes::{LaneCache, LaneKey};
