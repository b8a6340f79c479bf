//! Changes of users and keys since an instant, as the audit trail tells them.

use std::collections::{BTreeMap, BTreeSet};

use crate::api_key::ApiKeyId;
use crate::audit::{AuditAction, AuditRecord, AuditTarget, UserField};
use crate::ids::UserId;

/// Two sets of tables of a restore, by the prefixes of their names.
#[derive(Clone, Copy, Debug)]
pub struct TableSets<'a> {
    /// Tables that are restored.
    pub running: &'a str,
    /// Tables that the restore makes.
    pub restored: &'a str,
}

/// Changes in the running tables since an instant.
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
}

/// Changes of a user that a restore must not undo.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TouchedUser {
    /// Number of records that tell of them.
    pub records: u32,
    /// Fields that were changed, of those that decide on rights or on who can get in.
    pub fields: BTreeSet<UserField>,
    /// Fields that an actor changed, too, whose changes are to stay undone.
    pub undone: BTreeSet<UserField>,
    /// Keys that got another limit.
    pub limited_keys: BTreeSet<ApiKeyId>,
    /// Number of records that an earlier run has repeated; `None` before the first.
    pub repeated: Option<u32>,
    /// True if that run left the user without any way in.
    pub is_secured: bool,
    /// True if somebody changed the user in the restored tables.
    pub is_in_use: bool,
}

impl TouchedUser {
    /// True if an earlier run has repeated all of it. Then the restored tables tell what the user may, and not those of before.
    pub fn is_repeated(&self) -> bool {
        self.repeated == Some(self.records)
    }

    fn note_run(&mut self, records: u32, is_secured: bool) {
        if self.repeated.is_none_or(|repeated| repeated <= records) {
            (self.repeated, self.is_secured) = (Some(records), is_secured);
        }
    }
}

impl ChangesSince {
    /// Returns the changes in these records, in any order. Records of an actor or key among `undone`, by its id, are left out: their
    /// effects are to stay undone. A record that names no tables counts as one of the running ones.
    pub fn of<'a>(
        records: impl IntoIterator<Item = &'a AuditRecord>,
        tables: TableSets<'_>,
        undone: &[String],
    ) -> Self {
        let mut changes = Self::default();
        for record in records {
            // A change of a review or of a webhook gives and takes no right.
            let AuditTarget::User(user) = record.target else { continue };
            match record.tables.as_deref().unwrap_or(tables.running) {
                prefix if prefix == tables.restored => changes.note(record, user),
                prefix if prefix != tables.running => {}
                _ if is_undone(record, undone) => {
                    changes.touched.entry(user).or_default().undone.extend(fields_that_count(record));
                }
                _ => changes.add(record, user),
            }
        }
        let deleted = std::mem::take(&mut changes.deleted);
        changes.touched.retain(|user, touched| touched.records > 0 && !deleted.contains(user));
        // A user that came and went since is in neither state of the tables.
        changes.created.retain(|user| !deleted.contains(user));
        Self { deleted, ..changes }
    }

    /// Adds a change in the running tables.
    fn add(&mut self, record: &AuditRecord, user: UserId) {
        match record.action {
            AuditAction::Create => drop(self.created.insert(user)),
            AuditAction::Delete => drop(self.deleted.insert(user)),
            AuditAction::IssueKey(key) => drop(self.issued_keys.insert(key)),
            AuditAction::RevokeKey(key) => drop(self.revoked_keys.insert(key)),
            AuditAction::RotateKey(key, new) => {
                self.rotated_keys.insert(key);
                self.issued_keys.extend(new);
            }
            AuditAction::SetKeyLimit(key) => drop(self.touch(record, user).limited_keys.insert(key)),
            AuditAction::Update if fields_that_count(record).next().is_none() => {}
            AuditAction::Update
            | AuditAction::Invite
            | AuditAction::Activate
            | AuditAction::Restore(_)
            | AuditAction::Secure(_) => drop(self.touch(record, user)),
            AuditAction::SetReviewState
            | AuditAction::Reply
            | AuditAction::RemoveReply
            | AuditAction::ReplyOutcome
            | AuditAction::Webhook(_) => {}
        }
    }

    fn touch(&mut self, record: &AuditRecord, user: UserId) -> &mut TouchedUser {
        let touched = self.touched.entry(user).or_default();
        touched.records += 1;
        touched.fields.extend(fields_that_count(record));
        touched
    }

    /// Notes what an earlier run did in the restored tables, and if others changed a user there.
    fn note(&mut self, record: &AuditRecord, user: UserId) {
        let touched = self.touched.entry(user).or_default();
        match record.action {
            AuditAction::Restore(records) => touched.note_run(records, false),
            AuditAction::Secure(records) => touched.note_run(records, true),
            AuditAction::Update | AuditAction::Invite | AuditAction::Activate => touched.is_in_use = true,
            // A run of the restore deletes users and ends keys as well.
            _ => {}
        }
    }
}

