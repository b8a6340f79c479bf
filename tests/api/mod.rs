//! The API as clients see it.

mod authorization;
mod contract;
mod hostile;
mod smoke;
