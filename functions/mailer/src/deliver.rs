//! Sending the mail that waits for a user: whatever crashes, it is not lost, and not two are sent in five minutes.
//!
//! 1. User and mail are read, strongly.
//! 2. The claim, one transaction guarded by the user's version: the digest of the new token, the instant before which no
//!    other mail may be sent, and the mail itself, due again only then. From here on nobody else sends.
//! 3. The mail is sent, once.
//! 4. What became of it is written: sent, and the mail leaves the outbox; refused, and it rests a while; or nobody knows, and
//!    nothing is written: it is due again when a second mail would break no rule.
//!
//! Whoever dies after the claim leaves a mail that may have been sent, and that is sent again after five minutes.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use presence::access::Scope;
use presence::clock::Clock;
use presence::config::MailConfig;
use presence::domain::ids::UserId;
use presence::domain::invitation::{ActivationToken, SENDING_TIME, WINDOW, pause_after};
use presence::domain::user::User;
use presence::error::Error;
use presence::store::{MailChange, OutboxRow, Refused, Store, UserChange, UserRecord};
use presence::telemetry::{Metric, measure};

use crate::mailer::{Mail, Mailer, Outcome};
use crate::message::Message;

/// How often a write is tried that others come before. What was sent must be written down: the attempts are many.
const WRITE_ATTEMPTS: u32 = 8;
/// How long after the claim a sending may begin: it ends within [`SENDING_TIME`], with SES's own time limit.
const LATEST_START: SignedDuration = SignedDuration::from_secs(10);

/// The parts of the mailer.
#[derive(Clone)]
pub struct Outbox {
    /// The tables.
    pub store: Store,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// What sends.
    pub mailer: Arc<dyn Mailer>,
    /// Links and their life.
    pub config: MailConfig,
}

/// What came of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivered {
    /// Nothing was to be sent now.
    Nothing,
    /// The mail was sent.
    Sent,
    /// The mail was refused and rests a while.
    Refused,
    /// Nobody knows whether the mail was sent.
    Unknown,
    /// The mail was given up.
    GivenUp,
}

/// A mail that nobody else sends now.
struct Claim {
    record: UserRecord,
    row: OutboxRow,
    token: ActivationToken,
    at: Timestamp,
}

/// What was found in the place of a mail to be sent.
enum Claimed {
    Yes(Box<Claim>),
    No(Delivered),
}

impl std::fmt::Debug for Outbox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Outbox").field("store", &self.store).finish_non_exhaustive()
    }
}

impl Outbox {
    /// Sends the mail that waits for the user, if there is one and it is due. An error means that nothing, or not all, was
    /// written; the mail is not lost.
    pub async fn deliver(&self, id: UserId) -> Result<Delivered, Error> {
        let claim = match self.claim(id).await? {
            Claimed::Yes(claim) => claim,
            Claimed::No(delivered) => return Ok(delivered),
        };
        if self.clock.now() > claim.at + LATEST_START {
            // Held up for so long that the claim may not protect what is sent now.
            return Ok(Delivered::Unknown);
        }
        match self.mailer.send(&self.mail(&claim)).await {
            Outcome::Sent => self.write_sent(*claim).await,
            Outcome::Refused(code) => {
                tracing::warn!(user_id = %id, code, attempts = claim.row.attempts, "a mail was refused");
                self.write_refused(*claim).await
            }
            Outcome::Unknown(code) => {
                tracing::warn!(user_id = %id, code, attempts = claim.row.attempts, "the outcome of a mail is unknown");
                Ok(Delivered::Unknown)
            }
        }
    }

    async fn claim(&self, id: UserId) -> Result<Claimed, Error> {
        for _ in 0..WRITE_ATTEMPTS {
            let Some((record, row)) = self.waiting(id).await? else { return Ok(Claimed::No(Delivered::Nothing)) };
            let now = self.clock.now();
            if !row.is_due(now) {
                return Ok(Claimed::No(Delivered::Nothing));
            }
            if let Some(quiet_until) = record.user.quiet_until.filter(|quiet_until| *quiet_until > now) {
                if self.write(&record, &record.user, MailChange::Rewrite(&row.due(quiet_until))).await? {
                    return Ok(Claimed::No(Delivered::Nothing));
                }
            } else if row.is_exhausted(now) {
                if self.write(&record, &record.user, MailChange::Rewrite(&row.given_up())).await? {
                    return Ok(Claimed::No(given_up(id, &row)));
                }
            } else if let Some(claim) = self.write_claim(record, &row, now).await? {
                return Ok(Claimed::Yes(Box::new(claim)));
            }
        }
        Err(Error::Conflict)
    }

