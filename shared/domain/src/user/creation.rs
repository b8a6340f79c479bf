//! Creation of a user.

use jiff::Timestamp;

use super::{Lang, MailEffect, PersonName, Phone, Role, Status, User, UserChange};
use crate::authorship::{Actor, AuditAction};
use crate::email::EmailAddress;
use crate::ids::{BusinessId, OrgId, UserId};
use crate::invitation::InvitationLinks;
use crate::password::PasswordHash;

/// Attributes of a user that is about to be created.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewUser {
    /// Status: see [`Status::of_new_user`].
    pub status: Status,
    /// Role.
    pub role: Role,
    /// Organisation.
    pub org_id: Option<OrgId>,
    /// First name.
    pub first_name: PersonName,
    /// Last name.
    pub last_name: PersonName,
    /// Address.
    pub email: EmailAddress,
    /// Phone number.
    pub phone: Option<Phone>,
    /// Language of mails and pages.
    pub lang: Option<Lang>,
    /// Businesses of the organisation, without duplicates.
    pub business_ids: Vec<BusinessId>,
    /// Hash of the password. An invited user gets none. An active one without it cannot sign in with a password, as with a
    /// random one that nobody ever sees.
    pub password: Option<PasswordHash>,
    /// True to send an invitation, false to send none; `None` sends one to an invited user only.
    pub send_invitation: Option<bool>,
}

impl User {
    /// Returns the change that creates a user.
    pub fn create(new: NewUser, id: UserId, by: &Actor, now: Timestamp) -> UserChange {
        let is_invited = new.status == Status::Invited;
        let is_sent_mail = new.send_invitation.unwrap_or(is_invited);
        let user = Self {
            id,
            version: 1,
            status: new.status,
            role: new.role,
            org_id: new.org_id,
            first_name: new.first_name,
            last_name: new.last_name,
            email: new.email,
            phone: new.phone,
            lang: new.lang,
            business_ids: new.business_ids,
            password: new.password.filter(|_| !is_invited),
            invited_at: is_sent_mail.then_some(now),
            quiet_until: None,
            links: InvitationLinks::default(),
            keys: Vec::new(),
        };
        let mail = if is_sent_mail { MailEffect::Send { due_at: now } } else { MailEffect::Keep };
        UserChange::by(by, AuditAction::Create, user, now).with_mail(mail)
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{actor, at, hash, new_user};
    use super::*;

    #[test]
    fn a_new_user_is_sent_a_mail_if_it_is_invited_or_the_caller_says_so() {
        use Status::{Active, Invited};
        let send = MailEffect::Send { due_at: at(7) };
        for (status, send_invitation, invited_at, mail) in [
            (Active, None, None, MailEffect::Keep),
            (Active, Some(false), None, MailEffect::Keep),
            (Active, Some(true), Some(at(7)), send.clone()),
            (Invited, None, Some(at(7)), send.clone()),
            (Invited, Some(false), None, MailEffect::Keep),
            (Invited, Some(true), Some(at(7)), send),
        ] {
            let new = NewUser { status, send_invitation, ..new_user() };
            let change = User::create(new, UserId::random(), &actor(), at(7));
            let user = change.after.expect("a user");
            assert_eq!((user.status, user.invited_at, change.mail), (status, invited_at, mail), "{send_invitation:?}");
            assert_eq!((user.version, user.quiet_until, user.links.as_slice()), (1, None, &[][..]));
            assert!(!change.keeps_an_admin && user.keys.is_empty());
        }
    }

    #[test]
    fn an_invited_user_gets_no_password() {
        for (status, password) in [(Status::Active, Some(hash("a"))), (Status::Invited, None)] {
            let new = NewUser { status, password: Some(hash("a")), ..new_user() };
            let change = User::create(new, UserId::random(), &actor(), at(0));
            assert_eq!(change.after.expect("a user").password, password, "{status:?}");
        }
    }
}
