//! Delivery of the mail that waits for a user. A crash anywhere loses no mail, and sends no two within five minutes.
//!
//! 1. User, message and mark of the address are read, strongly. A message to a marked address is given up.
//! 2. The claim is written in one transaction, guarded by the user's version and the window of the address. It adds the digest of
//!    the new token. It sets the instant before which no other mail may be sent to the user or to the address. The message is due
//!    again only then: from here on nobody else sends. One call before it reads the names that the mail has.
//! 3. The mail is sent, once.
//! 4. The outcome is written to the user and to the window of the address. A message that was sent leaves the outbox; one that was
//!    refused rests a while. If nobody knows, nothing is written: the message is due again when a second mail breaks no rule.
//!
//! A mailer that dies after the claim leaves a message that may have been sent. It is sent again after five minutes.
//! The rules are in the domain: [`User::next_delivery_step`], [`User::claim_delivery`], [`User::record_sent`].

use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use presence_domain::error::Error;
use presence_domain::ids::UserId;
use presence_domain::invitation::{
    ActivationToken, AddressMark, InvitationOrigin, MessageState, OutboxMessage, WINDOW,
};
use presence_domain::user::{DeliveryClaim, DeliveryStep, MailEffect, User, UserChange};
use presence_runtime::clock::Clock;
use presence_runtime::config::MailConfig;
use presence_runtime::telemetry::{Metric, log_metric};
use presence_store::{ClaimError, MailboxClaim, OutboxStore, UserRecord, UserStore, retry_stale, with_retries_for};

use crate::mailer::{Mail, Mailer, SendResult};
use crate::message::Message;

/// Number of attempts at a write while others change the same user. There are many: a mail that was sent must be recorded.
pub(crate) const WRITE_ATTEMPTS: u32 = 8;
/// Longest time from the claim to the start of the sending. SES's own time limit ends it within
/// [`SENDING_TIME`](presence_domain::invitation::SENDING_TIME).
const LATEST_START: SignedDuration = SignedDuration::from_secs(10);
/// Time for retries of the read of the names, which a mail can do without. It is short beside [`LATEST_START`].
const ORIGIN_TIME: Duration = Duration::from_secs(1);

/// Processor of the messages in the outbox.
#[derive(Clone)]
pub struct OutboxProcessor {
    /// Users, to claim their mails and to record the outcomes.
    pub users: UserStore,
    /// Messages, and the windows of addresses.
    pub outbox: OutboxStore,
    /// Clock.
    pub clock: Arc<dyn Clock>,
    /// Sender of mails.
    pub mailer: Arc<dyn Mailer>,
    /// Links and their life.
    pub config: MailConfig,
}

/// Outcome of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeliveryOutcome {
    /// Nothing was to be sent now.
    Nothing,
    /// The invitation was sent.
    Sent,
    /// The notice was sent.
    NoticeSent,
    /// The mail was refused and rests a while.
    Refused,
    /// Nobody knows whether the mail was sent.
    Unknown,
    /// The mail was given up.
    GivenUp,
}

/// Mail that waits for a user.
struct WaitingMail {
    record: UserRecord,
    message: OutboxMessage,
    mark: Option<AddressMark>,
}

/// Mail that nobody else sends now.
struct ClaimedMail {
    /// User as the claim left it.
    record: UserRecord,
    claim: DeliveryClaim,
    token: ActivationToken,
    origin: InvitationOrigin,
}

/// Result of the search for a mail to be sent.
enum ClaimResult {
    Claimed(Box<ClaimedMail>),
    NotClaimed(DeliveryOutcome),
}

impl std::fmt::Debug for OutboxProcessor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OutboxProcessor").field("users", &self.users).finish_non_exhaustive()
    }
}

impl OutboxProcessor {
    /// Sends the mail that waits for the user, if it is due. After an error nothing, or not all, was written; the mail is not lost.
    pub async fn deliver(&self, id: UserId) -> Result<DeliveryOutcome, Error> {
        let claimed = match retry_stale(WRITE_ATTEMPTS, |_| self.try_claim(id)).await? {
            ClaimResult::Claimed(claimed) => claimed,
            ClaimResult::NotClaimed(outcome) => return Ok(outcome),
        };
        if self.clock.now() > claimed.claim.claimed_at + LATEST_START {
            // Too late: the claim may end before the mail is sent.
            return Ok(DeliveryOutcome::Unknown);
        }
        let attempts = claimed.claim.message.attempts;
        match self.mailer.send(&self.compose(&claimed)).await {
            SendResult::Sent => self.record_sent(*claimed).await,
            SendResult::Refused(code) => {
                tracing::warn!(user_id = %id, code, attempts, "a mail was refused");
                let message = claimed.claim.message_after_refusal(&code, self.clock.now());
                self.record_not_sent(*claimed, message).await
            }
            SendResult::Malformed(code) => {
                tracing::warn!(user_id = %id, code, attempts, "a mail will never be taken");
                let message = claimed.claim.message.given_up_for(&code);
                self.record_not_sent(*claimed, message).await
            }
            SendResult::Unknown(code) => {
                tracing::warn!(user_id = %id, code, attempts, "the outcome of a mail is unknown");
                Ok(DeliveryOutcome::Unknown)
            }
        }
    }

