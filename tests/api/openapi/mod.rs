//! The description of the API, held against the API, and what the API answers where nothing is described.

mod committed_file;
mod description;
mod docs;
mod error_responses;
mod examples;
mod parameters;
mod served;
mod unknown_paths;
