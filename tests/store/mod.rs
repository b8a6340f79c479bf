//! What the service asks of `DynamoDB`: budgets, queries, lagging indexes.

mod budget;
mod bulk;
mod lag;
mod queries;
