//! Settings of ingest.

use super::{ConfigError, env_var};

/// Settings of ingest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IngestConfig {
    /// Name of the bucket with the inbox and the reports.
    pub bucket: String,
    /// URL of the FIFO queue.
    pub queue_url: String,
}

impl IngestConfig {
    /// Reads `INGEST_BUCKET` and `INGEST_QUEUE_URL` from the environment.
    pub fn from_env() -> Result<Self, ConfigError> {
        Ok(Self {
            bucket: env_var("INGEST_BUCKET").ok_or(ConfigError("INGEST_BUCKET must name a bucket"))?,
            queue_url: env_var("INGEST_QUEUE_URL").ok_or(ConfigError("INGEST_QUEUE_URL must be the URL of a queue"))?,
        })
    }
}
