//! Deletion of a user.

use jiff::Timestamp;

use super::{MailEffect, User, UserChange};
use crate::authorship::{Actor, AuditAction, Authorship};
use crate::ids::{BusinessId, OrgId};

impl User {
    /// Returns the change that deletes the user, with its keys, links and unsent mail.
    pub fn delete(&self, by: &Actor, now: Timestamp) -> UserChange {
        let authorship = Authorship::By(by.clone(), AuditAction::Delete);
        UserChange { after: None, mail: MailEffect::Cancel, keeps_an_admin: false, authorship, delivery: None, at: now }
    }

    /// Returns the change that takes a business from the user's list, if the user is of this organisation and has it.
    pub fn remove_business(
        &self,
        business: &BusinessId,
        org_id: OrgId,
        by: &Actor,
        now: Timestamp,
    ) -> Option<UserChange> {
        if self.org_id != Some(org_id) || !self.business_ids.contains(business) {
            return None;
        }
        let business_ids = self.business_ids.iter().filter(|id| *id != business).cloned().collect();
        Some(UserChange::by(by, AuditAction::Update, Self { business_ids, ..self.clone() }, now))
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{actor, at, business, org, user};
    use super::super::{Role, Status};
    use super::*;
    use crate::error::Error;

    #[test]
    fn deletion_cancels_the_mail_and_may_demand_another_admin() {
        let admin = User { role: Role::OrgAdmin, ..user(Status::Active) };
        let change = admin.delete(&actor(), at(7)).keeping_an_admin(true);
        assert_eq!((change.after.as_ref(), &change.mail, change.keeps_an_admin), (None, &MailEffect::Cancel, true));
        assert_eq!(change.authorship, Authorship::By(actor(), AuditAction::Delete));
        assert!(matches!(change.last_admin_error(&admin), Error::Invalid(crate::error::ValidationError::Request(_))));
    }

    #[test]
    fn a_business_is_removed_from_users_of_its_organisation_only() {
        let before = User { business_ids: vec![business("a"), business("b")], ..user(Status::Active) };
        let change = before.remove_business(&business("a"), org(1), &actor(), at(7)).expect("a change");
        let after = User { business_ids: vec![business("b")], ..before.clone() };
        assert_eq!(change, UserChange::by(&actor(), AuditAction::Update, after, at(7)));
        assert_eq!(before.remove_business(&business("c"), org(1), &actor(), at(7)), None);
        assert_eq!(before.remove_business(&business("a"), org(2), &actor(), at(7)), None);
    }
}
