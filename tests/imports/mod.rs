//! Imports of reviews while the database breaks: whatever happens, running them again ends in the same tables.

mod broken;
mod dock;
