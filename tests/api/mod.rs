//! The API as clients see it.

mod authorization;
mod contract;
mod hostile;
pub(crate) mod reviews;
mod smoke;
