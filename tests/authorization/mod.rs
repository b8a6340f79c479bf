//! Authorisation: every role, operation and target is compared with a table that was written from the project's decisions,
//! not from the code.

mod expected_policy;
mod guarded_fields;
mod key_rights;
mod keys;
mod last_admin;
mod matrix;
mod policy;
mod reading;
mod requests;
mod reviews;
