//! The mailer function.

pub mod message;
