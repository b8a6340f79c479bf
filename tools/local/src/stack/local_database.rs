//! Database of a stack.

use crate::aws_limits::LimitsProxy;
use crate::embedded::EmbeddedDynamo;
use crate::options::{DynamoDb, Options};

/// Database of a stack, with the limits of AWS in front of it if they are on.
pub(super) struct LocalDatabase {
    pub(super) embedded: Option<EmbeddedDynamo>,
    pub(super) limits: Option<LimitsProxy>,
    pub(super) url: String,
}

impl LocalDatabase {
    /// Starts the database and its limits, or takes the endpoint that the options name.
    pub(super) fn start(options: &Options) -> anyhow::Result<Self> {
        let has_limits = options.aws_limits.is_some();
        // Clients connect to the port of the options. With limits, that is the port of the limits.
        let (embedded, url, limits_port) = match &options.dynamodb {
            DynamoDb::Embedded { port, data } => {
                let (database_port, limits_port) = if has_limits { (0, *port) } else { (*port, 0) };
                let embedded = EmbeddedDynamo::start(database_port, data.as_deref())?;
                let url = embedded.endpoint_url();
                (Some(embedded), url, limits_port)
            }
            DynamoDb::Endpoint(url) => (None, url.clone(), 0),
        };
        let limits = match &options.aws_limits {
            Some(settings) => Some(LimitsProxy::start(limits_port, &url, settings.clone())?),
            None => None,
        };
        Ok(Self { embedded, limits, url })
    }
}
