//! Where races are run: a stack with or without conflicts, and what must hold after each round.

use std::future::Future;
use std::time::Duration;

use futures::future::join_all;
use presence_domain::email::EmailAddress;
use presence_local::Options;
use presence_store::Stores;
use presence_tests::ConnectorLayer as _;
use presence_tests::{FaultConnector, Fixtures, Plan, Reply, TestStack, key_names, long_timeouts, plain_http};
use serde_json::json;

/// How long a finished transaction goes on holding its items: about what AWS takes for its second phase.
const WINDOW: Duration = Duration::from_millis(2);
/// How often a patient client tries again what was answered with 503.
const TRIES: usize = 60;

/// What the database does with transactions that overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ConflictMode {
    /// Does them one after the other.
    Serialize,
    /// Cancels all but the first.
    Cancel,
}

/// A stack to race in.
pub(super) struct RaceEnv {
    pub(super) stack: TestStack,
    pub(super) fixtures: Fixtures,
    /// The tables as an operator reaches them, in the same mode as the functions.
    pub(super) operator: Stores,
    pub(super) faults: FaultConnector,
    mode: ConflictMode,
}

impl RaceEnv {
    pub(super) async fn in_mode(mode: ConflictMode) -> Self {
        Self::with(mode, long_timeouts()).await
    }

    /// Starts an environment with these options of the functions.
    pub(super) async fn with(mode: ConflictMode, options: Options) -> Self {
        let faults = FaultConnector::with_keys(key_names(&options.table_prefix));
        let http_client = Some(faults.over(plain_http()));
        let stack = TestStack::with(Options { http_client, ..options }).await;
        let fixtures = Fixtures::create(&stack).await;
        if mode == ConflictMode::Cancel {
            faults.set_plan(Plan::OverlapConflicts { window: WINDOW });
        }
        let operator = stack.stores_through(faults.over(plain_http()), long_timeouts(), stack.table_prefix());
        Self { stack, fixtures, operator, faults, mode }
    }

    /// Starts the calls at once; those that were answered with 503 are tried again, all together, until none is. The
    /// last answer of each, in the order given.
    pub(super) async fn race<Call, Calling>(&self, calls: &[Call]) -> Vec<Reply>
    where
        Call: Fn() -> Calling,
        Calling: Future<Output = Reply>,
    {
        let mut replies = join_all(calls.iter().map(|call| call())).await;
        for _ in 0..TRIES {
            let again: Vec<usize> = (0..calls.len()).filter(|at| self.is_to_be_retried(&replies[*at])).collect();
            if again.is_empty() {
                return replies;
            }
            let answers = join_all(again.iter().map(|at| calls[*at]())).await;
            again.into_iter().zip(answers).for_each(|(at, answer)| replies[at] = answer);
        }
        panic!("after {TRIES} tries calls are still answered with 503");
    }

    /// One call, tried again while it is answered with 503.
    pub(super) async fn patiently<Calling: Future<Output = Reply>>(&self, call: impl Fn() -> Calling) -> Reply {
        self.race(&[call]).await.remove(0)
    }

    fn is_to_be_retried(&self, reply: &Reply) -> bool {
        if reply.status != 503 {
            return false;
        }
        assert_eq!(self.mode, ConflictMode::Cancel, "a needless {}", reply.text);
        assert_eq!(reply.header("retry-after"), "1");
        assert_eq!(reply.json(), json!({"errors": {"json": "temporarily unavailable: try again"}}));
        true
    }

    /// Locks and users are in bijection, heads equal a recount, keys and mails belong to their users.
    pub(super) async fn check(&self) {
        assert_eq!(self.stack.audit().await, []);
    }

    /// How many users there are.
    pub(super) async fn users(&self) -> usize {
        self.stack.stores().users.audit().await.expect("the store answers").users
    }

    /// The id of the user that has the address.
    pub(super) async fn holder(&self, address: &str) -> Option<String> {
        let address = EmailAddress::parse(address).expect("an address");
        let holder = self.stack.stores().users.get_id_by_email(address.key()).await.expect("the store answers");
        holder.map(|id| id.to_string())
    }
}

/// How many of the answers have the status.
pub(super) fn count(replies: &[Reply], status: u16) -> usize {
    replies.iter().filter(|reply| reply.status == status).count()
}

/// The statuses of answers, ordered.
pub(super) fn statuses(replies: &[Reply]) -> Vec<u16> {
    let mut statuses: Vec<u16> = replies.iter().map(|reply| reply.status).collect();
    statuses.sort_unstable();
    statuses
}
