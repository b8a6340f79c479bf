//! Sending the mail that waits for a user: whatever crashes, it is not lost, and not two are sent in five minutes.
//!
//! 1. User and mail are read, strongly.
//! 2. The claim, one transaction guarded by the user's version and the address's window: the digest of the new token, the
//!    instant before which no other mail may be sent to the user or to the address, and the mail itself, due again only then.
//!    From here on nobody else sends.
//! 3. The mail is sent, once.
//! 4. What became of it is written, to the user and to the window of its address: sent, and the mail leaves the outbox;
//!    refused, and it rests a while; or nobody knows, and nothing is written: it is due again when a second mail would break
//!    no rule.
//!
//! Whoever dies after the claim leaves a mail that may have been sent, and that is sent again after five minutes.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use presence_domain::access::Scope;
use presence_domain::error::Error;
use presence_domain::ids::UserId;
use presence_domain::invitation::{ActivationToken, InvitationPace, WINDOW, claimed_until};
use presence_domain::user::User;
use presence_runtime::clock::Clock;
use presence_runtime::config::MailConfig;
use presence_runtime::telemetry::{Metric, log_metric};
use presence_store::{
    ClaimRefused, MailChange, MailState, MailboxClaim, OutboxRow, OutboxStore, Refused, UserChange, UserRecord,
    UserStore,
};

use crate::mailer::{Mail, Mailer, Outcome};
use crate::message::Message;

/// How often a write is tried that others come before. What was sent must be written down: the attempts are many.
const WRITE_ATTEMPTS: u32 = 8;
/// How long after the claim a sending may begin: it ends within [`SENDING_TIME`], with SES's own time limit.
const LATEST_START: SignedDuration = SignedDuration::from_secs(10);

