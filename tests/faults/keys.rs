//! Issue, rotation and revocation of keys with each kind of fault at each call to `DynamoDB`.

use std::time::Duration;

use futures::future::join_all;
use presence_domain::error::Error;
use presence_domain::ids::UserId;
use presence_domain::user::{Role, Status};
use presence_runtime::clock::Clock as _;
use presence_store::{ApiKeyError, ApiKeyRecord, IssuedKey, NewApiKey, Stores};
use presence_tests::ConnectorLayer as _;
use presence_tests::{FaultConnector, FaultKind, Plan, TestStack, TestUser, in_process_client, no_read_wait};

use super::run::{TIMES, is_in_sample};

/// Operation on keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KeyOperation {
    Issue,
    Rotate,
    Revoke,
}

/// Operator whose calls can have faults.
struct Operator {
    stack: TestStack,
    faults: FaultConnector,
    store: Stores,
}

impl Operator {
    async fn new() -> Self {
        let (stack, faults) = (TestStack::start().await, FaultConnector::new());
        let store = stack.stores_through(faults.over(in_process_client()), no_read_wait(), stack.table_prefix());
        Self { stack, faults, store }
    }

    /// Returns the keys of a user, oldest first.
    async fn keys(&self, owner: &TestUser) -> Vec<ApiKeyRecord> {
        let owner = UserId::parse(&owner.id).expect("an id");
        let mut keys = self.stack.stores().users.list_keys(owner).await.expect("the store answers").expect("the user");
        for key in &mut keys {
            key.last_used_at = None;
        }
        keys
    }

    /// Runs the operation. Returns the new key, if there is one.
    async fn run(
        &self,
        operation: KeyOperation,
        owner: &TestUser,
        first: &ApiKeyRecord,
    ) -> Result<Option<IssuedKey>, ApiKeyError> {
        let (now, new) = (self.stack.clock.now(), NewApiKey::default());
        match operation {
            KeyOperation::Issue => self
                .store
                .users
                .issue_key(UserId::parse(&owner.id).expect("an id"), &new, &presence_tests::operator(), now)
                .await
                .map(Some),
            // The old key ends at once, so that a second rotation is refused.
            KeyOperation::Rotate => {
                self.store.users.rotate_key(first.id(), &new, now, &presence_tests::operator(), now).await.map(Some)
            }
            KeyOperation::Revoke => {
                self.store.users.revoke_key(first.id(), &presence_tests::operator(), now).await.map(|()| None)
            }
        }
    }

    /// True if the keys of the owner, which had one, show the effect of the operation.
    fn is_done(&self, operation: KeyOperation, keys: &[ApiKeyRecord], first: &ApiKeyRecord) -> bool {
        let now = self.stack.clock.now();
        let is_live = |key: &&ApiKeyRecord| key.is_live(now);
        let ended = keys.iter().filter(|key| key.hash == first.hash).all(|key| !key.is_live(now));
        match operation {
            KeyOperation::Issue => keys.iter().filter(is_live).count() == 2 && !ended,
            KeyOperation::Rotate => keys.iter().filter(is_live).count() == 1 && ended,
            KeyOperation::Revoke => keys.len() == 1 && ended,
        }
    }

    async fn owner(&self, number: u64) -> (TestUser, ApiKeyRecord) {
        let local = format!("owner-{number}");
        let owner = self.stack.create_user(&local, Role::BusinessManager, Some(1), Status::Active).await;
        let first = self.keys(&owner).await.remove(0);
        (owner, first)
    }

    async fn check(&self, operation: KeyOperation, plan: Plan, number: u64) {
        let what = format!("{operation:?}: {plan:?}");
        let (owner, first) = self.owner(number).await;
        let (before, recorded) = (self.keys(&owner).await, self.stack.records_of(&owner.id).await.len());
        self.faults.restart(plan);
        let outcome = self.run(operation, &owner, &first).await;
        self.faults.set_plan(Plan::None);
        let after = self.keys(&owner).await;
        let done = self.is_done(operation, &after, &first);
        assert!(done || after == before, "{what}: applied in part");
        let new_records = self.stack.records_of(&owner.id).await.len() - recorded;
        assert_eq!(new_records, usize::from(done), "{what}: each change is recorded once");
        match outcome {
            Ok(issued) => {
                assert!(done, "{what}: a success that did not happen");
                if let Some(issued) = issued {
                    assert_eq!(self.stack.get("/user/me", issued.key.expose()).await.status, 200, "{what}");
                }
            }
            Err(ApiKeyError::Failed(Error::Unavailable(_))) if done => {}
            Err(ApiKeyError::Failed(Error::Unavailable(_))) => {
                self.run(operation, &owner, &first)
                    .await
                    .unwrap_or_else(|refused| panic!("{what}, again: {refused:?}"));
                assert!(self.is_done(operation, &self.keys(&owner).await, &first), "{what}: the end");
            }
            Err(refused) => panic!("{what}: {refused:?}"),
        }
    }
}

async fn test_every_fault(operation: KeyOperation) {
    use FaultKind::{CutBody, Delay, Hang, LoseReply, RefuseConnection, ServerError, Throttle, TransactionConflict};
    let operator = Operator::new().await;
    let (owner, first) = operator.owner(0).await;
    operator.faults.restart(Plan::None);
    operator
        .run(operation, &owner, &first)
        .await
        .unwrap_or_else(|refused| panic!("{operation:?} unbroken: {refused:?}"));
    assert!(operator.is_done(operation, &operator.keys(&owner).await, &first));
    let calls = operator.faults.attempts();
    let late = Delay(Duration::from_mins(1));
    let kinds = [Throttle, ServerError, RefuseConnection, late, CutBody, TransactionConflict, LoseReply, Hang];
    let mut number = 0;
    for (kind_number, kind) in kinds.into_iter().enumerate() {
        for call in 1..=calls {
            for times in TIMES.into_iter().filter(|times| is_in_sample(kind_number, kinds.len(), call, *times)) {
                number += 1;
                operator.check(operation, Plan::At { call, kind, times }, number).await;
            }
        }
    }
    assert_eq!(operator.stack.audit().await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn operation_on_keys_is_all_or_nothing_with_a_fault_at_any_call() {
    join_all([KeyOperation::Issue, KeyOperation::Rotate, KeyOperation::Revoke].map(test_every_fault)).await;
}
