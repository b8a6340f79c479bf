//! Who may do what: the matrix of roles, operations and targets, held against a table that was written from the
//! project's decisions and not from the code.

mod crowd;
mod edges;
pub(crate) mod gate;
mod keys;
mod last_admin;
mod matrix;
mod paper;
mod policy;
mod reading;
mod reviews;
