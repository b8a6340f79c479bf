//! The API as clients see it.

pub(crate) mod authorization;
pub(crate) mod categories;
mod contract;
mod hostile;
pub(crate) mod invitation;
mod large;
mod local_only;
mod openapi;
pub(crate) mod reviews;
mod sample;
mod smoke;
