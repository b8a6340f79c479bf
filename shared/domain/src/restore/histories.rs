//! Random histories of users, each restored to a random instant: nobody has more rights or another way in than before the restore.

use std::collections::{BTreeMap, HashMap};

use fastrand::Rng;
use jiff::{SignedDuration, Timestamp};

use super::{ChangesSince, MARGIN, TableSets};
use crate::audit::{AuditAction, AuditRecord};
use crate::error::FieldErrors;
use crate::ids::UserId;
use crate::invitation::{ActivationToken, LinkState, OutboxMessage};
use crate::password::Password;
use crate::user::fixture::{actor, at, business, email, hash, new_user, org};
use crate::user::{DeliveryClaim, MailEffect, NewUser, References, Role, Status, User, UserChange, UserPatch};

const HISTORIES: u64 = 3_000;
const STEPS: usize = 40;
const TABLES: TableSets<'static> = TableSets { running: "a-", restored: "b-" };

/// User with the mail that waits for it.
#[derive(Clone)]
struct Stored {
    user: User,
    mail: Option<OutboxMessage>,
}

/// Tables and audit trail of a service, changed step by step.
struct Service {
    rng: Rng,
    now: Timestamp,
    users: BTreeMap<UserId, Stored>,
    trail: Vec<AuditRecord>,
    claims: Vec<DeliveryClaim>,
    created: u64,
}

impl Service {
    fn new(seed: u64) -> Self {
        let (users, trail, claims) = (BTreeMap::new(), Vec::new(), Vec::new());
        Self { rng: Rng::with_seed(seed), now: at(0), users, trail, claims, created: 0 }
    }

    fn write(&mut self, before: Option<&User>, change: &UserChange) {
        let record = AuditRecord::of_change(before, change);
        self.trail.extend(record.map(|record| AuditRecord { tables: Some("a-".to_owned()), ..record }));
        let Some(after) = &change.after else {
            self.users.remove(&before.expect("a user").id);
            return;
        };
        let waiting = self.users.get(&after.id).and_then(|stored| stored.mail.clone());
        let mail = match &change.mail {
            MailEffect::Keep => waiting,
            MailEffect::Cancel => None,
            MailEffect::Send { due_at } => {
                let id = format!("MAIL#{}", self.trail.len());
                Some(OutboxMessage::new(id, after.id, self.now, *due_at))
            }
            MailEffect::Rewrite(message) => Some(message.clone()),
        };
        let user = User { version: UserChange::version_after(before), ..after.clone() };
        self.users.insert(user.id, Stored { user, mail });
    }

    fn step(&mut self) {
        self.now += SignedDuration::from_secs(self.rng.i64(1..900));
        let ids: Vec<_> = self.users.keys().copied().collect();
        let Some(id) = self.rng.choice(&ids).copied().filter(|_| self.users.len() > 3) else { return self.create() };
        let action = self.rng.u8(0..16);
        let waiting = self.users.values().find(|stored| stored.mail.is_some() && (4..6).contains(&action));
        let stored = waiting.unwrap_or(&self.users[&id]).clone();
        let (user, now) = (&stored.user, self.now);
        let change = match action {
            0 => Some(user.delete(&actor(), now)),
            1 | 10 | 11 => user.invite(&actor(), now).ok(),
            2 => user.remove_business(&business("a"), org(1), &actor(), now),
            3 => user.links.as_slice().iter().find(|link| link.state == LinkState::Live).map(|_| {
                let password = self.rng.u64(..);
                user.activate(hash(&password.to_string()), now)
            }),
            4 | 5 => self.claim(&stored),
            6..10 => return self.record_outcome(),
            _ => self.patch(user),
        };
        if let Some(change) = change {
            self.write(Some(user), &change);
        }
    }

    fn create(&mut self) {
        self.created += 1;
        let role = self.pick(&Role::ALL);
        let org_id = org(self.rng.u64(1..3));
        let new = NewUser {
            status: self.pick(&Status::ALL),
            role,
            org_id: Some(org_id).filter(|_| role != Role::Provider || self.rng.bool()),
            email: email(&format!("new{}@example.org", self.created)),
            password: self.rng.bool().then(|| hash(&self.created.to_string())),
            send_invitation: self.pick(&[None, Some(true)]),
            ..new_user()
        };
        let id = UserId::parse(&self.created.to_string()).expect("an id");
        self.write(None, &User::create(new, id, &actor(), self.now));
    }

