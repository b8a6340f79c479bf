//! The page that invitations lead to.

mod accepting;
pub(crate) mod names;
mod requests;
mod states;
