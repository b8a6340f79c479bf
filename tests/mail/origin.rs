//! Origin of an invitation in its mail: the organisation, and the person who invites.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use presence_domain::ids::UserId;
use presence_mailer::{DeliveryOutcome, Mail, Mailer, OutboxProcessor, SendResult};
use presence_runtime::clock::Clock as _;
use presence_store::keys::user_pk;
use presence_store::{Decision, schema, with_retries_for};
use presence_tests::{
    ConnectorLayer as _, FaultConnector, FaultKind, Fixtures, Plan, TestStack, address, in_process_client,
    long_timeouts, operator, operator_scope, send,
};
use serde_json::json;

/// Sender that keeps each mail.
#[derive(Default)]
struct KeepingMailer(Mutex<Vec<Mail>>);

impl Mailer for KeepingMailer {
    fn send<'a>(&'a self, mail: &'a Mail) -> BoxFuture<'a, SendResult> {
        self.0.lock().expect("mails").push(mail.clone());
        async { SendResult::Sent }.boxed()
    }
}

/// Users of two organisations, and a mailer whose mails can be read.
struct OriginFixture {
    stack: TestStack,
    fixtures: Fixtures,
    mailer: Arc<KeepingMailer>,
}

impl OriginFixture {
    async fn new() -> Self {
        let (stack, fixtures) = Fixtures::start().await;
        Self { stack, fixtures, mailer: Arc::default() }
    }

    /// Creates an invited user by the API; returns its id.
    async fn invite(&self, key: &str, local: &str, body: &serde_json::Value) -> UserId {
        let mut person =
            json!({ "email": address(local), "first_name": "Zoë", "last_name": "Roy", "status": "invited" });
        let fields = body.as_object().expect("fields").clone();
        person.as_object_mut().expect("fields").extend(fields);
        let created = self.stack.post("/user", key, &person).await;
        assert_eq!(created.status, 200, "{}", created.text);
        UserId::parse(created.json()["id"].as_str().expect("an id")).expect("an id")
    }

    fn outbox(&self) -> OutboxProcessor {
        OutboxProcessor { mailer: Arc::clone(&self.mailer) as _, ..self.stack.local.outbox().clone() }
    }

    /// Delivers the mail that waits for the user, and returns the lines about its origin.
    async fn origin(&self, id: UserId) -> Vec<String> {
        self.origin_by(&self.outbox(), id).await
    }

    async fn origin_by(&self, outbox: &OutboxProcessor, id: UserId) -> Vec<String> {
        assert_eq!(outbox.deliver(id).await.ok(), Some(DeliveryOutcome::Sent));
        let mails = self.mailer.0.lock().expect("mails");
        let message = &mails.last().expect("a mail").message;
        let labels = ["Your organisation: ", "Invited by: "];
        let lines = message.text.lines().filter(|line| labels.iter().any(|label| line.starts_with(label)));
        let lines: Vec<_> = lines.map(str::to_owned).collect();
        for label in labels {
            let is_said = lines.iter().any(|line| line.starts_with(label));
            assert_eq!(message.html.contains(label), is_said, "both forms say the same: {label}");
        }
        lines
    }

    /// Takes the user who invites from the message that waits, as one of an operator is stored.
    async fn forget_inviter(&self, id: UserId) {
        let stored = self.stack.stored(&id.to_string()).await.expect("the user");
        assert!(stored.mails[0].invited_by.is_some());
        let client = self.stack.dynamodb_client();
        let update = client.update_item().table_name(self.stack.stores().database.name(&schema::USERS));
        let update = update.key("pk", AttributeValue::S(user_pk(id)));
        let update = update.key("sk", AttributeValue::S(stored.mails[0].id.clone()));
        update.update_expression("REMOVE invited_by").send().await.expect("DynamoDB answers");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn mail_names_the_organisation_of_the_invited_person_and_who_invites() {
    let fixture = OriginFixture::new().await;
    let organisation = "Your organisation: Organisation 1";
    let by_admin = fixture.invite(&fixture.fixtures.admin_1.key, "a", &json!({})).await;
    assert_eq!(fixture.origin(by_admin).await, [organisation, "Invited by: Test admin-1"]);
    let by_provider = fixture.invite(&fixture.fixtures.provider.key, "b", &json!({ "org_id": 1 })).await;
    assert_eq!(fixture.origin(by_provider).await, [organisation, "Invited by: Test provider"]);
    let provider = fixture.invite(&fixture.fixtures.provider.key, "c", &json!({ "role": "PROVIDER" })).await;
    assert_eq!(fixture.origin(provider).await, ["Invited by: Test provider"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn mail_of_a_second_invitation_names_who_invites_again() {
    let fixture = OriginFixture::new().await;
    let id = fixture.invite(&fixture.fixtures.admin_1.key, "a", &json!({})).await;
    fixture.origin(id).await;
    fixture.stack.clock.advance(presence_domain::invitation::WINDOW);
    let again = fixture.stack.invite(&id.to_string(), &fixture.fixtures.provider.key).await;
    assert_eq!(again.status, 200, "{}", again.text);
    assert_eq!(fixture.origin(id).await[1], "Invited by: Test provider");
}

#[tokio::test(flavor = "multi_thread")]
async fn mail_without_an_inviter_and_of_an_operator_names_the_organisation_only() {
    let fixture = OriginFixture::new().await;
    let only = ["Your organisation: Organisation 1"];
    let id = fixture.invite(&fixture.fixtures.admin_1.key, "a", &json!({})).await;
    fixture.forget_inviter(id).await;
    assert_eq!(fixture.origin(id).await, only, "no inviter");
    fixture.stack.clock.advance(presence_domain::invitation::WINDOW);
    let now = fixture.stack.clock.now();
    let invite = |user: &presence_domain::user::User| user.invite(&operator(), now).map(Decision::<()>::from);
    let invited = fixture.stack.stores().users.update(operator_scope(), id, invite).await;
    assert!(invited.is_ok(), "the operator invites");
    assert_eq!(fixture.origin(id).await, only, "an operator");
}

#[tokio::test(flavor = "multi_thread")]
async fn mail_leaves_out_who_was_deleted_since() {
    let fixture = OriginFixture::new().await;
    let id = fixture.invite(&fixture.fixtures.admin_1.key, "a", &json!({})).await;
    let path = format!("/user/{}", fixture.fixtures.admin_1.id);
    let delete = fixture.stack.request("DELETE", &path).header("x-api-key", &fixture.fixtures.provider.key);
    assert_eq!(send(delete).await.status, 200);
    assert_eq!(fixture.origin(id).await, ["Your organisation: Organisation 1"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn mail_is_sent_without_names_that_cannot_be_read() {
    let fixture = OriginFixture::new().await;
    let id = fixture.invite(&fixture.fixtures.admin_1.key, "a", &json!({})).await;
    let (stack, faults) = (&fixture.stack, FaultConnector::new());
    let stores = stack.stores_through(faults.over(in_process_client()), long_timeouts(), stack.table_prefix());
    let outbox = OutboxProcessor { users: stores.users, outbox: stores.outbox, ..fixture.outbox() };
    faults.restart(Plan::Of { operation: "BatchGetItem", call: 1, kind: FaultKind::Throttle, times: u64::MAX });
    // An invocation with an hour left spends a second of it on the names: the claim would be too old for the mail.
    let delivery = with_retries_for(Duration::from_hours(1), fixture.origin_by(&outbox, id));
    let lines = tokio::time::timeout(Duration::from_mins(2), delivery).await;
    assert_eq!(lines, Ok(Vec::<String>::new()));
}
