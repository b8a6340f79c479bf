//! Repeated invitation of a user.

use jiff::Timestamp;

use super::{MailEffect, Status, User, UserChange};
use crate::authorship::{Actor, AuditAction};
use crate::error::Error;
use crate::invitation::seconds_until;

impl User {
    /// Returns the change that sends an invitation. The user must be invited, and the last invitation must be five minutes
    /// old ([`Error::TooSoon`]).
    pub fn invite(&self, by: &Actor, now: Timestamp) -> Result<UserChange, Error> {
        if self.status != Status::Invited {
            return Err(Error::invalid_field("status", "the user is active: there is nothing to invite to"));
        }
        let allowed_at = self.pace().allowed_at(now);
        if allowed_at > now {
            return Err(Error::TooSoon { retry_after_seconds: seconds_until(allowed_at, now) });
        }
        let after = self.clone().with_pace(self.pace().accept(now));
        Ok(UserChange::by(by, AuditAction::Invite, after, now).with_mail(MailEffect::Send { due_at: now }))
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{actor, at, user};
    use super::*;

    #[test]
    fn only_an_invited_user_is_invited_again() {
        let error = user(Status::Active).invite(&actor(), at(0)).expect_err("an active user");
        assert!(matches!(error, Error::Invalid(_)), "{error:?}");
    }

    #[test]
    fn an_invitation_is_accepted_once_in_five_minutes() {
        for (invited_at, now, retry_after) in [
            (None, 0, None),
            (Some(0), 0, Some(300)),
            (Some(0), 299, Some(1)),
            (Some(0), 300, None),
            // The instant of a clock that is ahead counts as now.
            (Some(50), 0, Some(300)),
        ] {
            let before = User { invited_at: invited_at.map(at), quiet_until: Some(at(9)), ..user(Status::Invited) };
            match (before.invite(&actor(), at(now)), retry_after) {
                (Ok(change), None) => {
                    let after = User { invited_at: Some(at(now)), ..before };
                    let expected = UserChange::by(&actor(), AuditAction::Invite, after, at(now));
                    assert_eq!(change, expected.with_mail(MailEffect::Send { due_at: at(now) }));
                }
                (Err(Error::TooSoon { retry_after_seconds }), Some(seconds)) => {
                    assert_eq!(retry_after_seconds, seconds, "{invited_at:?} at {now}");
                }
                (result, _) => panic!("{invited_at:?} at {now}: {result:?}"),
            }
        }
    }
}
