//! The API as clients see it: a module for each route.

pub(crate) mod categories;
pub(crate) mod invitation_page;
mod openapi;
pub(crate) mod reviews;
mod sample;
mod smoke;
mod users;
