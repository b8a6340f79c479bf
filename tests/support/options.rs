//! Options of the stacks of tests.

use std::time::Duration;

use aws_smithy_types::timeout::TimeoutConfig;
use presence_domain::audit::{Actor, OperatorName};
use presence_domain::random::random_u64;
use presence_local::connectors::WavesConnector;
use presence_local::{DynamoDb, Options};
use presence_runtime::config::Config;
use presence_store::RetryPolicy;

use crate::in_process_client;

/// Environment variable with the endpoint of a `DynamoDB` that replaces the embedded one. Nothing else should use it: test
/// stacks leave their tables there.
const EXTERNAL_DYNAMODB: &str = "PRESENCE_TEST_DYNAMODB_URL";
/// Environment variable with the factor of the rounds of long tests. A nightly run has a large one.
const ROUNDS: &str = "PRESENCE_ROUNDS";
/// Time for which the functions of [`short_retries`] try again: far longer than the few faults that they are to survive.
const SHORT_RETRY_TIME: Duration = Duration::from_secs(1);
/// Timeout of an attempt that a busy machine does not reach.
const LONG_ATTEMPT_TIMEOUT: Duration = Duration::from_secs(30);
/// Timeout of an operation with its retries that a busy machine does not reach.
const LONG_OPERATION_TIMEOUT: Duration = Duration::from_mins(1);

/// Returns the options of an empty stack that waits long for `DynamoDB`, so that a busy machine fails no test. On an external
/// `DynamoDB`, the table names are those of this stack alone.
pub fn long_timeouts() -> Options {
    let (dynamodb, table_prefix) = match external_dynamodb() {
        Some(url) => (DynamoDb::Endpoint(url), format!("test-{:016x}-", random_u64())),
        None => (DynamoDb::Embedded { port: 0, data: None }, Config::DEFAULT_TABLE_PREFIX.to_owned()),
    };
    let timeouts = TimeoutConfig::builder()
        .operation_attempt_timeout(LONG_ATTEMPT_TIMEOUT)
        .operation_timeout(LONG_OPERATION_TIMEOUT)
        .build();
    Options {
        dynamodb,
        table_prefix,
        http_client: Some(in_process_client()),
        timeouts: Some(timeouts),
        function_timeout: Duration::from_mins(2),
        ..Options::default()
    }
}

/// Returns the endpoint of the `DynamoDB` outside of the stacks, if the tests run on one.
#[expect(clippy::disallowed_methods, reason = "a test's own setting")]
pub(crate) fn external_dynamodb() -> Option<String> {
    std::env::var(EXTERNAL_DYNAMODB).ok()
}

/// Returns the number of rounds of a long test, times the environment variable `PRESENCE_ROUNDS`. On an external database it is a tenth,
/// since each round takes ten times as long there.
///
/// # Panics
/// Panics if `PRESENCE_ROUNDS` is no whole number.
pub fn rounds(all: usize) -> usize {
    if external_dynamodb().is_some() { (all / 10).max(1) } else { all * setting(ROUNDS, 1) }
}

/// Returns the number of calls, or of other cases, from one that a test takes to the next: this sample by default, and 1 with
/// `PRESENCE_ROUNDS`, which takes them all.
pub fn calls_apart(sample: usize) -> usize {
    if setting(ROUNDS, 1) > 1 { 1 } else { sample }
}

/// Returns the size of a long test: the default one, or that of its environment variable.
///
/// # Panics
/// Panics if the variable is no whole number.
#[expect(clippy::disallowed_methods, reason = "a test's own setting")]
pub fn setting(variable: &str, default: usize) -> usize {
    std::env::var(variable).map_or(default, |text| text.parse().expect("a whole number"))
}

/// Returns the options of a stack whose functions stop retrying soon. It suits calls that `DynamoDB` always refuses, which the
/// functions would retry until their deadline.
pub fn short_retries() -> Options {
    Options { retry_policy: RetryPolicy::For(SHORT_RETRY_TIME), ..long_timeouts() }
}

/// Time of retries where faults last for ever: a longer one changes no answer.
pub const RETRY_TIME_OF_ENDLESS_FAULTS: Duration = Duration::from_millis(100);

/// Returns the options of a stack that gives up at once on an answer that a [`FaultConnector`](crate::FaultConnector) delays,
/// and waits long for every other one. So the speed of the machine does not decide which answers are late.
pub fn no_read_wait() -> Options {
    let timeouts = TimeoutConfig::builder()
        .read_timeout(Duration::from_millis(1))
        .operation_attempt_timeout(LONG_ATTEMPT_TIMEOUT)
        .operation_timeout(LONG_OPERATION_TIMEOUT)
        .build();
    Options { timeouts: Some(timeouts), ..short_retries() }
}

/// Returns the options with the count of round trips on, for [`Reply::cost`](crate::Reply::cost).
pub fn counting_waves(options: Options) -> Options {
    let http_client = options.http_client.unwrap_or_else(in_process_client);
    Options { waves: Some(WavesConnector), http_client: Some(http_client), ..options }
}

/// Returns the options of a stack that gives up soon on a call without an answer. It suits faults that hang.
pub fn short_timeouts() -> Options {
    let timeouts = TimeoutConfig::builder()
        .operation_attempt_timeout(Duration::from_millis(300))
        .operation_timeout(Duration::from_secs(1))
        .build();
    Options { timeouts: Some(timeouts), ..short_retries() }
}

/// Returns the author of what the tests write past the API.
///
/// # Panics
/// Never: the name is one of an operator.
pub fn operator() -> Actor {
    Actor::Operator(OperatorName::local("tests").expect("a name"))
}

/// Returns the scope of an operator, for tests that read the stores beside the API.
#[expect(clippy::disallowed_methods, reason = "a test is no handler: it acts for no caller")]
pub fn operator_scope() -> presence_domain::access::Scope {
    presence_domain::access::Scope::for_operator()
}
