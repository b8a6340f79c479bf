//! The API as clients see it.

mod authorization;
pub(crate) mod categories;
mod contract;
mod hostile;
pub(crate) mod reviews;
mod sample;
mod smoke;
