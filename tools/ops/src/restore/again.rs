//! Step `again`: the changes since the instant of the restore that it must not undo.

use std::collections::BTreeMap;

use jiff::Timestamp;
use presence_domain::api_key::ApiKeyId;
use presence_domain::audit::{Actor, UserField};
use presence_domain::error::Error;
use presence_domain::ids::{OrgId, UserId};
use presence_domain::invitation::{LinkState, OutboxMessage};
use presence_domain::restore::{ChangesSince, MARGIN, Restricted, TableSets, TouchedUser};
use presence_domain::user::{Role, Status, User};
use presence_store::{ApiKeyError, ApiKeyRecord, AuditSource, Decision, Stores, UpdateOutcome};

use super::Restore;
use super::report::Report;
use crate::context::operator_scope;
use crate::error::CommandError;

/// Reads the changes since the instant from the audit trail, strongly and whole, with a margin before it.
pub(super) async fn read_changes(restore: &Restore) -> Result<ChangesSince, CommandError> {
    let mut pages = restore.running.audit_trail.pages(AuditSource::All, Some(restore.at - MARGIN));
    let mut records = Vec::new();
    while let Some(page) = pages.next_page().await? {
        records.extend(page);
    }
    let (running, restored) = (restore.running.database.prefix(), restore.restored.database.prefix());
    Ok(ChangesSince::of(&records, TableSets { running, restored }, &restore.undo))
}

/// Repetition of changes in the restored tables.
pub(super) struct Repetition<'a> {
    pub(super) restore: &'a Restore,
    pub(super) actor: Actor,
    pub(super) now: Timestamp,
}

