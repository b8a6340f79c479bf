//! Properties of the API that hold for any data. The unit tests of the domain have those of single types: address keys, folding,
//! fuzzy search, API keys.

pub(crate) mod model;
mod order;
mod pages;
pub(crate) mod sequences;
mod users;
