//! Description of the API, compared with the API, and the answers to paths that are not described.

mod committed_file;
mod deprecations;
mod description;
mod error_responses;
mod examples;
mod long_requests;
mod parameters;
mod served;
mod unknown_paths;
mod version_3_0;
