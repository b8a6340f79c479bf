//! Changes of users and keys since an instant, as the audit trail tells them.

use std::collections::{BTreeMap, BTreeSet};

use crate::api_key::ApiKeyId;
use crate::audit::{AuditAction, AuditRecord, UserField};
use crate::ids::UserId;

/// Changes since an instant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangesSince {
    /// Users that were created. The restored tables have never had them.
    pub created: BTreeSet<UserId>,
    /// Users that were deleted.
    pub deleted: BTreeSet<UserId>,
    /// Users that were changed in a way that a restore must not undo, and were not deleted.
    pub touched: BTreeMap<UserId, TouchedUser>,
    /// Keys that were issued. The restored tables have never had them.
    pub issued_keys: BTreeSet<ApiKeyId>,
    /// Keys that were revoked.
    pub revoked_keys: BTreeSet<ApiKeyId>,
    /// Keys that were replaced by others.
    pub rotated_keys: BTreeSet<ApiKeyId>,
    /// Keys that got another limit.
    pub limited_keys: BTreeSet<ApiKeyId>,
}

/// Changes of a user that a restore must not undo.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TouchedUser {
    /// Fields that were changed: address, role, status, organisation and businesses only.
    pub fields: BTreeSet<UserField>,
    /// True if a link in a mail was used, ended or replaced.
    pub has_ended_links: bool,
}

impl TouchedUser {
    /// True if a field was changed that decides on rights.
    #[must_use]
    pub fn has_other_rights(&self) -> bool {
        self.fields.iter().any(|field| *field != UserField::Email)
    }
}

impl ChangesSince {
    /// Returns the changes in these records, in any order. Records of an actor or key among `undone`, by its id, are left out: their
    /// effects are to stay undone.
    pub fn of<'a>(records: impl IntoIterator<Item = &'a AuditRecord>, undone: &[String]) -> Self {
        let mut changes = Self::default();
        for record in records.into_iter().filter(|record| !is_undone(record, undone)) {
            changes.add(record);
        }
        let deleted = std::mem::take(&mut changes.deleted);
        changes.touched.retain(|user, _| !deleted.contains(user));
        // A user that came and went since is in neither state of the tables.
        changes.created.retain(|user| !deleted.contains(user));
        Self { deleted, ..changes }
    }

    /// True if nothing was changed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    fn add(&mut self, record: &AuditRecord) {
        let user = record.target;
        match record.action {
            AuditAction::Create => drop(self.created.insert(user)),
            AuditAction::Delete => drop(self.deleted.insert(user)),
            AuditAction::Update => self.touch(user, &record.fields),
            AuditAction::Invite | AuditAction::Activate => self.touched.entry(user).or_default().has_ended_links = true,
            AuditAction::IssueKey(key) => drop(self.issued_keys.insert(key)),
            AuditAction::RevokeKey(key) => drop(self.revoked_keys.insert(key)),
            AuditAction::RotateKey(key, new) => {
                self.rotated_keys.insert(key);
                self.issued_keys.extend(new);
            }
            AuditAction::SetKeyLimit(key) => drop(self.limited_keys.insert(key)),
        }
    }

    fn touch(&mut self, user: UserId, fields: &[UserField]) {
        use UserField::{BusinessIds, Email, OrgId, Role, Status};
        let fields: BTreeSet<_> =
            fields.iter().copied().filter(|field| [Email, Role, Status, OrgId, BusinessIds].contains(field)).collect();
        if fields.is_empty() {
            return;
        }
        let touched = self.touched.entry(user).or_default();
        touched.has_ended_links |= fields.contains(&Status) || fields.contains(&Email);
        touched.fields.extend(fields);
    }
}

