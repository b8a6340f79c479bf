//! Scenario of one request, and the fixture that runs it.

use presence_domain::email::EmailAddress;
use presence_domain::ids::{OrgId, UserId};
use presence_domain::review::{ReplyText, Review};
use presence_domain::user::UserChange;
use presence_domain::user::{Role, Status};
use presence_local::Options;
use presence_runtime::clock::Clock as _;
use presence_store::{AuditSource, ReviewWrite};
use presence_tests::ConnectorLayer as _;
use presence_tests::StoredUser;
use presence_tests::{
    FaultConnector, Fixtures, Reply, SavedFixtures, TestStack, TestUser, address, in_process_client, send,
};
use serde_json::Value;
use tokio::sync::OnceCell;

use crate::api::categories::{DIRECTORY, load, numbered, parse};
use crate::api::reviews::fixtures::{seed, seeded_review, write_reviews};
use crate::imports::large_dataset;

/// One request, its preparation and its expected effect.
#[derive(Clone)]
pub(super) struct Scenario {
    /// Name in failure messages.
    pub(super) name: &'static str,
    /// Name of the route.
    pub(super) operation: &'static str,
    /// Owner of the key.
    pub(super) by: fn(&Fixtures) -> &TestUser,
    /// User that the request is about.
    pub(super) target: Target,
    /// Preparation before each request.
    pub(super) before: Preparation,
    /// Method of the request.
    pub(super) method: &'static str,
    /// Path of the request.
    pub(super) path: fn(&Fixture) -> String,
    /// Body of the request, if it has one.
    pub(super) body: Option<fn(&Fixture) -> Value>,
    /// Status without faults.
    pub(super) unbroken: u16,
    /// Status if the effect is there already, as for a client that tries again after 503.
    pub(super) again: u16,
    /// Test of the effect, by the stored user.
    pub(super) done: StoredEffect,
    /// True if the request has an idempotency key. It is the same when the request is repeated.
    pub(super) is_keyed: bool,
}

impl Scenario {
    /// Returns the request for the current state of the fixture.
    pub(super) fn request(&self, fixture: &Fixture) -> ScenarioRequest {
        let key = self.is_keyed.then(|| format!("key-{}", fixture.calls));
        ScenarioRequest {
            method: self.method,
            path: (self.path)(fixture),
            body: self.body.map(|body| body(fixture)),
            key,
        }
    }
}

/// Test that the effect of a request is stored.
#[derive(Clone, Copy)]
pub(super) enum StoredEffect {
    /// The request changes nothing. Its answer is always the same bytes.
    ChangesNothing,
    /// Predicate on the target.
    Target(fn(Option<&StoredUser>) -> bool),
    /// Predicate on the target, which must still exist.
    TargetIs(fn(&StoredUser) -> bool),
    /// Predicate on the user with the address of [`Fixture::fresh`].
    Fresh(fn(Option<&StoredUser>) -> bool),
    /// Predicate on the review [`REVIEW`].
    Review(fn(&Review) -> bool),
}

/// Name of the review that is changed.
const REVIEW: &str = "b";

/// User or review that a request is about, as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Watched {
    User(Box<StoredUser>),
    Review(Box<Review>),
}

impl Watched {
    /// Returns the user, if it is one.
    pub(super) fn user(&self) -> Option<&StoredUser> {
        if let Self::User(user) = self { Some(user) } else { None }
    }
}

/// User that a request is about. It is created for each request.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    /// No user.
    Nobody,
    /// An active `BUSINESS_MANAGER` with a key.
    Active,
    /// An invited one, without a mail.
    Invited,
    /// An invited one whose mail waits.
    JustInvited,
}

/// Preparation before each request.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Preparation {
    /// Nothing. The key was used in this hour, and the directories are in memory.
    Nothing,
    /// Start of a new hour, so that the use of the key is written.
    NewHour,
    /// Writes of users, so that the directories in memory are outdated.
    Writes,
    /// A review without a reply.
    UnansweredReview,
    /// A review with a reply that is on its way.
    PendingReply,
    /// Writes of a business that the search does not find, so that the directory in memory is outdated.
    Imports,
    /// Registration of another organisation with reviews, which outdates the list in memory.
    NewOrg,
    /// Import of categories that the search does not find, which outdates the directory in memory.
    NewDirectory,
}

