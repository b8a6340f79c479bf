//! Indexes that lag behind their table.
