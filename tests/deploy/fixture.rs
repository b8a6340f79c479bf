//! Fixture of all functions on one database with the sample data, with a record of the calls of each. It sends them the files
//! of `events/`.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use jiff::SignedDuration;
use presence_domain::access::Principal;
use presence_domain::email::EmailAddress;
use presence_domain::ids::{OrgId, UserId};
use presence_domain::page::PageRequest;
use presence_domain::user::Role;
use presence_domain::webhook::WebhookReach;
use presence_ledger::tree::{decode_root, encode_root};
use presence_local::Options;
use presence_local::gateway::LocalFunction;
use presence_local::replay::{self, FUNCTIONS};
use presence_mailer::OutboxProcessor;
use presence_runtime::clock::Clock;
use presence_runtime::config::AuditConfig;
use presence_store::schema::{REVIEWS, USERS};
use presence_store::{AuditSettings, Business, Database, ReviewFilter, Stores};
use presence_tests::ConnectorLayer as _;
use presence_tests::{FaultConnector, TestStack, in_process_client, long_timeouts};
use serde_json::{Value, json};
use tokio::sync::OnceCell;

use super::deliverer_fixture;
use super::ingest_fixture::IngestFixture;
use super::permissions::{Permission, required};
use super::template::root;

/// Timeout of a function, with room for a busy machine.
pub(super) const TIMEOUT: Duration = Duration::from_mins(2);
/// Name of the key of a PROVIDER in the sample, which may invite any user.
const PROVIDER: &str = "PROVIDER";
/// Users in the events of the mailer that no event of the users function invites.
const ALSO_INVITED: [&str; 2] = ["1018", "1024"];
/// Webhook whose administrators the sweep of the mailer tells.
const DISABLED_WEBHOOK: &str = "42-900000000000";

/// Number of changes of one review that a lane of the log holds only in a sealed chunk.
const SEALED_CHANGES: usize = 20;

/// Functions that no request invokes.
pub(super) const BACKGROUND: [&str; 5] = ["mailer", "auditor", "publisher", "deliverer", "ingest"];

/// The event that sends the form of an invitation.
const FORM: &str = "invitation_page_form_of_an_unknown_link_404";

