//! The page that invitations lead to.

mod accepting;
mod names;
mod requests;
mod states;
