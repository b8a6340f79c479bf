//! Imports while the database breaks, and searches while reviews are written: whatever happens, tables and answers are right.

mod broken;
mod categories;
mod conflicts;
pub(crate) mod crowd;
pub(crate) mod dock;
mod meanwhile;
mod moves;
mod pressed;
mod quiet;
