//! Settings. Nothing else in the service reads the environment.

/// The settings of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// What the names of all tables start with.
    pub table_prefix: String,
}

impl Config {
    /// The prefix of table names unless `TABLE_PREFIX` says otherwise.
    pub const DEFAULT_TABLE_PREFIX: &str = "presence-";

    /// Reads the environment: `TABLE_PREFIX`.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "this is where settings are read")]
    pub fn from_env() -> Self {
        let table_prefix = std::env::var("TABLE_PREFIX").unwrap_or_else(|_| Self::DEFAULT_TABLE_PREFIX.to_owned());
        Self { table_prefix }
    }
}
