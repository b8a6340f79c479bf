//! What a stack can be told.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use aws_smithy_runtime_api::client::http::SharedHttpClient;
use aws_smithy_types::timeout::TimeoutConfig;
use presence_runtime::clock::{Clock, SystemClock};
use presence_runtime::config::Config;
use presence_store::Patience;

use crate::aws_limits::AwsLimits;

/// Where the tables are.
#[derive(Clone, Debug)]
pub enum DynamoDb {
    /// In this process.
    Embedded {
        /// Port on 127.0.0.1; 0 picks a free one.
        port: u16,
        /// Folder that keeps the data; in memory without one.
        data: Option<PathBuf>,
    },
    /// At this endpoint.
    At(String),
}

/// What a stack can be told. The default is a stack for a test: free ports, in memory, no sample data.
#[derive(Clone)]
pub struct Options {
    /// Port of the gateway on 127.0.0.1; 0 picks a free one.
    pub port: u16,
    /// Where the tables are.
    pub dynamodb: DynamoDb,
    /// The limits of AWS that `DynamoDB` has for the functions; none of them without.
    pub aws_limits: Option<AwsLimits>,
    /// What the names of the tables start with.
    pub table_prefix: String,
    /// Whether to load the sample data, where there are no users yet, and issue the demo keys.
    pub sample: bool,
    /// Whether the demo keys are the same at every start: those that `events/` has. Ids always are.
    pub fixed_sample: bool,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// The HTTP client of the functions, in the place of the SDK's own: for faults.
    pub http_client: Option<SharedHttpClient>,
    /// How long the functions wait for `DynamoDB`, in the place of the service's own timeouts: patient tests do not fail
    /// on a busy machine, impatient ones do not wait for a fault.
    pub timeouts: Option<TimeoutConfig>,
    /// The time for which the functions try again what `DynamoDB` refuses for now.
    pub patience: Patience,
    /// How long a function may take.
    pub function_timeout: Duration,
    /// Whether the mailer runs by itself, fed by the stream and the sweep. Tests run it step by step.
    pub mailer: bool,
    /// What the links in mails start with, in the place of the gateway's own address.
    pub public_base_url: Option<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            port: 0,
            dynamodb: DynamoDb::Embedded { port: 0, data: None },
            aws_limits: None,
            table_prefix: Config::DEFAULT_TABLE_PREFIX.to_owned(),
            sample: false,
            fixed_sample: false,
            clock: Arc::new(SystemClock),
            http_client: None,
            timeouts: None,
            patience: Patience::default(),
            function_timeout: Duration::from_secs(10),
            mailer: false,
            public_base_url: None,
        }
    }
}

impl std::fmt::Debug for Options {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options")
            .field("port", &self.port)
            .field("dynamodb", &self.dynamodb)
            .field("aws_limits", &self.aws_limits)
            .field("table_prefix", &self.table_prefix)
            .field("sample", &self.sample)
            .finish_non_exhaustive()
    }
}
