//! Environment of a restore: a service that goes on after a copy of its tables, and an operator who restores them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use presence_domain::invitation::ActivationToken;
use presence_domain::user::{Role, Status};
use presence_local::{DynamoDb, Options};
use presence_ops::{Context, Exit};
use presence_runtime::clock::{Clock as _, Deadline};
use presence_store::restore::restored_tables;
use presence_store::schema;
use presence_tests::ops::run_ops;
use presence_tests::{
    ConnectorLayer as _, CrashConnector, FaultConnector, Fixtures, OpsOutput, PointInTimeConnector, TestStack,
    TestUser, address, in_process_client, long_timeouts, send,
};
use serde_json::{Value, json};

/// Time between the copy and the restore.
const SINCE: SignedDuration = SignedDuration::from_hours(1);

/// Service whose tables were copied.
pub(super) struct RestoreEnv {
    pub(super) stack: TestStack,
    pub(super) fixtures: Fixtures,
    pub(super) recovery: PointInTimeConnector,
    /// Death of the operator's program at one of its calls.
    pub(super) crashes: CrashConnector,
    /// Record of the calls of the operator's program.
    pub(super) calls: FaultConnector,
    /// Instant of the copy.
    pub(super) at: Timestamp,
    pub(super) then: Then,
}

/// Keys, links and answers at the instant of the copy.
pub(super) struct Then {
    /// Second key of `manager_1`, which is revoked since.
    pub(super) revoked: String,
    /// Key of `other_manager_1` that is rotated since with an overlap of a day.
    pub(super) overlapping: String,
    /// User who is invited and activated again since.
    pub(super) flipped: TestUser,
    /// Link of `invited_1`, which is used since.
    pub(super) used_link: ActivationToken,
    /// Link of `invited_2`, which a newer one replaces since.
    pub(super) replaced_link: ActivationToken,
    /// Id of the user whose mail waits.
    pub(super) guest: String,
    /// Answer to a search of all reviews.
    pub(super) reviews: String,
}

