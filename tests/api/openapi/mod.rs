//! The description of the API, held against the API, and what the API answers where nothing is described.

mod docs;
mod examples;
mod file;
mod parameters;
mod refusals;
mod schemas;
mod served;
mod unknown;
