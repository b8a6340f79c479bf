//! DynamoDB failing at every call of every operation.
