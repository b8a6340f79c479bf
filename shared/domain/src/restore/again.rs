//! Rights and links that a restored user has, and lost since.

use jiff::Timestamp;

use super::TouchedUser;
use crate::audit::{Actor, AuditAction};
use crate::user::{Role, Status, User, UserChange};

/// Restored user without what it lost since.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restricted {
    /// Change to write; `None` if the user has nothing that it lost.
    pub change: Option<UserChange>,
    /// True if nobody can tell which rights are fewer: those of then or those of now. Then its keys must end, and an operator decides.
    pub is_undecided: bool,
}

impl User {
    /// Returns this restored user without the rights and links that it lost since. `touched` tells what was changed, and `running` is
    /// the user in the tables before the restore; `None` if they cannot be read, or do not have it.
    ///
    /// The user keeps what it gained since only if it had it then. Repeated, it changes nothing.
    #[must_use]
    pub fn without_lost_rights(
        &self,
        touched: &TouchedUser,
        running: Option<&Self>,
        by: &Actor,
        now: Timestamp,
    ) -> Restricted {
        let least = running.and_then(|running| self.with_least_rights(running));
        let is_undecided = touched.has_other_rights() && least.is_none();
        let mut after = least.filter(|_| touched.has_other_rights()).unwrap_or_else(|| self.clone());
        if touched.has_ended_links {
            after.links.replace_unless(|hash| running.is_some_and(|running| running.links.is_live(hash)));
        }
        let change = (after != *self).then(|| UserChange::by(by, AuditAction::Update, after, now));
        Restricted { change, is_undecided }
    }

    /// Returns this user with the rights that it has both here and in the other state; `None` if they are of two organisations, so that
    /// neither has all rights of the other.
    fn with_least_rights(&self, other: &Self) -> Option<Self> {
        let is_same_org = self.org_id == other.org_id;
        let mut least = match (self.role, other.role) {
            (_, Role::Provider) => self.clone(),
            (Role::Provider, _) => Self { role: other.role, org_id: other.org_id, ..self.clone() },
            _ if is_same_org => Self { role: self.role.min(other.role), ..self.clone() },
            _ => return None,
        };
        if is_same_org || least.org_id != self.org_id {
            least.business_ids.retain(|id| other.business_ids.contains(id));
        }
        if other.status == Status::Invited {
            least.status = Status::Invited;
            least.password = least.password.filter(|_| self.status == Status::Invited);
        }
        Some(least)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::UserField;
    use crate::user::fixture::{actor, at, business, email, hash, org, user, with_links};

    fn touched(fields: &[UserField]) -> TouchedUser {
        TouchedUser { fields: fields.iter().copied().collect(), has_ended_links: true }
    }

    fn restrict(restored: &User, running: Option<&User>, fields: &[UserField]) -> (Option<User>, bool) {
        let restricted = restored.without_lost_rights(&touched(fields), running, &actor(), at(9));
        (restricted.change.and_then(|change| change.after), restricted.is_undecided)
    }

    fn with_role(role: Role, org_id: Option<u64>) -> User {
        User { role, org_id: org_id.map(org), ..user(Status::Active) }
    }

    #[test]
    fn the_lesser_rights_of_then_and_now_count() {
        use Role::{BusinessManager, OrgAdmin, Provider};
        for ((role, org_id), (running_role, running_org), expected) in [
            ((OrgAdmin, Some(1)), (BusinessManager, Some(1)), Some((BusinessManager, Some(1)))),
            ((BusinessManager, Some(1)), (OrgAdmin, Some(1)), None),
            ((Provider, None), (OrgAdmin, Some(2)), Some((OrgAdmin, Some(2)))),
            ((Provider, Some(1)), (BusinessManager, Some(1)), Some((BusinessManager, Some(1)))),
            ((OrgAdmin, Some(1)), (Provider, None), None),
            ((Provider, None), (Provider, Some(3)), None),
        ] {
            let (restored, running) = (with_role(role, org_id), with_role(running_role, running_org));
            let (after, is_undecided) = restrict(&restored, Some(&running), &[UserField::Role, UserField::OrgId]);
            let rights = after.map(|after| (after.role, after.org_id));
            let expected = expected.map(|(role, org_id)| (role, org_id.map(org)));
            assert_eq!((rights, is_undecided), (expected, false), "{role:?} {org_id:?}");
        }
    }

    #[test]
    fn a_user_who_was_disabled_is_disabled_again_and_forgets_its_password() {
        let (restored, running) = (user(Status::Active), user(Status::Invited));
        let after = restrict(&restored, Some(&running), &[UserField::Status, UserField::Password]).0.expect("a change");
        assert_eq!((after.status, after.password), (Status::Invited, None));
        // One who was activated since stays as it was.
        let invited = User { password: None, ..user(Status::Invited) };
        let active = User { password: Some(hash("b")), ..user(Status::Active) };
        assert_eq!(restrict(&invited, Some(&active), &[UserField::Status]), (None, false));
    }

    #[test]
    fn businesses_that_were_taken_away_stay_away_and_others_are_not_given() {
        let restored = User { business_ids: vec![business("a"), business("b")], ..user(Status::Active) };
        let running = User { business_ids: vec![business("b"), business("c")], ..user(Status::Active) };
        let after = restrict(&restored, Some(&running), &[UserField::BusinessIds]).0.expect("a change");
        assert_eq!(after.business_ids, [business("b")]);
        // Those of a PROVIDER that got an organisation may belong to another one.
        let provider = User { role: Role::Provider, org_id: None, ..restored };
        let after = restrict(&provider, Some(&running), &[UserField::Role]).0.expect("a change");
        assert_eq!((after.role, after.business_ids), (Role::BusinessManager, vec![business("b")]));
    }

    #[test]
    fn an_operator_decides_where_rights_cannot_be_compared() {
        let restored = with_role(Role::OrgAdmin, Some(1));
        let moved = with_role(Role::BusinessManager, Some(2));
        assert_eq!(restrict(&restored, Some(&moved), &[UserField::OrgId]), (None, true));
        assert_eq!(restrict(&restored, None, &[UserField::Role]), (None, true));
        assert_eq!(restrict(&restored, None, &[UserField::Email]), (None, false), "an address gives no right");
    }

    #[test]
    fn links_that_ended_since_stay_ended() {
        let (restored, links) = with_links(user(Status::Invited), 2);
        let mut running = restored.clone();
        running.links.was_sent(links[1]);
        let after = restrict(&restored, Some(&running), &[]).0.expect("a change");
        assert_eq!((after.links.is_live(links[0]), after.links.is_live(links[1])), (false, true));
        let none_is_live = |after: User| links.iter().all(|link| !after.links.is_live(*link));
        assert!(restrict(&restored, None, &[]).0.is_some_and(none_is_live), "nobody can tell");
        let moved = User { email: email("zoe@example.org"), ..user(Status::Invited) };
        assert!(restrict(&restored, Some(&moved), &[UserField::Email]).0.is_some_and(none_is_live));
    }

    #[test]
    fn a_second_time_changes_nothing() {
        let (mut restored, _) = with_links(with_role(Role::Provider, None), 2);
        restored.business_ids = vec![business("a")];
        let running = User { status: Status::Invited, ..with_role(Role::BusinessManager, Some(2)) };
        let fields = [UserField::Role, UserField::Status];
        let once = restrict(&restored, Some(&running), &fields).0.expect("a change");
        assert_eq!(restrict(&once, Some(&running), &fields), (None, false));
    }
}
