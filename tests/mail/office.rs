//! A post office in the place of SES: it does with each mail what the test says, and keeps what it took.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::FutureExt as _;
use futures::future::BoxFuture;
use jiff::{SignedDuration, Timestamp};
use presence::clock::{Clock, ManualClock};
use presence::config::MailConfig;
use presence::domain::invitation::{ActivationToken, ActivationTokenHash, WINDOW};
use presence::store::OutboxRow;
use presence_mailer::{Mail, Mailer, Outbox, Outcome};
use presence_tests::{World, patient};
use serde_json::{Map, Value, json};

use super::axe::Axe;

/// What becomes of a mail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// Taken.
    Sent,
    /// Not taken.
    Refused,
    /// Not taken, and never will be.
    Malformed,
    /// Taken, but the reply is lost.
    Lost,
    /// Not taken, and nobody says so.
    Vanished,
    /// The mailer dies before it asks.
    DiesBefore,
    /// The mailer dies before it hears that it was taken.
    DiesAfter,
}

impl Fate {
    pub(super) const ALL: [Self; 7] =
        [Self::Sent, Self::Refused, Self::Malformed, Self::Lost, Self::Vanished, Self::DiesBefore, Self::DiesAfter];
}

/// A mail that was taken.
#[derive(Clone, Debug)]
pub(super) struct Taken {
    pub(super) at: Timestamp,
    pub(super) user_id: String,
    /// By its digest: tokens are not for failure messages.
    pub(super) token: ActivationTokenHash,
}

/// The office, shared by all mailers.
pub(super) struct Office {
    clock: Arc<ManualClock>,
    state: Mutex<State>,
}

struct State {
    fate: Fate,
    /// By address.
    taken: BTreeMap<String, Vec<Taken>>,
    too_soon: Vec<String>,
}

impl Office {
    pub(super) fn new(world: &World) -> Arc<Self> {
        let state = State { fate: Fate::Sent, taken: BTreeMap::new(), too_soon: Vec::new() };
        Arc::new(Self { clock: Arc::clone(&world.clock), state: Mutex::new(state) })
    }

    pub(super) fn set_fate(&self, fate: Fate) {
        self.state().fate = fate;
    }

    /// What was taken for an address, first to last.
    pub(super) fn taken(&self, address: &str) -> Vec<Taken> {
        self.state().taken.get(address).cloned().unwrap_or_default()
    }

    /// Mails that came too soon after another one to the same address.
    pub(super) fn too_soon(&self) -> Vec<String> {
        self.state().too_soon.clone()
    }

    fn take(&self, mail: &Mail) {
        let at = self.clock.now();
        let link = mail.message.text.split_whitespace().find(|word| word.contains("/invitation?")).expect("a link");
        let (_, query) = link.split_once("?user=").expect("a user in the link");
        let (user_id, token) = query.split_once("&token=").expect("a token in the link");
        let token = ActivationToken::parse(token).expect("a token").hash();
        let mut state = self.state();
        let before = state.taken.entry(mail.to.clone()).or_default();
        let last = before.last().map(|last| last.at);
        before.push(Taken { at, user_id: user_id.to_owned(), token });
        if last.is_some_and(|last| at.duration_since(last) < WINDOW) {
            state.too_soon.push(format!("user {user_id} at {at}"));
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A process that delivers mails, and can be killed.
pub(super) struct Worker {
    pub(super) axe: Axe,
    pub(super) outbox: Outbox,
}

/// The counter of the office that a worker goes to.
struct Counter {
    office: Arc<Office>,
    axe: Axe,
}

impl Mailer for Counter {
    fn send<'a>(&'a self, mail: &'a Mail) -> BoxFuture<'a, Outcome> {
        let fate = self.office.state().fate;
        if matches!(fate, Fate::Sent | Fate::Lost | Fate::DiesAfter) {
            self.office.take(mail);
        }
        async move {
            match fate {
                Fate::Sent => Outcome::Sent,
                Fate::Refused => Outcome::Refused("TooManyRequestsException".to_owned()),
                Fate::Malformed => Outcome::Malformed("BadRequestException".to_owned()),
                Fate::Lost | Fate::Vanished => Outcome::Unknown("Timeout".to_owned()),
                Fate::DiesBefore | Fate::DiesAfter => self.axe.fall().await,
            }
        }
        .boxed()
    }
}

impl Worker {
    pub(super) fn new(world: &World, office: &Arc<Office>) -> Self {
        let axe = Axe::new();
        let store = world.store_through(axe.clone(), patient(), world.table_prefix());
        let config = MailConfig::parse("no-reply@presence.example", "https://presence.example", "72");
        let outbox = Outbox {
            store,
            clock: Arc::clone(&world.clock) as _,
            mailer: Arc::new(Counter { office: Arc::clone(office), axe: axe.clone() }),
            config: config.expect("good settings"),
        };
        Self { axe, outbox }
    }
}

/// The record of the stream for a mail that was put into the outbox.
pub(super) fn record(row: &OutboxRow, sequence_number: usize) -> Value {
    let Ok(Value::Object(fields)) = serde_json::to_value(row) else { panic!("a row is an object") };
    let attribute = |value: &Value| match value {
        Value::String(text) => json!({ "S": text }),
        number => json!({ "N": number.to_string() }),
    };
    let image: Map<_, _> = fields.iter().map(|(name, value)| (name.clone(), attribute(value))).collect();
    let keys = json!({ "pk": image["pk"], "sk": image["sk"] });
    let change = json!({ "Keys": keys, "NewImage": image, "SequenceNumber": format!("{sequence_number:021}") });
    json!({ "eventName": "INSERT", "eventSource": "aws:dynamodb", "dynamodb": change })
}

/// The event of the schedule.
pub(super) fn sweep() -> Value {
    json!({ "source": "aws.scheduler", "detail-type": "Scheduled Event", "detail": {} })
}

/// A minute, as far as tests are concerned: enough for a busy machine.
pub(super) fn deadline() -> std::time::SystemTime {
    presence::clock::deadline_in(std::time::Duration::from_mins(10))
}

/// How long after a claim the next one is possible where nobody knows how the first one ended.
pub(super) const LEASE: SignedDuration = SignedDuration::from_secs(320);
