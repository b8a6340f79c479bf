//! Deletion of a user.

use jiff::Timestamp;

use super::{MailEffect, User, UserChange};
use crate::ids::{BusinessId, OrgId};

impl User {
    /// Returns the change that deletes the user, with its keys, links and unsent mail.
    #[must_use]
    pub fn delete(&self, now: Timestamp) -> UserChange {
        UserChange { after: None, mail: MailEffect::Cancel, keeps_an_admin: false, at: now }
    }

    /// Returns the change that takes a business from the user's list, if the user is of this organisation and has it.
    #[must_use]
    pub fn remove_business(&self, business: &BusinessId, org_id: OrgId, now: Timestamp) -> Option<UserChange> {
        if self.org_id != Some(org_id) || !self.business_ids.contains(business) {
            return None;
        }
        let business_ids = self.business_ids.iter().filter(|id| *id != business).cloned().collect();
        Some(UserChange::to(Self { business_ids, ..self.clone() }, now))
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{at, business, org, user};
    use super::super::{Role, Status};
    use super::*;
    use crate::error::Error;

    #[test]
    fn deletion_cancels_the_mail_and_may_demand_another_admin() {
        let admin = User { role: Role::OrgAdmin, ..user(Status::Active) };
        let change = admin.delete(at(7)).keeping_an_admin(true);
        assert_eq!(change, UserChange { after: None, mail: MailEffect::Cancel, keeps_an_admin: true, at: at(7) });
        assert!(matches!(change.last_admin_error(&admin), Error::Invalid(crate::error::ValidationError::Request(_))));
    }

    #[test]
    fn a_business_is_removed_from_users_of_its_organisation_only() {
        let before = User { business_ids: vec![business("a"), business("b")], ..user(Status::Active) };
        let change = before.remove_business(&business("a"), org(1), at(7)).expect("a change");
        assert_eq!(change, UserChange::to(User { business_ids: vec![business("b")], ..before.clone() }, at(7)));
        assert_eq!(before.remove_business(&business("c"), org(1), at(7)), None);
        assert_eq!(before.remove_business(&business("a"), org(2), at(7)), None);
    }
}