    /// Takes the next step for the mail that waits for the user. `None` if another writer came first.
    async fn try_claim(&self, id: UserId) -> Result<Option<ClaimResult>, Error> {
        let Some(WaitingMail { record, message, mark }) = self.get_waiting(id).await? else {
            return Ok(Some(ClaimResult::NotClaimed(DeliveryOutcome::Nothing)));
        };
        let now = self.clock.now();
        match record.user.next_delivery_step(&message, mark, now) {
            DeliveryStep::Wait => Ok(Some(ClaimResult::NotClaimed(DeliveryOutcome::Nothing))),
            DeliveryStep::Postpone(until) => self.postpone(&record, &message, until).await,
            DeliveryStep::Cancel => self.cancel(&record).await,
            DeliveryStep::GiveUp => self.give_up(&record, message.given_up()).await,
            DeliveryStep::GiveUpMarked(mark) => self.give_up(&record, message.given_up_for(mark.reason.code())).await,
            DeliveryStep::Claim => self.claim(record, &message, now).await,
        }
    }

    /// Reads the user, the message that waits for it, and the mark of its address, strongly.
    async fn get_waiting(&self, id: UserId) -> Result<Option<WaitingMail>, Error> {
        let Some(record) = self.get_recipient(id).await? else { return Ok(None) };
        let Some(mail) = &record.mail else { return Ok(None) };
        let mark = self.users.address_mark(record.user.email.key());
        let (message, mark) = futures::try_join!(self.outbox.get(id, mail), mark)?;
        Ok(message.map(|message| WaitingMail { record, message, mark }))
    }

    /// Sets a message to the state in which it was given up, and reports it.
    async fn give_up(&self, record: &UserRecord, message: OutboxMessage) -> Result<Option<ClaimResult>, Error> {
        let is_written = self.rewrite(record, message.clone()).await?;
        Ok(is_written.then(|| ClaimResult::NotClaimed(report_given_up(record.user.id, &message))))
    }

    /// Removes the mail of a user unsent.
    async fn cancel(&self, record: &UserRecord) -> Result<Option<ClaimResult>, Error> {
        let change = UserChange::of_delivery(record.user.clone(), self.clock.now()).with_mail(MailEffect::Cancel);
        let is_written = self.users.write_if_current(record, &change).await?;
        Ok(is_written.then_some(ClaimResult::NotClaimed(DeliveryOutcome::Nothing)))
    }

    /// Reads the user that a mail goes to, strongly.
    #[expect(clippy::disallowed_methods, reason = "the mailer acts for no caller")]
    pub(crate) async fn get_recipient(&self, id: UserId) -> Result<Option<UserRecord>, Error> {
        self.users.get_recipient(id).await
    }

    async fn claim(
        &self,
        mut record: UserRecord,
        message: &OutboxMessage,
        now: Timestamp,
    ) -> Result<Option<ClaimResult>, Error> {
        // Before the claim: from there on, time is short.
        let origin = self.get_origin(&record.user, message).await;
        let token = ActivationToken::generate();
        let claim = record.user.claim_delivery(message, token.hash(), self.config.link_life, now);
        let email_key = record.user.email.key();
        let window = MailboxClaim { email_key, hash: token.hash(), quiet_until: claim.quiet_until() };
        match self.users.claim_mail(&record, &claim.change(), window).await {
            Ok(()) => {}
            Err(ClaimError::Stale) => return Ok(None),
            Err(ClaimError::AddressQuiet) => {
                return match self.outbox.get_quiet_until(email_key, now).await? {
                    Some(until) => self.postpone(&record, message, until).await,
                    // The window has ended since.
                    None => Ok(None),
                };
            }
            Err(ClaimError::Failed(error)) => return Err(error),
        }
        record.user = User { version: record.user.version + 1, ..claim.user.clone() };
        Ok(Some(ClaimResult::Claimed(Box::new(ClaimedMail { record, claim, token, origin }))))
    }

