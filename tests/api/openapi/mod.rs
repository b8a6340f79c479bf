//! The description of the API, and what the API answers where it describes nothing.

mod served;
mod unknown;