impl Repetition<'_> {
    /// Applies the changes to the restored tables. Those that are there already stay as they are.
    pub(super) async fn apply(&self, changes: ChangesSince, report: &mut Report) -> Result<(), CommandError> {
        for id in &changes.deleted {
            if self.delete(*id).await? {
                report.deleted_users.insert(id.to_string());
            }
        }
        self.end_keys(&changes, report).await?;
        self.restrict_users(&changes.touched, report).await?;
        for message in self.mails_of_then().await? {
            self.end_replaced_links(message.user_id, report).await?;
            self.list_mail(&message, report).await?;
        }
        self.list_losses(&changes, report).await
    }

    fn restored(&self) -> &Stores {
        &self.restore.restored
    }

    async fn delete(&self, id: UserId) -> Result<bool, Error> {
        let delete = |user: &User| Ok(Decision::<()>::from(user.delete(&self.actor, self.now)));
        match self.restored().users.update(operator_scope(), id, delete).await {
            Ok(_) => Ok(true),
            Err(Error::NotFound) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Returns the mails that waited at the instant of the restore and still do, in whatever state they are now.
    async fn mails_of_then(&self) -> Result<Vec<OutboxMessage>, Error> {
        let mut mails = Vec::new();
        for listed in self.restored().outbox.list().await? {
            if listed.created_at <= self.restore.at {
                // The list lags: its mail may have been called off just now.
                mails.extend(self.restored().outbox.get(listed.user_id, &listed.id).await?);
            }
        }
        Ok(mails)
    }

    /// Ends the older links of a user whose mail waited at the instant: it may have been sent since, which left no record.
    async fn end_replaced_links(&self, id: UserId, report: &mut Report) -> Result<(), CommandError> {
        let running = self.running_user(id).await?;
        let end =
            |user: &User| Ok(Decision::from(user.without_replaced_links(running.as_ref(), &self.actor, self.now)));
        match self.restored().users.update(operator_scope(), id, end).await {
            Ok(UpdateOutcome::Written(_)) => drop(report.restricted_users.insert(id.to_string())),
            Ok(UpdateOutcome::Stopped(())) | Err(Error::NotFound) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }

    async fn list_mail(&self, message: &OutboxMessage, report: &mut Report) -> Result<(), Error> {
        let waits = readable(self.restore.running.outbox.get(message.user_id, &message.id).await)?.is_some();
        let since = if waits { "still waited before the restore" } else { "was sent or called off since" };
        let problem = format!("for user {} {since}: ops outbox retry, or ops outbox cancel", message.user_id);
        report.decide(format_args!("mail {}", message.id), problem);
        Ok(())
    }

    async fn running_user(&self, id: UserId) -> Result<Option<User>, Error> {
        readable(self.restore.running.users.get(operator_scope(), id).await)
    }

    /// Takes from the users what they lost. A user whose address another one has still waits until that one has given it up.
    async fn restrict_users(
        &self,
        touched: &BTreeMap<UserId, TouchedUser>,
        report: &mut Report,
    ) -> Result<(), CommandError> {
        for (id, touched) in touched.iter().filter(|(_, touched)| touched.is_repeated()) {
            self.list_repeated(*id, touched, report).await?;
        }
        let mut users: Vec<_> = touched.iter().filter(|(_, touched)| !touched.is_repeated()).collect();
        let mut is_last = false;
        while !users.is_empty() {
            let mut waiting = Vec::new();
            for (id, touched) in &users {
                if !self.restrict(**id, touched, is_last, report).await? {
                    waiting.push((*id, *touched));
                }
            }
            is_last = waiting.len() == users.len();
            users = waiting;
        }
        Ok(())
    }

    /// Lists again what an operator has to do for a user that an earlier run restricted or secured, as far as the user tells.
    async fn list_repeated(&self, id: UserId, touched: &TouchedUser, report: &mut Report) -> Result<(), Error> {
        if touched.is_secured {
            list_secured(id, report);
        } else if let Some(user) = self.restored().users.get(operator_scope(), id).await? {
            // A PROVIDER kept its organisation, and needs no businesses.
            let was_moved = touched.fields.contains(&UserField::OrgId) && user.role != Role::Provider;
            list_tasks(&user, was_moved && user.business_ids.is_empty(), report);
        }
        Ok(())
    }

    /// Takes from a user what it lost, and from its keys. False if another user has its new address, unless this is the last attempt.
    async fn restrict(
        &self,
        id: UserId,
        touched: &TouchedUser,
        is_last: bool,
        report: &mut Report,
    ) -> Result<bool, CommandError> {
        let Some(user) = self.restored().users.get(operator_scope(), id).await? else { return Ok(true) };
        let running = self.running_user(id).await?;
        let lesser = |user: &User| user.without_losses(touched, running.as_ref(), &self.actor, self.now);
        let after = lesser(&user).after;
        let is_taken = self.is_address_taken(&after).await?;
        if is_taken && !is_last {
            return Ok(false);
        }
        let is_impossible = is_taken || self.is_org_missing(&user, &after).await?;
        let restrict =
            |user: &User| if is_impossible { user.secured(touched, &self.actor, self.now) } else { lesser(user) };
        // The record of the user comes last: it tells another run that nothing is left to do.
        if touched.fields.contains(&UserField::Status) {
            // The keys of a user that was invited for a while were revoked for good.
            self.end_keys_of(id, report).await?;
        }
        for key in &touched.limited_keys {
            self.limit_key(*key, report).await?;
        }
        let write = |user: &User| Ok(Decision::<()>::from(restrict(user).change));
        self.restored().users.update(operator_scope(), id, write).await?;
        list_user(&user, &restrict(&user), report);
        Ok(true)
    }

    async fn is_address_taken(&self, user: &User) -> Result<bool, Error> {
        let holder = self.restored().users.get_id_by_email(user.email.key()).await?;
        Ok(holder.is_some_and(|holder| holder != user.id))
    }

    /// True if a user would get an organisation that was created since.
    async fn is_org_missing(&self, before: &User, after: &User) -> Result<bool, Error> {
        match after.org_id.filter(|org_id| before.org_id != Some(*org_id)) {
            Some(org_id) => Ok(!self.restored().businesses.has_org(org_id).await?),
            None => Ok(false),
        }
    }

    /// Gives a key the limit that it got since. If nobody can tell it, the key ends.
    async fn limit_key(&self, id: ApiKeyId, report: &mut Report) -> Result<(), CommandError> {
        let Ok(key) = self.restored().users.get_key(id).await else { return Ok(()) };
        match self.running_key(id).await? {
            Some(running) => {
                let set = self.restored().users.set_key_limit(id, running.limit, &self.actor, self.now).await;
                Ok(set.map_err(|error| anyhow::anyhow!("key {id} cannot be limited: {error:?}"))?)
            }
            None => self.end_key(&key, true, report).await,
        }
    }

    async fn end_keys(&self, changes: &ChangesSince, report: &mut Report) -> Result<(), CommandError> {
        let revoked = changes.revoked_keys.iter().map(|id| (*id, true));
        for (id, is_revoked) in revoked.chain(changes.rotated_keys.iter().map(|id| (*id, false))) {
            match self.restored().users.get_key(id).await {
                Ok(key) => self.end_key(&key, is_revoked, report).await?,
                Err(ApiKeyError::Failed(error)) => return Err(error.into()),
                // It was issued since, or its user is gone.
                Err(_) => {}
            }
        }
        Ok(())
    }

    async fn end_keys_of(&self, owner: UserId, report: &mut Report) -> Result<(), CommandError> {
        for key in self.restored().users.list_keys(owner).await?.unwrap_or_default() {
            self.end_key(&key, false, report).await?;
        }
        Ok(())
    }

    /// Ends a key of the restored tables as it ended since: at once, or when the running tables say.
    async fn end_key(&self, key: &ApiKeyRecord, is_revoked: bool, report: &mut Report) -> Result<(), CommandError> {
        if !key.is_live(self.now) {
            return Ok(());
        }
        let id = key.id();
        let running = if is_revoked { None } else { self.running_key(id).await? };
        let ended = match running.filter(|running| running.is_live(self.now)).map(|running| running.expires_at) {
            Some(Some(ends_at)) => self.restored().users.end_key(id, ends_at, &self.actor, self.now).await,
            // It did not end in the running tables.
            Some(None) => return Ok(()),
            None => self.restored().users.revoke_key(id, &self.actor, self.now).await.map(|()| true),
        };
        if ended.map_err(|error| anyhow::anyhow!("key {id} cannot be ended: {error:?}"))? {
            report.ended_keys.insert(id.to_string());
        }
        Ok(())
    }

    /// Lists what was made since and is lost. What was made shortly before the instant is there.
    async fn list_losses(&self, changes: &ChangesSince, report: &mut Report) -> Result<(), CommandError> {
        for id in &changes.created {
            if self.restored().users.get(operator_scope(), *id).await?.is_none() {
                report.decide(format_args!("user {id}"), "was created since, and does not exist any more");
            }
        }
        let has_owner = |id: &&ApiKeyId| !changes.deleted.contains(&id.owner());
        for id in changes.issued_keys.iter().filter(has_owner) {
            if matches!(self.restored().users.get_key(*id).await, Err(ApiKeyError::NotFound)) {
                report.decide(format_args!("key {id}"), "was issued since, and does not exist any more: issue another");
            }
        }
        for id in changes.rotated_keys.iter().filter(has_owner) {
            let problem = "was rotated since: it ends as before, and the key in its place does not exist any more";
            report.decide(format_args!("key {id}"), problem);
        }
        Ok(())
    }

    async fn running_key(&self, id: ApiKeyId) -> Result<Option<ApiKeyRecord>, Error> {
        match self.restore.running.users.get_key(id).await {
            Ok(key) => Ok(Some(key)),
            Err(ApiKeyError::Failed(error)) => readable(Err(error)),
            Err(_) => Ok(None),
        }
    }
}

/// Returns what the running tables have; `None` for an item that cannot be read, which may be the reason of the restore.
fn readable<T>(result: Result<Option<T>, Error>) -> Result<Option<T>, Error> {
    match result {
        Err(Error::Internal(_)) => Ok(None),
        other => other,
    }
}

/// Lists a user that was restricted or secured, and what an operator has to do for it.
fn list_user(before: &User, restricted: &Restricted, report: &mut Report) {
    let (id, after) = (before.id, &restricted.after);
    if restricted.is_secured {
        return list_secured(id, report);
    }
    if after != before {
        report.restricted_users.insert(id.to_string());
    }
    list_tasks(after, after.org_id != before.org_id, report);
}

/// Lists what an operator has to do for a restricted user.
fn list_tasks(user: &User, needs_businesses: bool, report: &mut Report) {
    let subject = format!("user {}", user.id);
    if let Some(org_id) = user.org_id.filter(|_| needs_businesses).map(OrgId::get) {
        report.decide(&subject, format!("was moved to organisation {org_id}, and has no businesses there: set them"));
    }
    let has_link = user.links.as_slice().iter().any(|link| link.state == LinkState::Live);
    if user.status == Status::Invited && !has_link {
        report.decide(&subject, "has no link that works, unless a mail waits: invite it again");
    }
}

fn list_secured(id: UserId, report: &mut Report) {
    report.secured_users.insert(id.to_string());
    let problem = "lost what cannot be told or repeated: it is invited, without password, keys and links; set its \
                   address, role and organisation, then invite it again";
    report.decide(format_args!("user {id}"), problem);
}