    fn pick<T: Copy>(&mut self, among: &[T]) -> T {
        *self.rng.choice(among).expect("a choice")
    }

    fn maybe<T>(&mut self, value: impl FnOnce(&mut Self) -> T) -> Option<T> {
        (self.rng.u8(0..3) == 0).then(|| value(self))
    }

    /// Returns a random update. Addresses are few, so that users take over those that others gave up.
    fn patch(&mut self, user: &User) -> Option<UserChange> {
        let address = self.maybe(|it| email(&format!("m{}@example.org", it.rng.u8(0..6))));
        let is_free = |key: &str| self.users.values().all(|other| other.user.email.key() != key);
        let patch = UserPatch {
            email: address.filter(|address| is_free(address.key())),
            password: self.maybe(|_| Ok(Password::parse("a long password").expect("a password"))),
            status: self.maybe(|it| it.pick(&Status::ALL)),
            role: self.maybe(|it| it.pick(&Role::ALL)),
            org_id: self.maybe(|it| org(it.rng.u64(1..3))),
            business_ids: None,
            ..UserPatch::default()
        };
        let owned = if patch.org_id.or(user.org_id) == Some(org(1)) { ["a", "b"] } else { ["c", "d"] };
        let count = self.rng.usize(0..3);
        let is_listed = patch.moves(user) || self.rng.bool();
        let business_ids = is_listed.then(|| owned[..count].iter().map(ToString::to_string).collect());
        let patch = UserPatch { business_ids, ..patch };
        let owners = [("a", 1), ("b", 1), ("c", 2), ("d", 2)].map(|(id, number)| (business(id), org(number)));
        let references = References { org_exists: true, owners: HashMap::from(owners) };
        let password = hash(&self.rng.u64(..).to_string());
        let errors = FieldErrors::default();
        user.apply_patch(&patch, &references, |_| password, errors, &actor(), self.now).ok().flatten()
    }

    /// Claims the mail of a user. Its outcome comes later, or never.
    fn claim(&mut self, stored: &Stored) -> Option<UserChange> {
        let message = stored.mail.as_ref()?;
        let token = ActivationToken::generate().hash();
        let claim = stored.user.claim_delivery(message, token, SignedDuration::from_hours(72), self.now);
        let change = claim.change();
        self.claims.push(claim);
        Some(change)
    }

    fn record_outcome(&mut self) {
        let Some(claim) = self.claims.pop() else { return };
        let Some(stored) = self.users.get(&claim.user.id).cloned() else { return };
        let waiting = stored.mail.as_ref().map(|mail| mail.id.as_str());
        let change = if self.rng.u8(0..4) == 0 {
            stored.user.record_not_sent(&claim, waiting, &claim.message_after_refusal("no", self.now), self.now)
        } else {
            stored.user.record_sent(&claim, waiting, self.now)
        };
        if let Some(change) = change {
            self.write(Some(&stored.user), &change);
        }
    }
}

/// Restored users, with the records of the restore.
#[derive(Default)]
struct Restored {
    users: BTreeMap<UserId, User>,
    secured: Vec<UserId>,
    trail: Vec<AuditRecord>,
}

impl Restored {
    /// Restores users to an earlier state, with these changes since. Some of the running users cannot be read.
    fn of(then: &BTreeMap<UserId, Stored>, changes: &ChangesSince, running: &BTreeMap<UserId, User>) -> Self {
        let mut restored = Self::default();
        let kept = then.iter().filter(|(id, _)| !changes.deleted.contains(id));
        let mut mails: BTreeMap<_, _> = kept.clone().map(|(id, stored)| (*id, stored.mail.is_some())).collect();
        restored.users = kept.map(|(id, stored)| (*id, stored.user.clone())).collect();
        for (id, touched) in &changes.touched {
            let Some(before) = restored.users.get(id).cloned() else { continue };
            let mut restricted = before.without_losses(touched, running.get(id), &actor(), at(0));
            let others = || restored.users.values().filter(|other| other.id != *id);
            if others().any(|other| other.email.key() == restricted.after.email.key()) {
                restricted = before.secured(touched, &actor(), at(0));
            }
            let record = AuditRecord::of_change(Some(&before), &restricted.change).expect("a record");
            restored.trail.push(AuditRecord { tables: Some("b-".to_owned()), ..record });
            restored.secured.extend(restricted.is_secured.then_some(*id));
            mails.entry(*id).and_modify(|waits| *waits &= restricted.change.mail == MailEffect::Keep);
            restored.users.insert(*id, restricted.after);
        }
        for (id, _) in mails.into_iter().filter(|(_, waits)| *waits) {
            let change = restored.users[&id].without_replaced_links(running.get(&id), &actor(), at(0));
            restored.users.extend(change.and_then(|change| change.after).map(|after| (id, after)));
        }
        restored
    }
}