/// Returns the fields of a record that decide on rights or on who can get in. A mail with a link goes to the address.
fn fields_that_count(record: &AuditRecord) -> impl Iterator<Item = UserField> {
    use UserField::{BusinessIds, Email, OrgId, Password, Role, Status};
    let counts = |field: &UserField| [Email, Password, Role, Status, OrgId, BusinessIds].contains(field);
    record.fields.iter().copied().filter(counts)
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

    const TABLES: TableSets<'static> = TableSets { running: "a-", restored: "b-" };

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
            target: user(target).into(),
            org_id: Some(org(1)),
            fields: fields.to_vec(),
            version: None,
            left_org: None,
            tables: None,
        }
    }

    fn in_tables(prefix: &str, record: &AuditRecord) -> AuditRecord {
        AuditRecord { tables: Some(prefix.to_owned()), ..record.clone() }
    }

    #[test]
    fn each_action_is_a_change_that_a_restore_must_know() {
        use AuditAction::{
            Activate, Create, Delete, Invite, IssueKey, Restore, RevokeKey, RotateKey, Secure, SetKeyLimit, Update,
        };
        use UserField::{BusinessIds, Email, FirstName, Lang, OrgId, Password, Phone, Role, Status};
        let records = [
            record("1", Create, &[Email]),
            record("2", Delete, &[]),
            record("3", Update, &[Role, Phone]),
            record("3", Update, &[Status, OrgId, BusinessIds]),
            record("4", Update, &[Email]),
            record("5", Activate, &[Password, Status]),
            record("6", Invite, &[]),
            record("7", IssueKey(key("7")), &[]),
            record("8", RotateKey(key("8"), Some(key("18"))), &[]),
            record("9", RevokeKey(key("9")), &[]),
            record("10", SetKeyLimit(key("10")), &[]),
            record("11", Update, &[Password]),
            // Tables that an earlier restore made.
            record("12", Restore(2), &[Role]),
            record("13", Secure(1), &[Status]),
            // Neither a right nor a way in.
            record("14", Update, &[FirstName, Lang]),
        ];
        let changes = ChangesSince::of(&records, TABLES, &[]);
        let touched = |id: &str, records, fields: &[UserField]| {
            (user(id), TouchedUser { records, fields: fields.iter().copied().collect(), ..TouchedUser::default() })
        };
        let limited = TouchedUser { records: 1, limited_keys: [key("10")].into(), ..TouchedUser::default() };
        let expected = ChangesSince {
            created: [user("1")].into(),
            deleted: [user("2")].into(),
            touched: [
                touched("3", 2, &[Role, Status, OrgId, BusinessIds]),
                touched("4", 1, &[Email]),
                touched("5", 1, &[Password, Status]),
                touched("6", 1, &[]),
                (user("10"), limited),
                touched("11", 1, &[Password]),
                touched("12", 1, &[Role]),
                touched("13", 1, &[Status]),
            ]
            .into(),
            issued_keys: [key("7"), key("18")].into(),
            revoked_keys: [key("9")].into(),
            rotated_keys: [key("8")].into(),
        };
        assert_eq!(changes, expected);
        assert_eq!(ChangesSince::of(&records[14..], TABLES, &[]), ChangesSince::default());
        let elsewhere: Vec<_> = records.iter().map(|record| in_tables("c-", record)).collect();
        assert_eq!(ChangesSince::of(&elsewhere, TABLES, &[]), ChangesSince::default());
    }

    #[test]
    fn restored_tables_tell_what_an_earlier_run_repeated_and_who_uses_them() {
        let lost = record("1", AuditAction::Update, &[UserField::Role]);
        let in_restored = |action| in_tables("b-", &record("1", action, &[UserField::Role]));
        for (others, repeated, is_repeated, is_secured, is_in_use) in [
            (vec![], None, false, false, false),
            (vec![in_restored(AuditAction::Restore(1))], Some(1), true, false, false),
            (vec![in_restored(AuditAction::Restore(0))], Some(0), false, false, false),
            (
                vec![in_restored(AuditAction::Secure(1)), in_restored(AuditAction::Restore(0))],
                Some(1),
                true,
                true,
                false,
            ),
            (vec![in_restored(AuditAction::Restore(1)), in_restored(AuditAction::Update)], Some(1), true, false, true),
            (vec![in_restored(AuditAction::Invite)], None, false, false, true),
        ] {
            let records = [vec![lost.clone()], others].concat();
            let touched = &ChangesSince::of(&records, TABLES, &[]).touched[&user("1")];
            assert_eq!((touched.repeated, touched.is_repeated()), (repeated, is_repeated), "{records:?}");
            assert_eq!((touched.is_secured, touched.is_in_use), (is_secured, is_in_use), "{records:?}");
        }
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
            let changes = ChangesSince::of(&records, TABLES, &[]);
            assert_eq!((changes.touched.len(), changes.created.len()), (0, 0));
            assert_eq!(changes.deleted, [user("1"), user("2")].into());
            records.reverse();
        }
    }

    #[test]
    fn what_an_actor_did_may_stay_undone() {
        let by = |actor| AuditRecord { actor, ..record("1", AuditAction::Delete, &[]) };
        let records = [by(Actor::Key(key("7"))), by(actor())];
        let changes = |records: &[AuditRecord], undone: &[&str]| {
            let undone: Vec<_> = undone.iter().map(|id| (*id).to_owned()).collect();
            ChangesSince::of(records, TABLES, &undone)
        };
        for (undone, deleted) in [
            (&[][..], 1),
            (&["7", "local:tests"], 0),
            (&["7-0a0a0a0a0a0a", "local:tests"], 0),
            // The other actor deleted the user too.
            (&["7"], 1),
        ] {
            assert_eq!(changes(&records, undone).deleted.len(), deleted, "{undone:?}");
        }
        let change = |actor, fields: &[UserField]| AuditRecord { actor, ..record("1", AuditAction::Update, fields) };
        let records = [change(Actor::Key(key("7")), &[UserField::Email]), change(actor(), &[UserField::Role])];
        let touched = &changes(&records, &["7"]).touched[&user("1")];
        assert_eq!((&touched.fields, &touched.undone), (&[UserField::Role].into(), &[UserField::Email].into()));
        assert!(changes(&records[..1], &["7"]).touched.is_empty());
    }
}
