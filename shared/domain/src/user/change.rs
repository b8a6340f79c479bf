//! Change of a user: the result of every transition.

use jiff::Timestamp;

use super::{Role, Status, User};
use crate::authorship::{Actor, AuditAction, Authorship};
use crate::error::Error;
use crate::ids::UserId;
use crate::invitation::{MessageState, OutboxMessage};

/// Effect of a change on the mail that waits for the user in the outbox. At most one waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MailEffect {
    /// The mail stays as it is.
    Keep,
    /// The mail is removed unsent.
    Cancel,
    /// A new mail takes the place of the one that waits.
    Send {
        /// First instant at which it may be sent.
        due_at: Timestamp,
    },
    /// This mail takes the place of the one that waits: a new state of it, or a notice.
    Rewrite(OutboxMessage),
}

crate::listed_enum! {
    /// End of the delivery of an invitation, which the write of the user reports.
    pub enum DeliveryReport {
        /// The mail was sent.
        Sent => "sent",
        /// The mail was given up.
        GivenUp => "given_up",
    }
}

/// Change of a user that the rules decided on. Storage writes it as a whole, or not at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserChange {
    /// User after the change, with the version of before; `None` deletes it.
    pub after: Option<User>,
    /// Effect on the mail that waits for the user.
    pub mail: MailEffect,
    /// True if the write must fail rather than leave the organisation without an active `ORG_ADMIN`.
    pub keeps_an_admin: bool,
    /// Author of the change, for the audit trail.
    pub authorship: Authorship,
    /// End of a delivery, if the change is one.
    pub delivery: Option<DeliveryReport>,
    /// Instant of the change.
    pub at: Timestamp,
}

impl UserChange {
    /// Returns a change by an actor that writes the user and leaves its mail alone.
    pub fn by(actor: &Actor, action: AuditAction, after: User, at: Timestamp) -> Self {
        let authorship = Authorship::By(actor.clone(), action);
        Self { after: Some(after), mail: MailEffect::Keep, keeps_an_admin: false, authorship, delivery: None, at }
    }

    /// Returns a change in the course of a delivery, which belongs in no audit trail. It writes the user and leaves its mail alone.
    pub fn of_delivery(after: User, at: Timestamp) -> Self {
        let authorship = Authorship::Delivery;
        Self { after: Some(after), mail: MailEffect::Keep, keeps_an_admin: false, authorship, delivery: None, at }
    }

    /// Returns the change that gives the mail of a user a new state in the course of a delivery. An invitation that was given up is
    /// reported.
    pub fn of_mail(after: User, message: OutboxMessage, at: Timestamp) -> Self {
        let is_reported = message.state == MessageState::Failed && message.about.is_none();
        let delivery = is_reported.then_some(DeliveryReport::GivenUp);
        Self { delivery, ..Self::of_delivery(after, at).with_mail(MailEffect::Rewrite(message)) }
    }

    /// Returns the version of a user after a change: one more than before, and 1 for a new user.
    pub fn version_after(before: Option<&User>) -> u64 {
        before.map_or(1, |before| before.version + 1)
    }

    /// Returns the user who makes the change by the API; `None` for every other actor.
    pub fn caller(&self) -> Option<UserId> {
        match &self.authorship {
            Authorship::By(Actor::Key(key), _) => Some(key.owner()),
            Authorship::By(Actor::Invitee(_) | Actor::Operator(_) | Actor::Service, _) | Authorship::Delivery => None,
        }
    }

    /// Returns the change with this effect on the mail.
    #[must_use]
    pub fn with_mail(self, mail: MailEffect) -> Self {
        Self { mail, ..self }
    }

    /// Returns the change with or without the demand that an active `ORG_ADMIN` remains.
    #[must_use]
    pub fn keeping_an_admin(self, keeps_an_admin: bool) -> Self {
        Self { keeps_an_admin, ..self }
    }

    /// Returns the caller of the API who takes an active PROVIDER away: deletes, demotes or disables it. The write must fail unless the
    /// caller still is an active PROVIDER itself, so that one remains.
    pub fn remover_of_provider(&self, before: Option<&User>) -> Option<UserId> {
        let is_provider = |user: &User| user.role == Role::Provider && user.status == Status::Active;
        let removes = before.is_some_and(is_provider) && !self.after.as_ref().is_some_and(is_provider);
        self.caller().filter(|_| removes)
    }

    /// Returns the error of a caller whose change would take the last active `ORG_ADMIN` from its organisation.
    pub fn last_admin_error(&self, before: &User) -> Error {
        self.removal_error(before, "this is the last active ORG_ADMIN of its organisation")
    }

    /// Returns the error of a caller who is no active PROVIDER any more, and would take another one away.
    pub fn last_provider_error(&self, before: &User) -> Error {
        self.removal_error(before, "this may be the last active PROVIDER: the caller is none any more")
    }

    fn removal_error(&self, before: &User, text: &'static str) -> Error {
        let changes_role = self.after.as_ref().is_some_and(|after| after.role != before.role);
        if changes_role { Error::invalid_field("role", text) } else { Error::invalid(text) }
    }

    /// Returns the error of a caller whose change gives an address that another user has. The interface fixes its text.
    pub fn email_taken_error(&self) -> Error {
        match &self.after {
            Some(after) => Error::invalid_field("email", format!("{} already exists in db", after.email.as_str())),
            None => Error::Conflict,
        }
    }
}