fn is_undone(record: &AuditRecord, undone: &[String]) -> bool {
    let key = record.actor.key_id().map(|key| key.to_string());
    undone.iter().any(|id| *id == record.actor.id() || Some(id) == key.as_ref())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::Actor;
    use crate::user::fixture::{actor, at, org};

    fn user(id: &str) -> UserId {
        UserId::parse(id).expect("an id")
    }

    fn key(id: &str) -> ApiKeyId {
        ApiKeyId::parse(&format!("{id}-0a0a0a0a0a0a")).expect("an id")
    }

    fn record(target: &str, action: AuditAction, fields: &[UserField]) -> AuditRecord {
        AuditRecord {
            at: at(0),
            actor: actor(),
            action,
            target: user(target),
            org_id: Some(org(1)),
            fields: fields.to_vec(),
            version: None,
        }
    }

    #[test]
    fn each_action_is_a_change_that_a_restore_must_know() {
        use AuditAction::{Activate, Create, Delete, Invite, IssueKey, RevokeKey, RotateKey, SetKeyLimit, Update};
        let records = [
            record("1", Create, &[UserField::Email]),
            record("2", Delete, &[]),
            record("3", Update, &[UserField::Role, UserField::Phone]),
            record("4", Update, &[UserField::Email]),
            record("5", Activate, &[UserField::Password, UserField::Status]),
            record("6", Invite, &[]),
            record("7", IssueKey(key("7")), &[]),
            record("8", RotateKey(key("8"), Some(key("18"))), &[]),
            record("9", RevokeKey(key("9")), &[]),
            record("10", SetKeyLimit(key("10")), &[]),
            // Neither a right nor a link.
            record("11", Update, &[UserField::FirstName, UserField::Lang, UserField::Password]),
        ];
        let changes = ChangesSince::of(&records, &[]);
        let touched = |fields: &[UserField], has_ended_links| TouchedUser {
            fields: fields.iter().copied().collect(),
            has_ended_links,
        };
        let expected = ChangesSince {
            created: [user("1")].into(),
            deleted: [user("2")].into(),
            touched: [
                (user("3"), touched(&[UserField::Role], false)),
                (user("4"), touched(&[UserField::Email], true)),
                (user("5"), touched(&[], true)),
                (user("6"), touched(&[], true)),
            ]
            .into(),
            issued_keys: [key("7"), key("18")].into(),
            revoked_keys: [key("9")].into(),
            rotated_keys: [key("8")].into(),
            limited_keys: [key("10")].into(),
        };
        assert_eq!(changes, expected);
        assert!(!changes.is_empty() && ChangesSince::of(&records[10..], &[]).is_empty());
        assert!(!changes.touched[&user("4")].has_other_rights() && changes.touched[&user("3")].has_other_rights());
    }

    #[test]
    fn a_deleted_user_needs_no_other_change_in_whatever_order_the_records_come() {
        let mut records = [
            record("1", AuditAction::Update, &[UserField::Role]),
            record("1", AuditAction::Delete, &[]),
            record("2", AuditAction::Create, &[]),
            record("2", AuditAction::Delete, &[]),
        ];
        for _ in 0..2 {
            let changes = ChangesSince::of(&records, &[]);
            assert_eq!((changes.touched.len(), changes.created.len()), (0, 0));
            assert_eq!(changes.deleted, [user("1"), user("2")].into());
            records.reverse();
        }
    }

    #[test]
    fn what_an_actor_did_may_stay_undone() {
        let by = |actor| AuditRecord { actor, ..record("1", AuditAction::Delete, &[]) };
        let records = [by(Actor::Key(key("7"))), by(actor())];
        let deleted = |undone: &[&str]| {
            let undone: Vec<_> = undone.iter().map(|id| (*id).to_owned()).collect();
            ChangesSince::of(&records, &undone).deleted.len()
        };
        assert_eq!(deleted(&[]), 1);
        assert_eq!(deleted(&["7", "local:tests"]), 0);
        assert_eq!(deleted(&["7-0a0a0a0a0a0a", "local:tests"]), 0);
        assert_eq!(deleted(&["7"]), 1, "the other actor deleted the user too");
    }
}
