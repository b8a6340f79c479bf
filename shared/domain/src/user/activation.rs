//! Activation of a user by the link in its mail.

use jiff::Timestamp;

use super::{MailEffect, Status, User, UserChange};
use crate::authorship::{Actor, AuditAction};
use crate::password::PasswordHash;

impl User {
    /// Returns the change that sets the password, activates the user and uses up its links. The caller holds an open link, which is
    /// why the user counts as its author.
    pub fn activate(&self, password: PasswordHash, now: Timestamp) -> UserChange {
        let pace = self.pace().call_off(now);
        let mut after = Self { status: Status::Active, password: Some(password), ..self.clone() }.with_pace(pace);
        after.links.use_up();
        UserChange::by(&Actor::Invitee(self.id), AuditAction::Activate, after, now).with_mail(MailEffect::Cancel)
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{at, hash, link_statuses, user, with_links};
    use super::*;
    use crate::invitation::LinkStatus;

    #[test]
    fn activation_sets_the_password_uses_up_the_links_and_cancels_the_mail() {
        for status in Status::ALL {
            let (before, hashes) = with_links(User { invited_at: Some(at(5)), ..user(status) }, 2);
            let change = before.activate(hash("b"), at(10));
            assert_eq!((&change.mail, change.keeps_an_admin), (&MailEffect::Cancel, false), "{status:?}");
            let after = change.after.expect("a user");
            assert_eq!((after.status, &after.password), (Status::Active, &Some(hash("b"))));
            assert_eq!(after.invited_at, None, "no mail was sent: the window is given back");
            assert_eq!(link_statuses(&after, &hashes), [LinkStatus::Used, LinkStatus::Used]);
        }
    }

    #[test]
    fn the_window_of_a_mail_that_was_sent_stays_open() {
        let before = User { invited_at: Some(at(400)), quiet_until: Some(at(300)), ..user(Status::Invited) };
        let after = before.activate(hash("b"), at(410)).after.expect("a user");
        assert_eq!((after.invited_at, after.quiet_until), (Some(at(0)), Some(at(300))));
    }
}