/// Request of a scenario.
pub(super) struct ScenarioRequest {
    pub(super) method: &'static str,
    pub(super) path: String,
    pub(super) body: Option<Value>,
    /// Idempotency key.
    pub(super) key: Option<String>,
}

/// Stack with faults, and the target of the current request.
pub(super) struct Fixture {
    pub(super) stack: TestStack,
    pub(super) faults: FaultConnector,
    pub(super) fixtures: Fixtures,
    /// Target, if the scenario has one.
    pub(super) target: Option<TestUser>,
    calls: usize,
}

/// Tables that have the fixtures and many reviews.
static MANY_REVIEWS: SavedFixtures = OnceCell::const_new();

async fn write_many_reviews(stack: &TestStack) -> Fixtures {
    let fixtures = Fixtures::create(stack).await;
    large_dataset::fill(stack).await;
    fixtures
}

impl Fixture {
    /// Starts a stack with the fixtures. For searches and statistics of reviews, it has many.
    pub(super) async fn new(options: Options, operation: &str) -> Self {
        let faults = FaultConnector::new();
        let http_client = Some(faults.over(in_process_client()));
        let stack = TestStack::with(Options { http_client, ..options }).await;
        let fixtures = match operation {
            "search_reviews" | "get_review_stats" => {
                Fixtures::copy(&stack, &MANY_REVIEWS, |stack| Box::pin(write_many_reviews(stack))).await
            }
            _ => Fixtures::create(&stack).await,
        };
        Self { stack, faults, fixtures, target: None, calls: 0 }
    }

    /// Returns the path of the target.
    pub(super) fn path(&self) -> String {
        format!("/user/{}", self.target.as_ref().expect("the scenario has a target").id)
    }

    /// Returns an address that no user had before the current request.
    pub(super) fn fresh(&self) -> String {
        address(&format!("fresh-{}", self.calls))
    }

    /// Prepares the next request of the scenario.
    pub(super) async fn prepare(&mut self, scenario: &Scenario) {
        self.calls += 1;
        if self.calls == 1 {
            self.fill(scenario.operation).await;
        }
        let local = format!("target-{}", self.calls);
        let status = if scenario.target == Target::Active { Status::Active } else { Status::Invited };
        if scenario.target != Target::Nobody {
            self.target = Some(self.stack.create_user(&local, Role::BusinessManager, Some(1), status).await);
        }
        if scenario.before == Preparation::NewHour {
            self.stack.clock.advance(jiff::SignedDuration::from_hours(1));
        } else if self.calls == 1 {
            // Writes the use of the key, and loads the directories, so that later requests read the same.
            self.retry_request(
                scenario,
                &ScenarioRequest { method: "GET", path: "/user/search".to_owned(), body: None, key: None },
            )
            .await;
        }
        if scenario.target == Target::JustInvited {
            let path = format!("{}/invite", self.path());
            let invited =
                self.retry_request(scenario, &ScenarioRequest { method: "POST", path, body: None, key: None }).await;
            assert!([200, 429].contains(&invited.status), "once or, after a 503, already: {}", invited.text);
        }
        if matches!(scenario.before, Preparation::UnansweredReview | Preparation::PendingReply) {
            self.put_review(scenario.before == Preparation::PendingReply).await;
        }
        match scenario.before {
            Preparation::Imports => {
                self.stack.create_business(2, "changing", &format!("City {}", self.calls)).await;
            }
            Preparation::NewOrg => {
                let org = OrgId::new(self.calls as u64 + 10).expect("an id");
                self.stack.stores().reviews.register_org_with_reviews(org).await.expect("the store answers");
            }
            Preparation::NewDirectory => load(self.stack.stores(), numbered(1, &format!("Word {}", self.calls))).await,
            Preparation::Writes => {
                self.rewrite(&self.fixtures.other_manager_1).await;
                self.rewrite(&self.fixtures.manager_2).await;
            }
            _ => {}
        }
    }

