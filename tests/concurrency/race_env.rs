//! Environment of a race: a stack with or without transaction conflicts, and the check after each round.

use std::future::Future;
use std::time::Duration;

use futures::future::join_all;
use presence_domain::email::EmailAddress;
use presence_local::{AwsLimits, Options};
use presence_store::Stores;
use presence_tests::{Fixtures, Reply, TestStack, in_process_client, long_timeouts};
use serde_json::json;

/// Time that a finished transaction keeps holding its items: about the duration of the second phase on AWS.
const WINDOW: Duration = Duration::from_millis(2);
/// Maximum number of retries of a client that is answered with 503.
const TRIES: usize = 60;

/// Treatment of overlapping transactions by the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ConflictMode {
    /// They run one after the other.
    Serialize,
    /// All but the first are cancelled.
    Cancel,
}

/// Stack that races run in.
pub(super) struct RaceEnv {
    pub(super) stack: TestStack,
    pub(super) fixtures: Fixtures,
    /// Tables as an operator reaches them, in the same mode as the functions.
    pub(super) operator: Stores,
}

impl RaceEnv {
    pub(super) async fn in_mode(mode: ConflictMode) -> Self {
        match mode {
            ConflictMode::Serialize => Self::with(long_timeouts()).await,
            ConflictMode::Cancel => Self::holding(WINDOW, long_timeouts()).await,
        }
    }

    /// Starts an environment in which a finished transaction holds its items for this time.
    pub(super) async fn holding(window: Duration, options: Options) -> Self {
        let aws_limits = Some(AwsLimits { conflicts: Some(window), ..AwsLimits::off() });
        Self::with(Options { aws_limits, ..options }).await
    }

    async fn with(options: Options) -> Self {
        let stack = TestStack::with(options).await;
        let fixtures = Fixtures::create(&stack).await;
        let operator = stack.stores_through(in_process_client(), long_timeouts(), stack.table_prefix());
        Self { stack, fixtures, operator }
    }

    /// Starts the calls together, and repeats those answered with 503, again together. Returns the last answer of each call, in
    /// the order given.
    pub(super) async fn race<Call, ReplyFuture>(&self, calls: &[Call]) -> Vec<Reply>
    where
        Call: Fn() -> ReplyFuture,
        ReplyFuture: Future<Output = Reply>,
    {
        let mut replies = join_all(calls.iter().map(|call| call())).await;
        for _ in 0..TRIES {
            let refused: Vec<usize> = (0..calls.len()).filter(|index| self.is_unavailable(&replies[*index])).collect();
            if refused.is_empty() {
                return replies;
            }
            let answers = join_all(refused.iter().map(|index| calls[*index]())).await;
            refused.into_iter().zip(answers).for_each(|(index, answer)| replies[index] = answer);
        }
        panic!("after {TRIES} tries calls are still answered with 503");
    }

    /// Makes one call, and repeats it while it is answered with 503.
    pub(super) async fn retried<ReplyFuture: Future<Output = Reply>>(&self, call: impl Fn() -> ReplyFuture) -> Reply {
        self.race(&[call]).await.remove(0)
    }

    /// True if the answer is 503. Asserts that it is well-formed, and that the mode allows it.
    fn is_unavailable(&self, reply: &Reply) -> bool {
        if reply.status != 503 {
            return false;
        }
        assert!(self.stack.local.limits().is_some(), "503 without conflicts: {}", reply.text);
        assert_eq!(reply.header("retry-after"), "1");
        assert_eq!(reply.json(), json!({"errors": {"json": "temporarily unavailable: try again"}}));
        true
    }

    /// Locks and users are in bijection, heads equal a recount, keys and mails belong to their users.
    pub(super) async fn check(&self) {
        assert_eq!(self.stack.audit().await, []);
    }

    /// Returns the number of users.
    pub(super) async fn users(&self) -> usize {
        self.stack.stores().users.audit().await.expect("the store answers").users
    }

    /// Returns the id of the user with the address.
    pub(super) async fn holder(&self, address: &str) -> Option<String> {
        let address = EmailAddress::parse(address).expect("an address");
        let holder = self.stack.stores().users.get_id_by_email(address.key()).await.expect("the store answers");
        holder.map(|id| id.to_string())
    }
}

/// Returns the number of answers with the status.
pub(super) fn count(replies: &[Reply], status: u16) -> usize {
    replies.iter().filter(|reply| reply.status == status).count()
}

/// Returns the statuses of the answers, sorted.
pub(super) fn statuses(replies: &[Reply]) -> Vec<u16> {
    let mut statuses: Vec<u16> = replies.iter().map(|reply| reply.status).collect();
    statuses.sort_unstable();
    statuses
}
