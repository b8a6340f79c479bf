//! Mailer of SES.
//!
//! It is a crate of its own, because the local stack runs the mailer without it, and the SDK of SES takes long to compile.

mod ses;

pub use ses::SesMailer;