    /// Returns the names of the organisation and of the person who invites. A mail without them is better than none: if they cannot
    /// be read, it has none.
    async fn get_origin(&self, user: &User, message: &OutboxMessage) -> InvitationOrigin {
        let origin = with_retries_for(ORIGIN_TIME, self.outbox.get_origin(user.org_id, message.invited_by)).await;
        origin.unwrap_or_else(|error| {
            tracing::warn!(user_id = %user.id, error = %error, "a mail is sent without the names of its origin");
            InvitationOrigin::default()
        })
    }

    /// Lets the message wait for the end of a window. That is no attempt.
    async fn postpone(
        &self,
        record: &UserRecord,
        message: &OutboxMessage,
        until: Timestamp,
    ) -> Result<Option<ClaimResult>, Error> {
        let is_written = self.rewrite(record, message.postponed(until)).await?;
        Ok(is_written.then_some(ClaimResult::NotClaimed(DeliveryOutcome::Nothing)))
    }

    /// Writes the message that waits for a user. True if it was written, false if another writer came first.
    async fn rewrite(&self, record: &UserRecord, message: OutboxMessage) -> Result<bool, Error> {
        let change = UserChange::of_mail(record.user.clone(), message, self.clock.now());
        self.users.write_if_current(record, &change).await
    }

    fn compose(&self, claimed: &ClaimedMail) -> Mail {
        let (user, origin) = (&claimed.record.user, &claimed.origin);
        let message = if let Some(webhook) = &claimed.claim.message.about {
            Message::webhook_disabled(user, origin, webhook)
        } else {
            let (base, token) = (&self.config.public_base_url, claimed.token.expose());
            let link = format!("{base}/invitation?user={}&token={token}", user.id);
            Message::invitation(user, origin, &link, self.config.link_life)
        };
        Mail { to: user.email.for_delivery(), message }
    }

    async fn record_sent(&self, claimed: ClaimedMail) -> Result<DeliveryOutcome, Error> {
        let ClaimedMail { record, claim, .. } = claimed;
        let sent_at = self.clock.now();
        let email_key = record.user.email.key().to_owned();
        let sent = |latest: &UserRecord| latest.user.record_sent(&claim, latest.mail.as_deref(), sent_at);
        let recorded = self.users.update_from(&record, WRITE_ATTEMPTS, sent).await;
        // The address has its own window: the user may be gone by now, or have another address.
        self.outbox.shorten_window(&email_key, claim.token_hash, sent_at + WINDOW).await?;
        let is_notice = claim.message.about.is_some();
        recorded.map(|()| if is_notice { DeliveryOutcome::NoticeSent } else { DeliveryOutcome::Sent })
    }

    /// Records that the mail was certainly not sent. The message is its new state.
    async fn record_not_sent(&self, claimed: ClaimedMail, message: OutboxMessage) -> Result<DeliveryOutcome, Error> {
        let ClaimedMail { record, claim, .. } = claimed;
        let (id, email_key, now) = (record.user.id, record.user.email.key().to_owned(), self.clock.now());
        let not_sent = |latest: &UserRecord| latest.user.record_not_sent(&claim, latest.mail.as_deref(), &message, now);
        let recorded = self.users.update_from(&record, WRITE_ATTEMPTS, not_sent).await;
        self.outbox.release_window(&email_key, claim.token_hash).await?;
        recorded?;
        let is_given_up = message.state == MessageState::Failed;
        Ok(if is_given_up { report_given_up(id, &message) } else { DeliveryOutcome::Refused })
    }

    /// Removes a message that the sweep found and that nobody will ever send: its user is gone, or names another one.
    pub(crate) async fn remove_orphan(&self, listed: &OutboxMessage) -> Result<(), Error> {
        let id = listed.user_id;
        // The index lags: most often the message is gone, since it was just sent.
        if self.outbox.get(id, &listed.id).await?.is_none() {
            return Ok(());
        }
        let record = self.get_recipient(id).await?;
        if record.is_some_and(|record| record.mail.as_ref() == Some(&listed.id)) {
            return Ok(());
        }
        tracing::warn!(user_id = %id, "a mail that no user names was removed");
        self.outbox.remove(listed).await
    }
}

/// Reports to the log and to the alarm that a mail was given up.
fn report_given_up(id: UserId, message: &OutboxMessage) -> DeliveryOutcome {
    let code = message.last_refusal.as_deref().unwrap_or("none");
    tracing::error!(user_id = %id, attempts = message.attempts, code, "a mail was given up");
    log_metric(Metric::MailsFailed, 1.0);
    DeliveryOutcome::GivenUp
}
