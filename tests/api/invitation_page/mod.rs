//! The page that invitations lead to.

mod accepting;
pub(crate) mod hostile_names;
mod http;
mod link_states;
