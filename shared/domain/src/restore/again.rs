//! Rights, secrets and address that a restored user has, and lost since.

use std::collections::BTreeSet;

use jiff::Timestamp;

use super::TouchedUser;
use crate::audit::{Actor, AuditAction, UserField};
use crate::user::{MailEffect, Role, Status, User, UserChange};

/// Restored user without what it lost since.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restricted {
    /// User as it is to be written.
    pub after: User,
    /// Change to write, which records that the losses were repeated, also if there were none.
    pub change: UserChange,
    /// True if its losses cannot be told or repeated. Then it has no way in, and an operator decides on its rights.
    pub is_secured: bool,
}

impl User {
    /// Returns this restored user without the rights and secrets that it lost since. `touched` tells what was changed, and `running` is
    /// the user in the tables before the restore; `None` if they cannot be read, or do not have it.
    ///
    /// The user keeps what it gained since only if it had it then. A new password, address or organisation takes the place of that of
    /// then, which the user lost.
    pub fn without_losses(
        &self,
        touched: &TouchedUser,
        running: Option<&Self>,
        by: &Actor,
        now: Timestamp,
    ) -> Restricted {
        if touched.has_unclear_losses(running) {
            return self.secured(touched, by, now);
        }
        let mut after = running.map_or_else(|| self.clone(), |running| self.with_least(&touched.fields, running));
        after.end_links(running);
        let mail = if after.email.key() == self.email.key() {
            MailEffect::Keep
        } else {
            // It was meant for the mailbox of then.
            after = after.clone().with_pace(after.pace().call_off(now));
            MailEffect::Cancel
        };
        let change = UserChange::by(by, AuditAction::Restore(touched.records), after.clone(), now).with_mail(mail);
        Restricted { after, change, is_secured: false }
    }

    /// Returns this restored user without any way in: invited, without password, link and mail. Its keys are revoked with the change.
    pub fn secured(&self, touched: &TouchedUser, by: &Actor, now: Timestamp) -> Restricted {
        let pace = self.pace().call_off(now);
        let mut after = Self { status: Status::Invited, password: None, ..self.clone() }.with_pace(pace);
        after.end_links(None);
        let change = UserChange::by(by, AuditAction::Secure(touched.records), after.clone(), now);
        Restricted { after, change: change.with_mail(MailEffect::Cancel), is_secured: true }
    }

    /// Returns the change that ends the links of this restored user that a mail ended since; `None` if there are none. The delivery of
    /// a mail leaves no record.
    pub fn without_replaced_links(&self, running: Option<&Self>, by: &Actor, now: Timestamp) -> Option<UserChange> {
        let mut after = self.clone();
        after.end_links(running);
        (after != *self).then(|| UserChange::by(by, AuditAction::Restore(0), after, now))
    }

    /// Returns this user with the lesser of both states in each of these fields.
    fn with_least(&self, fields: &BTreeSet<UserField>, running: &Self) -> Self {
        let is_touched = |field| fields.contains(&field);
        let mut least = self.clone();
        if is_touched(UserField::Role) {
            least.role = self.role.min(running.role);
        }
        // A PROVIDER has the rights of every organisation: the one of then is less.
        let needs_org = least.role != Role::Provider && self.org_id.is_none();
        if running.role != Role::Provider && (is_touched(UserField::OrgId) || needs_org) {
            least.org_id = running.org_id;
        }
        if least.org_id != self.org_id {
            // The restored tables may not have the businesses that it got there.
            least.business_ids.clear();
        } else if is_touched(UserField::BusinessIds) {
            least.business_ids.retain(|id| running.business_ids.contains(id));
        }
        if is_touched(UserField::Status) && running.status == Status::Invited {
            least.status = Status::Invited;
            least.password = least.password.filter(|_| self.status == Status::Invited);
        }
        if is_touched(UserField::Password) && self.password != running.password {
            least.password = running.password.clone().filter(|_| least.status == Status::Active);
        }
        if is_touched(UserField::Email) {
            least.email = running.email.clone();
        }
        least
    }

