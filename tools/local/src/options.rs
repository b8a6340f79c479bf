//! Options of a local stack.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use aws_smithy_runtime_api::client::http::SharedHttpClient;
use aws_smithy_types::timeout::TimeoutConfig;
use presence_domain::rate_limit::RateLimit;
use presence_runtime::clock::{Clock, SystemClock};
use presence_runtime::config::Config;
use presence_runtime::local_stack::is_on_this_machine;
use presence_runtime::sign_in_url::SignInUrl;
use presence_store::RetryPolicy;

use crate::aws_limits::AwsLimits;
use crate::connectors::WavesConnector;

/// Location of the tables.
#[derive(Clone, Debug)]
pub enum DynamoDb {
    /// Embedded `DynamoDB`, in this process.
    Embedded {
        /// Port on 127.0.0.1. 0 picks a free one.
        port: u16,
        /// Folder of the data. `None` keeps the data in memory.
        data: Option<PathBuf>,
    },
    /// Endpoint URL of another `DynamoDB`.
    Endpoint(String),
}

impl DynamoDb {
    /// True if the tables are on this machine: only there may they have keys that everyone knows.
    pub(crate) fn is_on_this_machine(&self) -> bool {
        match self {
            Self::Embedded { .. } => true,
            Self::Endpoint(url) => is_on_this_machine(url),
        }
    }
}

/// Options of a local stack. The default suits a test: free ports, data in memory, no sample data.
#[derive(Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct Options {
    /// Port of the gateway on 127.0.0.1. 0 picks a free one.
    pub port: u16,
    /// Location of the tables.
    pub dynamodb: DynamoDb,
    /// Limits of AWS between the functions and `DynamoDB`. `None` applies no limits.
    pub aws_limits: Option<AwsLimits>,
    /// Limit of the requests of keys that have none of their own. `None` is no limit.
    pub rate_limit: Option<RateLimit>,
    /// Prefix of the table names.
    pub table_prefix: String,
    /// Full name of the table with the audit trail, if it does not begin with the prefix.
    pub audit_table: Option<String>,
    /// Full name of the table of reviews, if it is not the prefix and `reviews`.
    pub reviews_table: Option<String>,
    /// True to load the sample data if there are no users, and to issue the demo keys.
    pub sample: bool,
    /// True to make the demo keys afresh. Otherwise they are those in `events/`, unless the tables are on another machine.
    pub random_keys: bool,
    /// Clock of the functions and of the sample data.
    pub clock: Arc<dyn Clock>,
    /// HTTP client of the functions instead of the SDK's own. Tests inject faults with it.
    pub http_client: Option<SharedHttpClient>,
    /// Connector around [`http_client`](Self::http_client) that counts the round trips of each invocation. With both, each
    /// invocation runs in virtual time, and its response has the count in the header
    /// [`WAVES_HEADER`](crate::gateway::WAVES_HEADER).
    pub waves: Option<WavesConnector>,
    /// Timeouts of the functions' calls to `DynamoDB` instead of the service's own. Long ones keep tests stable on a busy
    /// machine; short ones let tests of faults finish sooner.
    pub timeouts: Option<TimeoutConfig>,
    /// Time for which the functions retry calls that `DynamoDB` throttles or cancels.
    pub retry_policy: RetryPolicy,
    /// Time limit of an invocation.
    pub function_timeout: Duration,
    /// True to run the mailer in the background, on the stream and the sweep. Tests invoke it themselves.
    pub mailer: bool,
    /// True to run the publisher and the deliverer in the background, on the streams. Tests invoke them themselves.
    pub publisher: bool,
    /// Time between two folds of what is left in the logs of reviews, and of moves of businesses that were interrupted. `None` leaves them.
    pub fold_interval: Option<Duration>,
    /// URL of an endpoint that is told of the events of the sample's organisation. It needs the demo keys.
    pub forward_events: Option<String>,
    /// True to run a stand-in for the partners, which reports the outcomes of replies. It needs the demo keys.
    pub partners: bool,
    /// True to keep the last requests, with events and answers but without secrets, for the start page.
    pub keep_requests: bool,
    /// Folder in the place of the bucket of reviews. `None` watches none.
    pub inbox: Option<PathBuf>,
    /// Base URL of the links in mails instead of the gateway's own.
    pub public_base_url: Option<String>,
    /// Page where users sign in, to which the end of an invitation leads.
    pub sign_in_url: Option<SignInUrl>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            port: 0,
            dynamodb: DynamoDb::Embedded { port: 0, data: None },
            aws_limits: None,
            rate_limit: None,
            table_prefix: Config::DEFAULT_TABLE_PREFIX.to_owned(),
            audit_table: None,
            reviews_table: None,
            sample: false,
            random_keys: false,
            clock: Arc::new(SystemClock),
            http_client: None,
            waves: None,
            timeouts: None,
            retry_policy: RetryPolicy::default(),
            function_timeout: Duration::from_secs(10),
            mailer: false,
            publisher: false,
            fold_interval: None,
            forward_events: None,
            partners: false,
            keep_requests: false,
            inbox: None,
            public_base_url: None,
            sign_in_url: None,
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
