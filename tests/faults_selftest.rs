//! The connectors of the harness do what they say: shown with the real SDK client on an embedded `DynamoDB`.

mod database;
mod kinds;
mod lagging;
mod plans;
