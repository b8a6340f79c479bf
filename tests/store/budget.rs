//! Calls, waves and capacity units of each operation.