/// True if the rights of an active user are among those of the other.
fn has_rights_within(user: &User, other: &User) -> bool {
    let has_role_within = match other.role {
        Role::Provider => true,
        role => user.role <= role && user.org_id == other.org_id,
    };
    let are_businesses_within = other.role == Role::Provider
        || other.role > user.role
        || user.business_ids.iter().all(|id| other.business_ids.contains(id));
    other.status == Status::Active && has_role_within && are_businesses_within
}

/// Returns the first of the things that a restored user has and did not have before.
fn gain(user: &User, before: &User) -> Option<&'static str> {
    if user.status == Status::Active && !has_rights_within(user, before) {
        return Some("rights");
    }
    if user.password.is_some() && user.password != before.password {
        return Some("a password");
    }
    let live = user.links.as_slice().iter().filter(|link| link.state == LinkState::Live);
    if !live.map(|link| link.hash).all(|link| before.links.is_live(link)) {
        return Some("a link");
    }
    let gets_mails = user.status == Status::Active && user.email.key() != before.email.key();
    gets_mails.then_some("an address")
}

#[test]
fn nobody_gains_rights_or_a_way_in_by_a_restore_to_any_instant() {
    let (mut restricted, mut secured) = (0, 0);
    for seed in 0..HISTORIES {
        let mut service = Service::new(seed);
        let mut states = Vec::new();
        for _ in 0..STEPS {
            states.push((service.now, service.users.clone()));
            service.step();
        }
        let (instant, then) = states.swap_remove(service.rng.usize(..STEPS));
        let running: BTreeMap<_, _> = service.users.iter().map(|(id, stored)| (*id, stored.user.clone())).collect();
        let mut readable = running.clone();
        readable.retain(|_, _| service.rng.u8(0..6) > 0);
        let since: Vec<_> = service.trail.into_iter().filter(|record| record.at >= instant - MARGIN).collect();
        let changes = ChangesSince::of(&since, TABLES, &[]);
        let restored = Restored::of(&then, &changes, &readable);
        for (id, user) in &restored.users {
            let before = running.get(id).unwrap_or_else(|| panic!("seed {seed}: {id} was deleted"));
            assert_eq!(gain(user, before), None, "seed {seed}: {user:?} {before:?} {:?}", changes.touched.get(id));
            let is_untouched = !changes.touched.contains_key(id) && then[id].mail.is_none();
            assert!(!is_untouched || *user == then[id].user, "seed {seed}: {id} lost something");
            restricted += usize::from(*user != then[id].user);
        }
        secured += restored.secured.len();
        let again = ChangesSince::of(since.iter().chain(&restored.trail), TABLES, &[]);
        let users = again.touched.iter().filter(|(id, _)| restored.users.contains_key(id));
        assert!(users.into_iter().all(|(_, touched)| touched.is_repeated()), "seed {seed}: another run has work");
    }
    assert!(restricted > 3 * secured && secured > 100, "{restricted} restricted, {secured} secured");
}

#[test]
fn an_action_of_a_restore_is_recorded_also_if_nothing_changed() {
    let user = crate::user::fixture::user(Status::Active);
    let change = user.without_losses(&super::TouchedUser::default(), Some(&user), &actor(), at(0)).change;
    let record = AuditRecord::of_change(Some(&user), &change).expect("a record");
    assert_eq!((record.action, record.fields), (AuditAction::Restore(0), vec![]));
}