    /// Writes what the operation reads or changes. Searches and statistics of reviews have it from the start.
    async fn fill(&self, operation: &str) {
        match operation {
            "search_categories" | "get_category" => load(self.stack.stores(), parse(DIRECTORY)).await,
            "get_webhook" | "list_deliveries" => self.stack.seed_webhook().await,
            "search_reviews" | "get_review_stats" | "search_businesses" => {}
            _ if presence_reviews::ROUTES.iter().any(|route| route.name == operation) => seed(&self.stack).await,
            _ => {}
        }
    }

    /// Returns the path of the review.
    pub(super) fn review_path() -> String {
        format!("/reviews/{}", seeded_review(REVIEW).id.as_str())
    }

    async fn review(&self) -> Review {
        let found = self.stack.stores().reviews.find_stored_reviews(&[seeded_review(REVIEW)]).await;
        found.expect("the store answers").remove(0).expect("a review")
    }

    /// Writes the review as it was at first, or with a reply.
    async fn put_review(&self, with_reply: bool) {
        let (old, new, by) = (self.review().await, seeded_review(REVIEW), UserId::parse("7").expect("an id"));
        let reply = || new.reply_with(ReplyText::parse("Merci").expect("a text"), by, self.stack.clock.now());
        let new = if with_reply { reply().expect("not deleted") } else { new };
        write_reviews(&self.stack, vec![ReviewWrite { old: Some(old), new }]).await;
    }

    /// Writes a user unchanged, which raises its version.
    async fn rewrite(&self, person: &TestUser) {
        let id = UserId::parse(&person.id).expect("an id");
        let record = self
            .stack
            .stores()
            .users
            .get_record(presence_tests::operator_scope(), id)
            .await
            .expect("the store answers");
        let record = record.expect("one of the fixtures");
        let now = self.stack.clock.now();
        let change = UserChange::of_delivery(record.user.clone(), now);
        self.stack.stores().users.write(Some(&record), &change).await.expect("nobody else writes");
    }

    /// Sends the request.
    pub(super) async fn send(&self, scenario: &Scenario, ask: &ScenarioRequest) -> Reply {
        let request = self.stack.request(ask.method, &ask.path).header("x-api-key", &(scenario.by)(&self.fixtures).key);
        let request = ask.key.iter().fold(request, |request, key| request.header("idempotency-key", key));
        match &ask.body {
            Some(body) => send(request.header("content-type", "application/json").body(body.to_string())).await,
            None => send(request).await,
        }
    }

    /// Sends the request without faults, and repeats it while a busy machine makes the function give up.
    pub(super) async fn retry_request(&self, scenario: &Scenario, ask: &ScenarioRequest) -> Reply {
        let mut reply = self.send(scenario, ask).await;
        for _ in 0..20 {
            if reply.status != 503 {
                break;
            }
            reply = self.send(scenario, ask).await;
        }
        reply
    }

    /// Returns the number of changes that the caller of the scenario is recorded to have made.
    pub(super) async fn records(&self, scenario: &Scenario) -> usize {
        let caller = (scenario.by)(&self.fixtures).id.clone();
        self.stack.records(AuditSource::Actor(caller)).await.len()
    }

    /// Returns the stored user or review that the request of the scenario is about.
    pub(super) async fn watched(&self, scenario: &Scenario) -> Option<Watched> {
        if let StoredEffect::Review(_) = scenario.done {
            return Some(Watched::Review(Box::new(self.review().await)));
        }
        let id = match scenario.done {
            StoredEffect::Fresh(_) => {
                let fresh = EmailAddress::parse(&self.fresh()).expect("an address");
                let holder = self.stack.stores().users.get_id_by_email(fresh.key()).await.expect("the store answers");
                holder.map(|id| id.to_string())
            }
            _ => self.target.as_ref().map(|target| target.id.clone()),
        };
        match id {
            Some(id) => self.stack.stored(&id).await.map(|user| Watched::User(Box::new(user))),
            None => None,
        }
    }
}