/// Result of a run of all events.
pub(super) struct Replay {
    /// Answers to the events: function, name, answer.
    pub(super) answers: Vec<(&'static str, String, Value)>,
    /// Table permissions that each function used.
    pub(super) permissions: BTreeMap<&'static str, BTreeSet<Permission>>,
    /// Actions of ingest on its bucket and queue, each with the folder of the bucket, or `queue`.
    pub(super) actions_of_ingest: BTreeSet<(&'static str, String)>,
}

pub(super) use presence_local::replay::Event;

/// Every event, in the order in which they run: of a function those that read, those that write, and deletions, by name.
pub(super) fn events() -> Vec<Event> {
    FUNCTIONS.into_iter().flat_map(events_of).collect()
}

fn events_of(function: &'static str) -> Vec<Event> {
    replay::events_of(&root().join("events"), function).expect("events")
}

/// Returns the one run that the tests share.
pub(super) async fn replayed() -> &'static Replay {
    static REPLAY: OnceCell<Replay> = OnceCell::const_new();
    REPLAY.get_or_init(|| Box::pin(run())).await
}

struct Fixture {
    stack: TestStack,
    functions: BTreeMap<&'static str, LocalFunction>,
    mailer: OutboxProcessor,
    ingest: IngestFixture,
    calls: BTreeMap<&'static str, FaultConnector>,
}

async fn run() -> Replay {
    let fixture = Fixture::set().await;
    let mut answers = Vec::new();
    for function in FUNCTIONS {
        // The first use of a key in an hour is written. In a new hour, each function does it.
        fixture.stack.clock.advance(SignedDuration::from_hours(1));
        if function == "mailer" {
            for user in ALSO_INVITED {
                let reply = fixture.stack.invite(user, &fixture.stack.local.keys()[PROVIDER]).await;
                assert_eq!(reply.status, 200, "{}", reply.text);
            }
            fixture.stack.disable_webhook(DISABLED_WEBHOOK).await;
        }
        if function == "deliverer" {
            deliverer_fixture::store_webhook(&fixture.stack).await;
        }
        if function == "auditor" {
            fixture.fill_log().await;
            fixture.damage_tree().await;
            fixture.begin_move().await;
        }
        for event in events_of(function) {
            let answer = fixture.answer(&event).await;
            answers.push((function, event.name, answer));
        }
    }
    fixture.follow_a_link().await;
    let permissions =
        fixture.calls.iter().map(|(name, calls)| (*name, calls.observed().iter().flat_map(required).collect()));
    Replay { answers, permissions: permissions.collect(), actions_of_ingest: fixture.ingest.actions() }
}

/// Starts a function of the API as its `main` does.
async fn local_function(name: &'static str, database: &Database, clock: Arc<dyn Clock>) -> LocalFunction {
    match name {
        "users" => {
            let app = presence_users::App::new(database, clock, None).start().await;
            LocalFunction::new(name, move |request| presence_users::handle(Arc::clone(&app), request))
        }
        "categories" => {
            let app = presence_categories::App::new(database, clock, None).start().await;
            LocalFunction::new(name, move |request| presence_categories::handle(Arc::clone(&app), request))
        }
        "feed" => {
            let app = presence_feed::App::new(database, clock, None).with_events(true);
            let app = app.with_webhooks(Some(WebhookReach::Public)).start().await;
            LocalFunction::new(name, move |request| presence_feed::handle(Arc::clone(&app), request))
        }
        _ => {
            let app = presence_reviews::App::new(database, clock, None).with_replies(true).start().await;
            LocalFunction::new(name, move |request| presence_reviews::handle(Arc::clone(&app), request))
        }
    }
}

impl Fixture {
    async fn set() -> Self {
        let stack = TestStack::with(Options { sample: true, ..long_timeouts() }).await;
        let calls: BTreeMap<_, _> = FUNCTIONS.into_iter().map(|name| (name, FaultConnector::new())).collect();
        let mut functions = BTreeMap::new();
        for name in ["users", "categories", "reviews", "feed"] {
            let stores =
                stack.stores_through(calls[name].over(in_process_client()), long_timeouts(), stack.table_prefix());
            let function = local_function(name, &stores.database, Arc::clone(&stack.clock) as _).await;
            functions.insert(name, function.with_timeout(TIMEOUT));
        }
        let stores =
            stack.stores_through(calls["mailer"].over(in_process_client()), long_timeouts(), stack.table_prefix());
        stores.database.connect(&USERS).await;
        let mailer = OutboxProcessor { users: stores.users, outbox: stores.outbox, ..stack.local.outbox().clone() };
        let stores =
            stack.stores_through(calls["ingest"].over(in_process_client()), long_timeouts(), stack.table_prefix());
        let ingest = IngestFixture::new(&stores.database);
        Self { stack, functions, mailer, ingest, calls }
    }

    /// Invokes the function of an event, as Lambda does.
    async fn answer(&self, event: &Event) -> Value {
        match self.functions.get(event.function) {
            Some(function) => invoke(function, &event.document).await,
            None if event.function == "auditor" => self.audit().await,
            None if event.function == "publisher" => self.publish(&event.document).await,
            None if event.function == "deliverer" => {
                deliverer_fixture::answer(&self.stores_of("deliverer"), &self.stack, &event.document).await
            }
            None if event.function == "ingest" => self.ingest.answer(&event.document).await,
            None => self.deliver(&event.document).await,
        }
    }

    /// Changes a review of another organisation so often that its log has a sealed chunk, which the auditor folds and deletes.
    async fn fill_log(&self) {
        let reviews = &self.stack.stores().reviews;
        let orgs = reviews.orgs_with_reviews().await.expect("organisations");
        let org_id = *orgs.iter().find(|org_id| org_id.get() != 42).expect("another organisation");
        let caller = Principal { user_id: UserId::random(), org_id: Some(org_id), role: Role::OrgAdmin };
        let found = reviews.search_reviews(caller.scope(), &ReviewFilter::ALL, PageRequest { page: 1, size: 1 }).await;
        let mut review = found.expect("a page").items.remove(0);
        for number in 0..SEALED_CHANGES {
            review.key = format!("name {number}");
            reviews.upsert_reviews(std::slice::from_ref(&review)).await.expect("a written review");
        }
    }