/// Sends a change with an idempotency key. True if its answer is a repeated one.
pub(super) async fn send_keyed(stack: &TestStack, fixtures: &Fixtures, idempotency_key: &str) -> bool {
    let request =
        stack.request("POST", &format!("/user/{}", fixtures.admin_2.id)).header("x-api-key", &fixtures.provider.key);
    let request = request.header("idempotency-key", idempotency_key).header("content-type", "application/json");
    let reply = send(request.body(r#"{"phone": "+33 4"}"#)).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    reply.header("idempotency-replayed") == "true"
}

impl RestoreEnv {
    /// Starts a service, copies its tables, and lets it go on for an hour.
    pub(super) async fn new() -> Self {
        let env = Self::at_copy().await;
        env.advance_an_hour().await;
        env
    }

    /// Starts a service and copies its tables.
    pub(super) async fn at_copy() -> Self {
        let (stack, fixtures) = Fixtures::start().await;
        send_keyed(&stack, &fixtures, "old").await;
        // What is older than the margin of a restore is not looked at.
        stack.clock.advance(SignedDuration::from_mins(10));
        send_keyed(&stack, &fixtures, "young").await;
        let then = prepare(&stack, &fixtures).await;
        let at = stack.clock.now();
        let recovery = PointInTimeConnector::new(stack.local.database_url());
        let (crashes, calls) = (CrashConnector::new(), FaultConnector::new());
        let env = Self { stack, fixtures, recovery, crashes, calls, at, then };
        env.take_copy().await;
        env
    }

    /// Copies the tables once more, after the margin of a restore. Restores go to this copy from now on.
    pub(super) async fn copy_again(&mut self) {
        self.stack.clock.advance(SignedDuration::from_mins(10));
        self.at = self.stack.clock.now();
        self.take_copy().await;
        self.stack.clock.advance(SINCE);
    }

    async fn take_copy(&self) {
        let tables: Vec<_> = restored_tables().map(|table| self.stack.stores().database.name(table)).collect();
        self.recovery.take_copy(self.at, &tables).await;
    }

    /// Changes everything that a restore must not undo.
    async fn advance_an_hour(&self) {
        let Self { stack, fixtures, then, .. } = self;
        let provider = &fixtures.provider.key;
        stack.clock.advance(SINCE);
        send_mails(&self.stack).await;
        let id = async |key: &str| stack_key_id(stack, key).await;
        self.ops(&format!("key revoke {}", id(&then.revoked).await)).await.expect(Exit::Done);
        let rotated = id(&fixtures.other_manager_1.key).await;
        self.ops(&format!("key rotate {rotated} --overlap 0h")).await.expect(Exit::Done);
        self.ops(&format!("key rotate {} --overlap 24h", id(&then.overlapping).await)).await.expect(Exit::Done);
        self.ops(&format!("key issue --user {}", fixtures.admin_1.id)).await.expect(Exit::Done);
        assert_eq!(stack.delete(&format!("/user/{}", fixtures.manager_2.id), provider).await.status, 200);
        let change = async |user: &TestUser, fields: Value| {
            let reply = stack.post(&format!("/user/{}", user.id), provider, &fields).await;
            assert_eq!(reply.status, 200, "{fields}: {}", reply.text);
        };
        change(&fixtures.other_admin_1, json!({ "status": "invited" })).await;
        change(&then.flipped, json!({ "status": "invited" })).await;
        change(&then.flipped, json!({ "status": "active", "password": "a long password" })).await;
        change(&fixtures.provider_in_1, json!({ "role": "BUSINESS_MANAGER" })).await;
        change(&fixtures.admin_2, json!({ "email": address("moved") })).await;
        let accepted = stack.accept(&fixtures.invited_1.id, &then.used_link, "a long password").await;
        assert_eq!(accepted.status, 200);
        assert_eq!(stack.invite(&fixtures.invited_2.id, provider).await.status, 200);
        send_mails(&self.stack).await;
        import_reviews(&self.stack, "2").await;
    }

    /// Runs a command on the running tables, or a restore.
    pub(super) async fn ops(&self, words: &str) -> OpsOutput {
        self.ops_with(words, |context| context).await
    }

    /// Runs a command with a changed context.
    pub(super) async fn ops_with(&self, words: &str, change: impl FnOnce(Context) -> Context) -> OpsOutput {
        let client = self.crashes.over(self.calls.over(self.recovery.over(in_process_client())));
        let stores = self.stack.stores_through(client, long_timeouts(), self.stack.table_prefix());
        run_ops(&stores, Arc::clone(&self.stack.clock) as _, words, change).await
    }

    /// Returns the arguments of a restore to the copy.
    pub(super) fn restore_words(&self, more: &str) -> String {
        format!("restore plan --at {} {more}", self.at)
    }

    /// Restores the tables to the copy. Returns the report.
    pub(super) async fn restore(&self, more: &str) -> Value {
        let words = self.restore_words(&format!("--execute --yes --json {more}"));
        self.ops(&words).await.expect(Exit::Done).json()
    }

    /// Returns the items of the tables with this prefix, by table. Logs of changes have random keys, and are hints only.
    pub(super) async fn content(&self, prefix: &str) -> BTreeMap<&'static str, Vec<String>> {
        let mut content = BTreeMap::new();
        for table in restored_tables() {
            let mut items = self.stack.items(&format!("{prefix}{}", table.name)).await;
            items.retain(|item| !item.contains("CHANGES#"));
            items.sort();
            content.insert(table.name, items);
        }
        content
    }

    /// Returns the default prefix of the restored tables.
    pub(super) fn restored_prefix(&self) -> String {
        let base = self.stack.table_prefix().trim_end_matches('-');
        format!("{base}-r{}-", self.at.strftime("%Y%m%d%H%M"))
    }

    /// Starts the service on the restored tables, at the present time.
    pub(super) async fn restored_stack(&self) -> TestStack {
        let options = Options {
            dynamodb: DynamoDb::Endpoint(self.stack.local.dynamodb_url().to_owned()),
            table_prefix: self.restored_prefix(),
            audit_table: Some(self.stack.stores().database.name(&schema::AUDIT)),
            ..long_timeouts()
        };
        let restored = TestStack::with(options).await;
        restored.clock.advance(self.stack.clock.now().duration_since(restored.clock.now()));
        restored
    }
}

/// Invokes the mailer's sweep on the tables of a stack.
pub(super) async fn send_mails(stack: &TestStack) {
    let event = json!({ "detail-type": "Scheduled Event" });
    let deadline = Deadline::after(Duration::from_mins(10));
    presence_mailer::handle(stack.local.outbox(), &event, deadline).await.expect("a sweep");
}

async fn prepare(stack: &TestStack, fixtures: &Fixtures) -> Then {
    let guest = json!({ "email": address("guest"), "first_name": "Zoe", "last_name": "Roy", "status": "invited" });
    let created = stack.post("/user", &fixtures.admin_1.key, &guest).await;
    import_reviews(stack, "1").await;
    Then {
        revoked: stack.issue_key(&fixtures.manager_1.id).await,
        overlapping: stack.issue_key(&fixtures.other_manager_1.id).await,
        flipped: stack.create_user("flipped", Role::BusinessManager, Some(1), Status::Active).await,
        used_link: stack.link(&fixtures.invited_1.id).await,
        replaced_link: stack.link(&fixtures.invited_2.id).await,
        guest: created.json()["id"].as_str().expect("an id").to_owned(),
        reviews: stack.get("/reviews", &fixtures.provider.key).await.text,
    }
}

async fn import_reviews(stack: &TestStack, start: &str) {
    let rows = (0..10).map(|number| {
        let date = format!("2026-02-{:02}T10:00:00Z", number + 1);
        let row = json!({ "business_id": "b1-1", "partner": "partner_8", "partner_id": format!("{start}{number}"),
            "date": date, "rating": number % 5 + 1, "state": "not_treated" });
        format!("{row}\n")
    });
    stack.import("reviews", &rows.collect::<String>()).await.expect(Exit::Done);
}

/// Returns the id of a key.
async fn stack_key_id(stack: &TestStack, key: &str) -> String {
    let hash = presence_domain::api_key::PlaintextApiKey::parse(key).expect("a key").hash();
    stack.stores().api_keys.get(&hash).await.expect("the store answers").expect("a key").id().to_string()
}

/// Returns the status of the answer to a key.
pub(super) async fn status_of(stack: &TestStack, key: &str) -> u16 {
    stack.get("/user/me", key).await.status
}
