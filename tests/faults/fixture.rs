//! Scenario of one call, and the fixture that runs it.

use presence_domain::email::EmailAddress;
use presence_domain::ids::UserId;
use presence_domain::user::UserChange;
use presence_domain::user::{Role, Status};
use presence_local::Options;
use presence_tests::ConnectorLayer as _;
use presence_tests::StoredUser;
use presence_tests::{FaultConnector, Fixtures, Reply, TestStack, TestUser, address, plain_http, send};
use serde_json::Value;

/// One call, what comes before it and what it is to do.
#[derive(Clone)]
pub(super) struct Scenario {
    /// What a failed check is reported under.
    pub(super) name: &'static str,
    /// The name of the route.
    pub(super) operation: &'static str,
    /// Whose key is used.
    pub(super) by: fn(&Fixtures) -> &TestUser,
    /// Whom the call is about.
    pub(super) target: Target,
    /// What goes before each call.
    pub(super) before: Before,
    /// The call's method.
    pub(super) method: &'static str,
    /// The call's path.
    pub(super) path: fn(&Fixture) -> String,
    /// The call's body, where it has one.
    pub(super) body: Option<fn(&Fixture) -> Value>,
    /// Its status when nothing is broken.
    pub(super) unbroken: u16,
    /// The status when it was done already: what a careful client meets that tries again after 503.
    pub(super) again: u16,
    /// Whether what it is to do is done, by the user that it is about.
    pub(super) done: Done,
}

impl Scenario {
    /// The call, for the present state of the fixture.
    pub(super) fn ask(&self, fixture: &Fixture) -> Ask {
        Ask { method: self.method, path: (self.path)(fixture), body: self.body.map(|body| body(fixture)) }
    }
}

/// How to tell that a call was done.
#[derive(Clone, Copy)]
pub(super) enum Done {
    /// It changes nothing. Its answer is always the same, to the byte.
    ChangesNothing,
    /// By the target.
    Target(fn(Option<&StoredUser>) -> bool),
    /// By the target, which is still there.
    TargetIs(fn(&StoredUser) -> bool),
    /// By the user with the address of [`Fixture::fresh`].
    Fresh(fn(Option<&StoredUser>) -> bool),
}

/// Whom a call is about: made anew for each call.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    /// Nobody in particular.
    Nobody,
    /// An active `BUSINESS_MANAGER` with a key.
    Active,
    /// An invited one, without a mail.
    Invited,
    /// An invited one whose mail waits.
    JustInvited,
}

/// What goes before each call.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Before {
    /// Nothing: the key was used in this hour, the directories are in memory.
    Nothing,
    /// A new hour begins, so that the use of the key is noted.
    NewHour,
    /// Users are written, so that the directories in memory are out of date.
    Writes,
}

/// A request.
pub(super) struct Ask {
    pub(super) method: &'static str,
    pub(super) path: String,
    pub(super) body: Option<Value>,
}

/// A stack, and what is new in it for the present call.
pub(super) struct Fixture {
    pub(super) stack: TestStack,
    pub(super) faults: FaultConnector,
    pub(super) fixtures: Fixtures,
    /// The target; nobody where the scenario has none.
    pub(super) target: Option<TestUser>,
    calls: usize,
}

impl Fixture {
    pub(super) async fn new(options: Options) -> Self {
        let faults = FaultConnector::new();
        let http_client = Some(faults.over(plain_http()));
        let stack = TestStack::with(Options { http_client, ..options }).await;
        let fixtures = Fixtures::create(&stack).await;
        Self { stack, faults, fixtures, target: None, calls: 0 }
    }

    /// The path of the target.
    pub(super) fn path(&self) -> String {
        format!("/user/{}", self.target.as_ref().expect("the scenario has a target").id)
    }

    /// An address that nobody had before the present call.
    pub(super) fn fresh(&self) -> String {
        address(&format!("fresh-{}", self.calls))
    }

    /// Sets everything up for the next call of the scenario.
    pub(super) async fn set(&mut self, scenario: &Scenario) {
        self.calls += 1;
        if self.calls == 1 && scenario.operation == "search_reviews" {
            crate::api::reviews::fixtures::seed(&self.stack).await;
        }
        let local = format!("target-{}", self.calls);
        let status = if scenario.target == Target::Active { Status::Active } else { Status::Invited };
        if scenario.target != Target::Nobody {
            self.target = Some(self.stack.create_user(&local, Role::BusinessManager, Some(1), status).await);
        }
        if scenario.before == Before::NewHour {
            self.stack.clock.advance(jiff::SignedDuration::from_hours(1));
        } else if self.calls == 1 {
            // The use of the key is noted, and the directories come into memory: nothing that is read changes later.
            self.ask_patiently(scenario, &Ask { method: "GET", path: "/user/search".to_owned(), body: None }).await;
        }
        if scenario.target == Target::JustInvited {
            let path = format!("{}/invite", self.path());
            let invited = self.ask_patiently(scenario, &Ask { method: "POST", path, body: None }).await;
            assert!([200, 429].contains(&invited.status), "once or, after a 503, already: {}", invited.text);
        }
        if scenario.before == Before::Writes {
            self.rewrite(&self.fixtures.other_manager_1).await;
            self.rewrite(&self.fixtures.manager_2).await;
        }
    }

    /// Writes a user as it is: a newer version of the same.
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
        let now = presence_runtime::clock::Clock::now(self.stack.clock.as_ref());
        let change = UserChange::to(record.user.clone(), now);
        self.stack.stores().users.write(Some(&record), &change).await.expect("nobody else writes");
    }

    pub(super) async fn ask(&self, scenario: &Scenario, ask: &Ask) -> Reply {
        let request = self.stack.request(ask.method, &ask.path).header("x-api-key", &(scenario.by)(&self.fixtures).key);
        match &ask.body {
            Some(body) => send(request.header("content-type", "application/json").body(body.to_string())).await,
            None => send(request).await,
        }
    }

    /// Asks with nothing broken; again where a busy machine makes an impatient function give up.
    pub(super) async fn ask_patiently(&self, scenario: &Scenario, ask: &Ask) -> Reply {
        let mut reply = self.ask(scenario, ask).await;
        for _ in 0..20 {
            if reply.status != 503 {
                break;
            }
            reply = self.ask(scenario, ask).await;
        }
        reply
    }

    /// The user that the scenario's call is about, as it is stored.
    pub(super) async fn watched(&self, scenario: &Scenario) -> Option<StoredUser> {
        let id = match scenario.done {
            Done::Fresh(_) => {
                let fresh = EmailAddress::parse(&self.fresh()).expect("an address");
                let holder = self.stack.stores().users.get_id_by_email(fresh.key()).await.expect("the store answers");
                holder.map(|id| id.to_string())
            }
            _ => self.target.as_ref().map(|target| target.id.clone()),
        };
        match id {
            Some(id) => self.stack.stored(&id).await,
            None => None,
        }
    }
}