    /// Begins a move of a business with reviews, which the auditor finishes.
    async fn begin_move(&self) {
        let businesses = &self.stack.stores().businesses;
        let org_id = OrgId::new(42).expect("an id");
        let listed = businesses.list_in_org(org_id, None, None).await.expect("a list").items;
        let business = listed.into_iter().next().expect("a business");
        businesses.put(&Business { city: "Elsewhere".to_owned(), ..business }).await.expect("a move begins");
    }

    /// Takes a posting out of a tree, so that the auditor corrects it. It is not the newest one: an event changes that, so that a fold
    /// corrects it.
    async fn damage_tree(&self) {
        let client = self.stack.dynamodb_client();
        let table = self.stack.stores().database.name(&REVIEWS);
        let key =
            [("pk", "TREE#o:42"), ("sk", "ROOT")].map(|(name, text)| (name.to_owned(), AttributeValue::S(text.into())));
        let get = client.get_item().table_name(&table).set_key(Some(HashMap::from(key)));
        let mut item = get.send().await.expect("DynamoDB answers").item.expect("a root");
        let mut root = decode_root(item["v"].as_b().expect("bytes").as_ref()).expect("a root");
        root.recent.remove(0);
        item.insert("v".to_owned(), AttributeValue::B(Blob::new(encode_root(&root))));
        client.put_item().table_name(&table).set_item(Some(item)).send().await.expect("DynamoDB answers");
    }

    /// Returns stores whose calls are recorded as those of a function.
    fn stores_of(&self, function: &str) -> Stores {
        let connector = self.calls[function].over(in_process_client());
        self.stack.stores_through(connector, long_timeouts(), self.stack.table_prefix())
    }

    /// Returns the answer of the auditor, but for its units.
    async fn audit(&self) -> Value {
        let store = self.stores_of("auditor");
        let config = AuditConfig::parse("", "").expect("settings");
        let settings = AuditSettings::new(config.units, config.mends);
        let deadline = presence_runtime::clock::Deadline::after(TIMEOUT);
        let run = presence_auditor::handle(&store.reviews, self.stack.clock.as_ref(), settings, deadline).await;
        let mut answer = serde_json::to_value(run.expect("an answer")).expect("JSON");
        let units = answer["units"].as_f64().expect("units");
        assert!(0.0 < units && units < settings.units, "{units} units");
        answer["units"] = json!("<units>");
        answer
    }

    /// Returns the answer of the publisher, and the events that it sent to the bus, without the ids that the bus gives them.
    async fn publish(&self, event: &Value) -> Value {
        let (feed, deadline) = (self.stores_of("publisher").feed, presence_runtime::clock::Deadline::after(TIMEOUT));
        let mut answer = replay::publish(&self.stack.local, &feed, event, deadline).await;
        for event in answer["events"].as_array_mut().expect("a list") {
            event["id"] = json!("<id of the event>");
        }
        answer
    }

    /// Returns the answer of the mailer, the mails that it sent, and for feedback the mark of the address.
    async fn deliver(&self, event: &Value) -> Value {
        let deadline = presence_runtime::clock::Deadline::after(TIMEOUT);
        let answer = replay::deliver(&self.stack.local, &self.mailer, event, deadline).await;
        let mut answer = answer.expect("an answer");
        if let Some(address) = event["detail"]["mail"]["destination"][0].as_str() {
            let key = EmailAddress::parse(address).expect("an address").key().to_owned();
            let mark = self.stack.stores().users.address_mark(&key).await.expect("an answer");
            answer["mark"] = mark.map_or(Value::Null, |mark| json!(mark.text()));
        }
        answer
    }

    /// Opens the link of the last mail and chooses a password. Only the calls matter here.
    async fn follow_a_link(&self) {
        let mails = self.stack.local.mailbox().mails();
        let link = mails.last().expect("a mail").links.first().expect("a link");
        let (_, query) = link.split_once('?').expect("a query");
        let form = events_of("users").into_iter().find(|event| event.name == FORM);
        let mut form = form.expect("an event").document;
        form["body"] = json!(format!("{query}&password=correct+horse&confirmation=correct+horse"));
        form["isBase64Encoded"] = json!(false);
        let answer = invoke(&self.functions["users"], &form).await;
        assert_eq!(answer["status"], 200, "{answer}");
    }
}

async fn invoke(function: &LocalFunction, event: &Value) -> Value {
    replay::answer(function, event).await.expect("an answer")
}