    /// The user and the mail that waits for it, read strongly.
    async fn waiting(&self, id: UserId) -> Result<Option<(UserRecord, OutboxRow)>, Error> {
        let Some(record) = self.store.user_record(Scope::for_operator(), id).await? else { return Ok(None) };
        let Some(mail) = &record.mail else { return Ok(None) };
        let row = self.store.mail(id, mail).await?;
        Ok(row.map(|row| (record, row)))
    }

    /// The claim, unless somebody else wrote the user first.
    async fn write_claim(&self, record: UserRecord, row: &OutboxRow, now: Timestamp) -> Result<Option<Claim>, Error> {
        let token = ActivationToken::draw();
        let quiet_until = now + SENDING_TIME + WINDOW;
        let mut user = record.user.clone();
        user.links.add(token.hash(), now, self.config.link_life);
        user.quiet_until = Some(quiet_until);
        let row = row.tried(quiet_until);
        if !self.write(&record, &user, MailChange::Rewrite(&row)).await? {
            return Ok(None);
        }
        user.version += 1;
        Ok(Some(Claim { record: UserRecord { user, mail: record.mail }, row, token, at: now }))
    }

    fn mail(&self, claim: &Claim) -> Mail {
        let user = &claim.record.user;
        let (base, token) = (&self.config.public_base_url, claim.token.expose());
        let link = format!("{base}/invitation?user={}&token={token}", user.id);
        Mail { to: user.email.for_delivery(), message: Message::invitation(user, &link, self.config.link_life) }
    }

    async fn write_sent(&self, claim: Claim) -> Result<Delivered, Error> {
        let quiet_until = self.clock.now() + WINDOW;
        let sent = |user: &mut User, is_last: bool| {
            user.links.was_sent(claim.token.hash());
            user.quiet_until = if is_last { Some(quiet_until) } else { user.quiet_until.max(Some(quiet_until)) };
        };
        self.settle(&claim, sent, MailChange::Cancel).await?;
        Ok(Delivered::Sent)
    }

    async fn write_refused(&self, claim: Claim) -> Result<Delivered, Error> {
        let now = self.clock.now();
        let rested = claim.row.due(now + pause_after(claim.row.attempts));
        let is_exhausted = rested.is_exhausted(now);
        let row = if is_exhausted { rested.given_up() } else { rested };
        let not_sent = |user: &mut User, is_last: bool| {
            user.links.was_not_sent(claim.token.hash());
            user.quiet_until = user.quiet_until.filter(|_| !is_last);
        };
        self.settle(&claim, not_sent, MailChange::Rewrite(&row)).await?;
        Ok(if is_exhausted { given_up(claim.record.user.id, &row) } else { Delivered::Refused })
    }

    /// Writes down what became of a mail, in the user as it is by now; the change is told whether the claim is still the last
    /// one. A user that does not know the link any more (it is gone, or has another address) is left alone, and so is a mail
    /// that was asked for since.
    async fn settle(&self, claim: &Claim, change: impl Fn(&mut User, bool), mail: MailChange<'_>) -> Result<(), Error> {
        let mut record = claim.record.clone();
        for _ in 0..WRITE_ATTEMPTS {
            if !record.user.links.contains(claim.token.hash()) {
                return Ok(());
            }
            let is_last = record.user.quiet_until == claim.record.user.quiet_until;
            let is_waiting = record.mail.as_deref() == Some(claim.row.id());
            let mut user = record.user.clone();
            change(&mut user, is_last);
            let mail = if is_waiting && (is_last || mail == MailChange::Cancel) { mail } else { MailChange::Keep };
            if self.write(&record, &user, mail).await? {
                return Ok(());
            }
            match self.store.user_record(Scope::for_operator(), record.user.id).await? {
                Some(newer) => record = newer,
                None => return Ok(()),
            }
        }
        Err(Error::Conflict)
    }

    /// Whether the user was still as it had been read, and is now as it should be.
    async fn write(&self, before: &UserRecord, after: &User, mail: MailChange<'_>) -> Result<bool, Error> {
        let now = self.clock.now();
        let change = UserChange { before: Some(before), after: Some(after), mail, keep_an_admin: false, now };
        match self.store.write_user(change).await {
            Ok(()) => Ok(true),
            Err(Refused::Failed(error)) => Err(error),
            Err(Refused::Stale | Refused::EmailTaken | Refused::LastAdmin) => Ok(false),
        }
    }
}

/// Says that a mail was given up, to the log and to the alarm.
fn given_up(id: UserId, row: &OutboxRow) -> Delivered {
    tracing::error!(user_id = %id, attempts = row.attempts, "a mail was given up");
    measure(Metric::MailsFailed, 1.0);
    Delivered::GivenUp
}
