//! The ledger past HTTP: what no request can ask for, and tables filled at once.

mod drift;
mod model;
mod oracle;
mod scheduled;
