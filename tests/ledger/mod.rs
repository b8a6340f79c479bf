//! The ledger past HTTP: what no request can ask for, and tables filled at once.

mod model;
mod oracle;