    /// Removes the links that do not work in the running tables. Their page asks for a new invitation, because there may be no newer link.
    fn end_links(&mut self, running: Option<&Self>) {
        self.links.remove_unless(|hash| running.is_some_and(|running| running.links.is_live(hash)));
    }
}

impl TouchedUser {
    /// True if nobody can tell which rights and secrets the user lost: it cannot be read, or both sets of tables have changes of it. The
    /// same holds if its password or address may be that of an actor whose changes are to stay undone.
    fn has_unclear_losses(&self, running: Option<&User>) -> bool {
        let is_mixed = |field| self.fields.contains(&field) && self.undone.contains(&field);
        let is_mixed = is_mixed(UserField::Email) || is_mixed(UserField::Password);
        !self.fields.is_empty() && (running.is_none() || self.is_in_use || is_mixed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::invitation::LinkStatus;
    use crate::user::fixture::{actor, at, business, email, hash, link_statuses, org, user, with_links};

    fn touched(fields: &[UserField]) -> TouchedUser {
        TouchedUser { records: 1, fields: fields.iter().copied().collect(), ..TouchedUser::default() }
    }

    fn restrict(restored: &User, running: Option<&User>, fields: &[UserField]) -> Restricted {
        restored.without_losses(&touched(fields), running, &actor(), at(9))
    }

    fn with_role(role: Role, org_id: Option<u64>) -> User {
        User { role, org_id: org_id.map(org), business_ids: vec![business("a")], ..user(Status::Active) }
    }

    #[test]
    fn the_lesser_rights_of_then_and_now_count() {
        use Role::{BusinessManager, OrgAdmin, Provider};
        for ((role, org_id), (running_role, running_org), expected) in [
            ((OrgAdmin, Some(1)), (BusinessManager, Some(1)), (BusinessManager, Some(1), 1)),
            ((BusinessManager, Some(1)), (OrgAdmin, Some(1)), (BusinessManager, Some(1), 1)),
            ((Provider, None), (OrgAdmin, Some(2)), (OrgAdmin, Some(2), 0)),
            ((Provider, Some(1)), (BusinessManager, Some(1)), (BusinessManager, Some(1), 1)),
            ((OrgAdmin, Some(1)), (Provider, None), (OrgAdmin, Some(1), 1)),
            ((Provider, None), (Provider, Some(3)), (Provider, None, 1)),
            ((OrgAdmin, Some(1)), (BusinessManager, Some(2)), (BusinessManager, Some(2), 0)),
            ((BusinessManager, Some(1)), (OrgAdmin, Some(2)), (BusinessManager, Some(2), 0)),
        ] {
            let (restored, running) = (with_role(role, org_id), with_role(running_role, running_org));
            let after = restrict(&restored, Some(&running), &[UserField::Role, UserField::OrgId]).after;
            let (role, org_id, businesses) = expected;
            let rights = (after.role, after.org_id, after.business_ids.len());
            assert_eq!(rights, (role, org_id.map(org), businesses), "{restored:?}");
        }
    }

    #[test]
    fn a_user_who_was_disabled_is_disabled_again_and_forgets_its_password() {
        let (restored, running) = (user(Status::Active), User { password: None, ..user(Status::Invited) });
        // Somebody whose changes are to stay undone took its password.
        let fields = [UserField::Status];
        let after = restrict(&restored, Some(&running), &fields).after;
        assert_eq!((after.status, after.password), (Status::Invited, None));
        // One who was activated since stays as it was.
        let active = User { password: Some(hash("b")), ..user(Status::Active) };
        let after = restrict(&running, Some(&active), &fields).after;
        assert_eq!((after.status, after.password), (Status::Invited, None));
    }

    #[test]
    fn fields_that_no_record_names_stay() {
        let (restored, in_org_2) = (with_role(Role::OrgAdmin, Some(1)), with_role(Role::BusinessManager, Some(2)));
        let running = User { status: Status::Invited, password: Some(hash("b")), ..in_org_2 };
        let after = restrict(&restored, Some(&running), &[UserField::Role]).after;
        assert_eq!(after, User { role: Role::BusinessManager, ..restored });
        // But a role that needs an organisation gets one.
        let after = restrict(&with_role(Role::Provider, None), Some(&running), &[UserField::Role]).after;
        assert_eq!((after.role, after.org_id), (Role::BusinessManager, Some(org(2))));
    }

    #[test]
    fn the_last_password_counts_and_none_if_it_cannot_be_told() {
        let restored = user(Status::Active);
        let changed = User { password: Some(hash("b")), ..restored.clone() };
        let forgotten = User { password: None, ..restored.clone() };
        for (running, expected) in [(&changed, Some(hash("b"))), (&forgotten, None), (&restored, Some(hash("a")))] {
            assert_eq!(restrict(&restored, Some(running), &[UserField::Password]).after.password, expected);
        }
        let mixed = TouchedUser { undone: [UserField::Password].into(), ..touched(&[UserField::Password]) };
        let in_use = TouchedUser { is_in_use: true, ..touched(&[UserField::Password]) };
        for touched in [mixed, in_use] {
            let restricted = restored.without_losses(&touched, Some(&changed), &actor(), at(9));
            assert!(restricted.is_secured && restricted.after.password.is_none(), "{touched:?}");
        }
    }

    #[test]
    fn businesses_that_were_taken_away_stay_away_and_others_are_not_given() {
        let restored = User { business_ids: vec![business("a"), business("b")], ..user(Status::Active) };
        let running = User { business_ids: vec![business("b"), business("c")], ..user(Status::Active) };
        let after = restrict(&restored, Some(&running), &[UserField::BusinessIds]).after;
        assert_eq!(after.business_ids, [business("b")]);
    }

    #[test]
    fn an_address_that_was_given_up_is_replaced_with_the_links_and_the_mail_to_it() {
        let (restored, links) = with_links(user(Status::Invited), 1);
        let moved = User { email: email("zoe@example.org"), ..user(Status::Invited) };
        let restricted = restrict(&restored, Some(&moved), &[UserField::Email]);
        assert_eq!((&restricted.after.email, &restricted.change.mail), (&moved.email, &MailEffect::Cancel));
        assert!(!restricted.after.links.is_live(links[0]));
    }

    #[test]
    fn a_user_whose_losses_cannot_be_told_has_no_way_in() {
        let (restored, links) = with_links(with_role(Role::OrgAdmin, Some(1)), 1);
        let restricted = restrict(&restored, None, &[UserField::Role]);
        let after = &restricted.after;
        assert_eq!((after.status, &after.password, restricted.is_secured), (Status::Invited, &None, true));
        assert_eq!(link_statuses(after, &links), [LinkStatus::Unknown], "there is no newer link");
        assert_eq!(restricted.change.mail, MailEffect::Cancel);
        let invited = restrict(&restored, None, &[]);
        assert!(!invited.is_secured && !invited.after.links.is_live(links[0]), "only its links may have ended");
    }

    #[test]
    fn links_that_ended_since_stay_ended() {
        let (restored, links) = with_links(user(Status::Invited), 2);
        let mut running = restored.clone();
        running.links.was_sent(links[1]);
        let after = restrict(&restored, Some(&running), &[]).after;
        assert_eq!(link_statuses(&after, &links), [LinkStatus::Unknown, LinkStatus::Open]);
        let by_mail = restored.without_replaced_links(Some(&running), &actor(), at(9)).expect("a change");
        assert_eq!(by_mail.after.map(|user| user.links), Some(after.links));
        assert_eq!(running.without_replaced_links(Some(&running), &actor(), at(9)), None);
    }

    #[test]
    fn a_second_time_changes_nothing() {
        let (restored, _) = with_links(with_role(Role::Provider, None), 2);
        let running = User { status: Status::Invited, ..with_role(Role::BusinessManager, Some(2)) };
        let fields = [UserField::Role, UserField::Status];
        let once = restrict(&restored, Some(&running), &fields).after;
        assert_eq!(restrict(&once, Some(&running), &fields).after, once);
    }
}