/// The parts of the mailer.
#[derive(Clone)]
pub struct Outbox {
    /// Users, whose writes carry their mails.
    pub users: UserStore,
    /// Mails that wait.
    pub outbox: OutboxStore,
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

/// The outcome of one attempt to claim.
enum ClaimAttempt {
    Done(Box<Claim>),
    /// Somebody else wrote the user first.
    Stale,
    /// Another mail keeps the address quiet.
    Quiet,
}

impl std::fmt::Debug for Outbox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Outbox").field("users", &self.users).finish_non_exhaustive()
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
                let row = claim.row.refused(self.clock.now());
                let is_exhausted = row.is_exhausted(self.clock.now());
                self.write_not_sent(*claim, if is_exhausted { row.given_up() } else { row }).await
            }
            Outcome::Malformed(code) => {
                tracing::warn!(user_id = %id, code, attempts = claim.row.attempts, "a mail will never be taken");
                let row = claim.row.given_up();
                self.write_not_sent(*claim, row).await
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
            let quiet_until = match record.user.pace().quiet_at(now) {
                Some(quiet_until) => Some(quiet_until),
                None if row.is_exhausted(now) => {
                    if self.write(&record, &record.user, MailChange::Rewrite(&row.given_up())).await? {
                        return Ok(Claimed::No(given_up(id, &row)));
                    }
                    continue;
                }
                None => match self.try_claim(&record, &row, now).await? {
                    ClaimAttempt::Done(claim) => return Ok(Claimed::Yes(claim)),
                    ClaimAttempt::Stale => None,
                    ClaimAttempt::Quiet => self.outbox.get_quiet_until(record.user.email.key(), now).await?,
                },
            };
            // The mail waits for the end of the window: that is no attempt.
            if let Some(quiet_until) = quiet_until
                && self.write(&record, &record.user, MailChange::Rewrite(&row.postponed(quiet_until))).await?
            {
                return Ok(Claimed::No(Delivered::Nothing));
            }
        }
        Err(Error::Conflict)
    }

    /// The user and the mail that waits for it, read strongly.
    async fn waiting(&self, id: UserId) -> Result<Option<(UserRecord, OutboxRow)>, Error> {
        let Some(record) = self.users.get_record(Scope::for_operator(), id).await? else { return Ok(None) };
        let Some(mail) = &record.mail else { return Ok(None) };
        let row = self.outbox.get(id, mail).await?;
        Ok(row.map(|row| (record, row)))
    }

    async fn try_claim(&self, record: &UserRecord, row: &OutboxRow, now: Timestamp) -> Result<ClaimAttempt, Error> {
        let token = ActivationToken::generate();
        let quiet_until = claimed_until(now);
        let mut user = record.user.clone();
        user.links.add(token.hash(), now, self.config.link_life);
        user.set_pace(user.pace().claim(now));
        let row = row.tried(quiet_until, now);
        let mail = MailChange::Rewrite(&row);
        let change = UserChange { before: Some(record), after: Some(&user), mail, keep_an_admin: false, now };
        let window = MailboxClaim { email_key: user.email.key(), hash: token.hash(), quiet_until };
        match self.users.claim_mail(change, window).await {
            Ok(()) => {}
            Err(ClaimRefused::Stale) => return Ok(ClaimAttempt::Stale),
            Err(ClaimRefused::Quiet) => return Ok(ClaimAttempt::Quiet),
            Err(ClaimRefused::Failed(error)) => return Err(error),
        }
        user.version += 1;
        let record = UserRecord { user, mail: record.mail.clone() };
        Ok(ClaimAttempt::Done(Box::new(Claim { record, row, token, at: now })))
    }

    fn mail(&self, claim: &Claim) -> Mail {
        let user = &claim.record.user;
        let (base, token) = (&self.config.public_base_url, claim.token.expose());
        let link = format!("{base}/invitation?user={}&token={token}", user.id);
        Mail { to: user.email.for_delivery(), message: Message::invitation(user, &link, self.config.link_life) }
    }

    async fn write_sent(&self, claim: Claim) -> Result<Delivered, Error> {
        let sent_at = self.clock.now();
        let sent = |user: &mut User, is_last: bool| {
            user.links.was_sent(claim.token.hash());
            let pace = user.pace().sent(sent_at);
            // A later claim of another mailer ends later.
            let quiet_until = if is_last { pace.quiet_until } else { user.quiet_until.max(pace.quiet_until) };
            user.set_pace(InvitationPace { quiet_until, ..pace });
        };
        let settled = self.settle(&claim, sent, MailChange::Cancel).await;
        // The address stands for itself: whoever was sent the mail may be gone by now, or have another one.
        let email_key = claim.record.user.email.key();
        self.outbox.shorten_window(email_key, claim.token.hash(), sent_at + WINDOW).await?;
        settled.map(|()| Delivered::Sent)
    }

    /// The mail was not sent, for certain; the row says whether it is tried again.
    async fn write_not_sent(&self, claim: Claim, row: OutboxRow) -> Result<Delivered, Error> {
        let not_sent = |user: &mut User, is_last: bool| {
            user.links.was_not_sent(claim.token.hash());
            if is_last {
                user.set_pace(user.pace().not_sent());
            }
        };
        let settled = self.settle(&claim, not_sent, MailChange::Rewrite(&row)).await;
        self.outbox.release_window(claim.record.user.email.key(), claim.token.hash()).await?;
        settled?;
        let is_given_up = row.state == MailState::Failed;
        Ok(if is_given_up { given_up(claim.record.user.id, &row) } else { Delivered::Refused })
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
            match self.users.get_record(Scope::for_operator(), record.user.id).await? {
                Some(newer) => record = newer,
                None => return Ok(()),
            }
        }
        Err(Error::Conflict)
    }

    /// Removes a row that the sweep found and that nobody will ever send: its user is gone, or names another one.
    pub(crate) async fn remove_orphan(&self, id: UserId, row: &OutboxRow) -> Result<(), Error> {
        // The index lags: most often the row is gone, since its mail was just sent.
        if self.outbox.get(id, row.id()).await?.is_none() {
            return Ok(());
        }
        let record = self.users.get_record(Scope::for_operator(), id).await?;
        if record.is_some_and(|record| record.mail.as_deref() == Some(row.id())) {
            return Ok(());
        }
        tracing::warn!(user_id = %id, "a mail that no user names was removed");
        self.outbox.remove(row).await
    }

    /// Whether the user was still as it had been read, and is now as it should be.
    async fn write(&self, before: &UserRecord, after: &User, mail: MailChange<'_>) -> Result<bool, Error> {
        let now = self.clock.now();
        let change = UserChange { before: Some(before), after: Some(after), mail, keep_an_admin: false, now };
        match self.users.write(change).await {
            Ok(()) => Ok(true),
            Err(Refused::Failed(error)) => Err(error),
            Err(Refused::Stale | Refused::EmailTaken | Refused::LastAdmin) => Ok(false),
        }
    }
}

/// Says that a mail was given up, to the log and to the alarm.
fn given_up(id: UserId, row: &OutboxRow) -> Delivered {
    tracing::error!(user_id = %id, attempts = row.attempts, "a mail was given up");
    log_metric(Metric::MailsFailed, 1.0);
    Delivered::GivenUp
}
