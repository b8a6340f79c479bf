//! Every query, held against the schema.
