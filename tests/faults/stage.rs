//! What a script says, and the world that it is played in.

use aws_sdk_dynamodb::config::SharedHttpClient;
use presence::access::Scope;
use presence::domain::email::EmailAddress;
use presence::domain::ids::UserId;
use presence::domain::user::{Role, Status};
use presence::store::{MailChange, UserChange};
use presence_local::Options;
use presence_tests::Stored;
use presence_tests::{Cast, Faults, Person, Reply, World, address, plain_http, send};
use serde_json::Value;

/// One call, what comes before it and what it is to do.
#[derive(Clone)]
pub(super) struct Script {
    /// What a failed check is reported under.
    pub(super) name: &'static str,
    /// The name of the route.
    pub(super) operation: &'static str,
    /// Whose key is used.
    pub(super) by: fn(&Cast) -> &Person,
    /// Whom the call is about.
    pub(super) target: Target,
    /// What goes before each call.
    pub(super) before: Before,
    /// The call's method.
    pub(super) method: &'static str,
    /// The call's path.
    pub(super) path: fn(&Stage) -> String,
    /// The call's body, where it has one.
    pub(super) body: Option<fn(&Stage) -> Value>,
    /// Its status when nothing is broken.
    pub(super) unbroken: u16,
    /// The status when it was done already: what a careful client meets that tries again after 503.
    pub(super) again: u16,
    /// Whether what it is to do is done, by the user that it is about.
    pub(super) done: Done,
}

impl Script {
    /// The call, as it is to be made on the stage as it is set.
    pub(super) fn ask(&self, stage: &Stage) -> Ask {
        Ask { method: self.method, path: (self.path)(stage), body: self.body.map(|body| body(stage)) }
    }
}

/// How to tell that a call was done.
#[derive(Clone, Copy)]
pub(super) enum Done {
    /// It changes nothing. Its answer is always the same, to the byte.
    ChangesNothing,
    /// By the target.
    Target(fn(Option<&Stored>) -> bool),
    /// By the target, which is still there.
    TargetIs(fn(&Stored) -> bool),
    /// By the user with the address of [`Stage::fresh`].
    Fresh(fn(Option<&Stored>) -> bool),
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

/// A world, and what is new in it for the present call.
pub(super) struct Stage {
    pub(super) world: World,
    pub(super) faults: Faults,
    pub(super) cast: Cast,
    /// The target; nobody where the script has none.
    pub(super) target: Option<Person>,
    calls: usize,
}

impl Stage {
    pub(super) async fn new(options: Options) -> Self {
        let faults = Faults::over(plain_http());
        let http_client = Some(SharedHttpClient::new(faults.clone()));
        let world = World::with(Options { http_client, ..options }).await;
        let cast = Cast::enter(&world).await;
        Self { world, faults, cast, target: None, calls: 0 }
    }

    /// The path of the target.
    pub(super) fn path(&self) -> String {
        format!("/user/{}", self.target.as_ref().expect("the script has a target").id)
    }

    /// An address that nobody had before the present call.
    pub(super) fn fresh(&self) -> String {
        address(&format!("fresh-{}", self.calls))
    }

    /// Sets everything up for the next call of the script.
    pub(super) async fn set(&mut self, script: &Script) {
        self.calls += 1;
        if self.calls == 1 && script.operation == "search_reviews" {
            crate::api::reviews::shelf::stock(&self.world).await;
        }
        let local = format!("target-{}", self.calls);
        let status = if script.target == Target::Active { Status::Active } else { Status::Invited };
        if script.target != Target::Nobody {
            self.target = Some(self.world.person(&local, Role::BusinessManager, Some(1), status).await);
        }
        if script.before == Before::NewHour {
            self.world.clock.advance(jiff::SignedDuration::from_hours(1));
        } else if self.calls == 1 {
            // The use of the key is noted, and the directories come into memory: nothing that is read changes later.
            self.ask_patiently(script, &Ask { method: "GET", path: "/user/search".to_owned(), body: None }).await;
        }
        if script.target == Target::JustInvited {
            let path = format!("{}/invite", self.path());
            let invited = self.ask_patiently(script, &Ask { method: "POST", path, body: None }).await;
            assert!([200, 429].contains(&invited.status), "once or, after a 503, already: {}", invited.text);
        }
        if script.before == Before::Writes {
            self.rewrite(&self.cast.other_manager_1).await;
            self.rewrite(&self.cast.manager_2).await;
        }
    }

    /// Writes a user as it is: a newer version of the same.
    async fn rewrite(&self, person: &Person) {
        let id = UserId::parse(&person.id).expect("an id");
        let record = self.world.store().user_record(Scope::for_operator(), id).await.expect("the store answers");
        let record = record.expect("one of the cast");
        let now = presence::clock::Clock::now(self.world.clock.as_ref());
        let (before, after) = (Some(&record), Some(&record.user));
        let change = UserChange { before, after, mail: MailChange::Keep, keep_an_admin: false, now };
        self.world.store().write_user(change).await.expect("nobody else writes");
    }

    pub(super) async fn ask(&self, script: &Script, ask: &Ask) -> Reply {
        let request = self.world.request(ask.method, &ask.path).header("x-api-key", &(script.by)(&self.cast).key);
        match &ask.body {
            Some(body) => send(request.header("content-type", "application/json").body(body.to_string())).await,
            None => send(request).await,
        }
    }

    /// Asks with nothing broken; again where a busy machine makes an impatient function give up.
    pub(super) async fn ask_patiently(&self, script: &Script, ask: &Ask) -> Reply {
        let mut reply = self.ask(script, ask).await;
        for _ in 0..20 {
            if reply.status != 503 {
                break;
            }
            reply = self.ask(script, ask).await;
        }
        reply
    }

    /// The user that the script's call is about, as it is stored.
    pub(super) async fn watched(&self, script: &Script) -> Option<Stored> {
        let id = match script.done {
            Done::Fresh(_) => {
                let fresh = EmailAddress::parse(&self.fresh()).expect("an address");
                let holder = self.world.store().user_id_by_email(fresh.key()).await.expect("the store answers");
                holder.map(|id| id.to_string())
            }
            _ => self.target.as_ref().map(|target| target.id.clone()),
        };
        match id {
            Some(id) => self.world.stored(&id).await,
            None => None,
        }
    }
}
