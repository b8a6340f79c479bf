//! What the service asks of `DynamoDB`: budgets, queries, lagging indexes.

mod budget;
mod lag;
mod queries;
