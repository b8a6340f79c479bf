//! Users and their life: creation, patches, invitations, activation, delivery of mails, deletion.
//!
//! Each transition is a method of [`User`], one file each. It takes the actor and the time and returns a [`UserChange`]. That has
//! the new user, the effect on the mail that waits for it, and the demand on the organisation's admins. Storage writes it as a whole.
//! The rules on who may do what are in [`crate::access`].

mod activation;
mod attributes;
mod change;
mod creation;
mod deletion;
mod delivery;
mod invitation;
mod lang;
mod patch;
mod references;

use jiff::Timestamp;

pub use attributes::{PersonName, Phone, Role, Status};
pub use change::{DeliveryReport, MailEffect, UserChange};
pub use creation::NewUser;
pub use delivery::{DeliveryClaim, DeliveryStep};
pub use lang::Lang;
pub use patch::UserPatch;
pub use references::References;

use crate::api_key::ApiKeyHash;
use crate::email::EmailAddress;
use crate::ids::{BusinessId, OrgId, UserId};
use crate::invitation::{InvitationLinks, InvitationPace};
use crate::password::PasswordHash;

/// User with everything that the service keeps of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User {
    /// Id, never reused.
    pub id: UserId,
    /// Number of writes of this user, from 1: the guard of every update.
    pub version: u64,
    /// Status of the account.
    pub status: Status,
    /// Role, which decides on the caller's rights.
    pub role: Role,
    /// Organisation of the user. Only a PROVIDER may have none.
    pub org_id: Option<OrgId>,
    /// First name.
    pub first_name: PersonName,
    /// Last name.
    pub last_name: PersonName,
    /// Address, unique over all organisations by its key.
    pub email: EmailAddress,
    /// Phone number.
    pub phone: Option<Phone>,
    /// Language of mails and pages; `None` if none was chosen.
    pub lang: Option<Lang>,
    /// Businesses with WRITE permission, in the order given, without duplicates.
    pub business_ids: Vec<BusinessId>,
    /// Hash of the password; with `None` nobody can sign in with one.
    pub password: Option<PasswordHash>,
    /// Instant at which the last invitation was accepted for sending, unless it was called off: the start of the 5-minute
    /// window.
    pub invited_at: Option<Timestamp>,
    /// First instant at which another mail may be sent, after the last one that was sent, or that may have been.
    pub quiet_until: Option<Timestamp>,
    /// Links that the user was sent.
    pub links: InvitationLinks,
    /// Digests of the user's API keys, live or not.
    pub keys: Vec<ApiKeyHash>,
}

impl User {
    /// True if this user counts as one who can administer its organisation.
    pub fn is_active_admin(&self) -> bool {
        self.role == Role::OrgAdmin && self.status == Status::Active
    }

    /// Returns the pace of the user's invitations.
    pub fn pace(&self) -> InvitationPace {
        InvitationPace { invited_at: self.invited_at, quiet_until: self.quiet_until }
    }

    /// Returns the user with another pace of its invitations.
    #[must_use]
    pub fn with_pace(self, pace: InvitationPace) -> Self {
        Self { invited_at: pace.invited_at, quiet_until: pace.quiet_until, ..self }
    }
}

#[cfg(test)]
pub(crate) mod fixture;
