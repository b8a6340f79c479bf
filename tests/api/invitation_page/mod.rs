//! Page behind the link of an invitation.

mod accepting;
pub(crate) mod hostile_names;
mod http;
mod link_states;
mod sign_in;
