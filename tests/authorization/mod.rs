//! Who may do what: the matrix of roles, operations and targets, held against a table that was written from the
//! project's decisions and not from the code.

mod expected_policy;
mod guarded_fields;
mod keys;
mod last_admin;
mod matrix;
mod policy;
mod reading;
mod requests;
mod reviews;
