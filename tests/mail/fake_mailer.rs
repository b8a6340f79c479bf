//! Fake of SES: each mail ends as the test says, and the mails that were taken are kept.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::FutureExt as _;
use futures::future::BoxFuture;
use jiff::{SignedDuration, Timestamp};
use presence_domain::invitation::{ActivationToken, ActivationTokenHash, OutboxMessage, WINDOW};
use presence_mailer::{Mail, Mailer, OutboxProcessor, SendResult};
use presence_runtime::clock::{Clock, ManualClock};
use presence_runtime::config::MailConfig;
use presence_store::keys::user_pk;
use presence_tests::ConnectorLayer as _;
use presence_tests::{TestStack, long_timeouts, plain_http};
use serde_json::{Value, json};

use presence_tests::CrashConnector;

/// What becomes of a mail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SendOutcome {
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

impl SendOutcome {
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

/// Mailbox and outcome that all mailer processes share.
pub(super) struct FakeMailer {
    clock: Arc<ManualClock>,
    state: Mutex<State>,
}

struct State {
    fate: SendOutcome,
    /// By address.
    taken: BTreeMap<String, Vec<Taken>>,
    too_soon: Vec<String>,
}

impl FakeMailer {
    pub(super) fn new(stack: &TestStack) -> Arc<Self> {
        let state = State { fate: SendOutcome::Sent, taken: BTreeMap::new(), too_soon: Vec::new() };
        Arc::new(Self { clock: Arc::clone(&stack.clock), state: Mutex::new(state) })
    }

    pub(super) fn set_outcome(&self, fate: SendOutcome) {
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
pub(super) struct MailerProcess {
    pub(super) crashes: CrashConnector,
    pub(super) outbox: OutboxProcessor,
}

/// Client of the [`FakeMailer`] that one mailer process uses.
struct FakeMailerClient {
    fake_mailer: Arc<FakeMailer>,
    crashes: CrashConnector,
}

impl Mailer for FakeMailerClient {
    fn send<'a>(&'a self, mail: &'a Mail) -> BoxFuture<'a, SendResult> {
        let fate = self.fake_mailer.state().fate;
        if matches!(fate, SendOutcome::Sent | SendOutcome::Lost | SendOutcome::DiesAfter) {
            self.fake_mailer.take(mail);
        }
        async move {
            match fate {
                SendOutcome::Sent => SendResult::Sent,
                SendOutcome::Refused => SendResult::Refused("TooManyRequestsException".to_owned()),
                SendOutcome::Malformed => SendResult::Malformed("BadRequestException".to_owned()),
                SendOutcome::Lost | SendOutcome::Vanished => SendResult::Unknown("Timeout".to_owned()),
                SendOutcome::DiesBefore | SendOutcome::DiesAfter => self.crashes.crash().await,
            }
        }
        .boxed()
    }
}

impl MailerProcess {
    pub(super) fn new(stack: &TestStack, fake_mailer: &Arc<FakeMailer>) -> Self {
        let crashes = CrashConnector::new();
        let stores = stack.stores_through(crashes.over(plain_http()), long_timeouts(), stack.table_prefix());
        let config = MailConfig::parse("no-reply@presence.example", "https://presence.example", "72");
        let outbox = OutboxProcessor {
            users: stores.users,
            outbox: stores.outbox,
            clock: Arc::clone(&stack.clock) as _,
            mailer: Arc::new(FakeMailerClient { fake_mailer: Arc::clone(fake_mailer), crashes: crashes.clone() }),
            config: config.expect("good settings"),
        };
        Self { crashes, outbox }
    }
}

/// The record of the stream for a mail that was put into the outbox.
pub(super) fn record(message: &OutboxMessage, sequence_number: usize) -> Value {
    let number = |number: String| json!({ "N": number });
    let instant = |instant: Timestamp| number(instant.as_millisecond().to_string());
    let keys = json!({ "pk": { "S": user_pk(message.user_id) }, "sk": { "S": message.id } });
    let image = json!({
        "pk": keys["pk"],
        "sk": keys["sk"],
        "user_id": { "S": message.user_id.to_string() },
        "outbox": { "S": message.state.as_str() },
        "due_at": instant(message.due_at),
        "created_at": instant(message.created_at),
        "give_up_at": instant(message.give_up_at),
        "state": { "S": message.state.as_str() },
        "attempts": number(message.attempts.to_string()),
    });
    let change = json!({ "Keys": keys, "NewImage": image, "SequenceNumber": format!("{sequence_number:021}") });
    json!({ "eventName": "INSERT", "eventSource": "aws:dynamodb", "dynamodb": change })
}

/// The event of the schedule.
pub(super) fn sweep() -> Value {
    json!({ "source": "aws.scheduler", "detail-type": "Scheduled Event", "detail": {} })
}

/// A minute, as far as tests are concerned: enough for a busy machine.
pub(super) fn deadline() -> std::time::SystemTime {
    presence_runtime::clock::deadline_in(std::time::Duration::from_mins(10))
}

/// How long after a claim the next one is possible where nobody knows how the first one ended.
pub(super) const LEASE: SignedDuration = SignedDuration::from_secs(320);
