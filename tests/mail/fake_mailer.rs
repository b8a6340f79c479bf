//! Fake of SES: the test sets the outcome of each mail, and accepted mails are recorded.

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
use presence_tests::{TestStack, in_process_client, long_timeouts};
use serde_json::{Value, json};

use presence_tests::CrashConnector;

/// Outcome of sending a mail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SendOutcome {
    /// Accepted.
    Sent,
    /// Not accepted.
    Refused,
    /// Not accepted, and no retry can succeed.
    Malformed,
    /// Accepted, but the reply is lost.
    Lost,
    /// Not accepted, and the reply is lost.
    Vanished,
    /// The mailer dies before the request.
    DiesBefore,
    /// Accepted, and the mailer dies before it reads the reply.
    DiesAfter,
}

impl SendOutcome {
    pub(super) const ALL: [Self; 7] =
        [Self::Sent, Self::Refused, Self::Malformed, Self::Lost, Self::Vanished, Self::DiesBefore, Self::DiesAfter];
}

/// Mail that was accepted.
#[derive(Clone, Debug)]
pub(super) struct AcceptedMail {
    pub(super) at: Timestamp,
    pub(super) user_id: String,
    /// Hash of the token, since failure messages must not show tokens.
    pub(super) token: ActivationTokenHash,
}

/// Mailbox and outcome that all mailer processes share.
pub(super) struct FakeMailer {
    clock: Arc<ManualClock>,
    state: Mutex<State>,
}

struct State {
    outcome: SendOutcome,
    /// Accepted mails by address.
    accepted: BTreeMap<String, Vec<AcceptedMail>>,
    too_soon: Vec<String>,
}

impl FakeMailer {
    pub(super) fn new(stack: &TestStack) -> Arc<Self> {
        let state = State { outcome: SendOutcome::Sent, accepted: BTreeMap::new(), too_soon: Vec::new() };
        Arc::new(Self { clock: Arc::clone(&stack.clock), state: Mutex::new(state) })
    }

    pub(super) fn set_outcome(&self, outcome: SendOutcome) {
        self.state().outcome = outcome;
    }

    /// Returns the accepted mails for an address, first to last.
    pub(super) fn accepted(&self, address: &str) -> Vec<AcceptedMail> {
        self.state().accepted.get(address).cloned().unwrap_or_default()
    }

    /// Returns the mails that were sent less than five minutes after another one to the same address.
    pub(super) fn too_soon(&self) -> Vec<String> {
        self.state().too_soon.clone()
    }

    fn accept(&self, mail: &Mail) {
        let at = self.clock.now();
        let link = mail.message.text.split_whitespace().find(|word| word.contains("/invitation?"));
        // A notice has none.
        let query = link.map_or("", |link| link.split_once("?user=").expect("a user in the link").1);
        let (user_id, token) = query.split_once("&token=").unwrap_or_default();
        let token = ActivationToken::parse(token).unwrap_or_else(ActivationToken::generate).hash();
        let mut state = self.state();
        let accepted = state.accepted.entry(mail.to.clone()).or_default();
        let last = accepted.last().map(|last| last.at);
        accepted.push(AcceptedMail { at, user_id: user_id.to_owned(), token });
        if last.is_some_and(|last| at.duration_since(last) < WINDOW) {
            state.too_soon.push(format!("user {user_id} at {at}"));
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Mailer process that can be killed.
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
        let outcome = self.fake_mailer.state().outcome;
        if matches!(outcome, SendOutcome::Sent | SendOutcome::Lost | SendOutcome::DiesAfter) {
            self.fake_mailer.accept(mail);
        }
        async move {
            match outcome {
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
        let stores = stack.stores_through(crashes.over(in_process_client()), long_timeouts(), stack.table_prefix());
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

/// Returns the stream record of a mail that was written to the outbox.
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

/// Returns the event of the schedule.
pub(super) fn sweep() -> Value {
    json!({ "source": "aws.scheduler", "detail-type": "Scheduled Event", "detail": {} })
}

/// Returns a deadline that no test reaches, even on a busy machine.
pub(super) fn deadline() -> presence_runtime::clock::Deadline {
    presence_runtime::clock::Deadline::after(std::time::Duration::from_mins(10))
}

/// Time from a claim until another process may claim the mail, if the outcome of the first is unknown.
pub(super) const LEASE: SignedDuration = SignedDuration::from_secs(320);
