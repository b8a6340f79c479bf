//! Requests of the service to `DynamoDB`: budgets, queries, lagging indexes.

mod budget;
pub(crate) mod bulk;
mod damaged_items;
mod emails;
mod formats;
pub(crate) mod lag;
mod queries;
mod user_directory;
