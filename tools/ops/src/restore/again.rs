//! Step `again`: the changes since the instant of the restore that it must not undo.

use jiff::Timestamp;
use presence_domain::access::Scope;
use presence_domain::api_key::ApiKeyId;
use presence_domain::audit::{Actor, UserField};
use presence_domain::error::Error;
use presence_domain::ids::UserId;
use presence_domain::invitation::OutboxMessage;
use presence_domain::restore::{ChangesSince, MARGIN, TouchedUser};
use presence_domain::user::User;
use presence_store::{ApiKeyError, ApiKeyRecord, AuditSource, Decision, Stores, UpdateOutcome};

use super::Restore;
use super::report::Report;
use crate::error::CommandError;

/// Reads the changes since an instant from the audit trail, strongly and whole, with a margin before it.
pub(super) async fn read_changes(restore: &Restore, since: Timestamp) -> Result<ChangesSince, CommandError> {
    let mut pages = restore.running.audit_trail.pages(AuditSource::All, Some(since - MARGIN));
    let mut records = Vec::new();
    while let Some(page) = pages.next_page().await? {
        records.extend(page);
    }
    Ok(ChangesSince::of(&records, &restore.undo))
}

/// Repetition of changes in the restored tables.
pub(super) struct Repetition<'a> {
    pub(super) restore: &'a Restore,
    pub(super) actor: Actor,
    pub(super) now: Timestamp,
}

impl Repetition<'_> {
    /// Applies the changes to the restored tables. Those that are there already stay as they are.
    pub(super) async fn apply(&self, mut changes: ChangesSince, report: &mut Report) -> Result<(), CommandError> {
        for id in &changes.deleted {
            if self.delete(*id).await? {
                report.deleted_users.insert(id.to_string());
            }
        }
        for message in self.mails_of_then().await? {
            // It may have been sent since, which ended older links and left no record.
            changes.touched.entry(message.user_id).or_default().has_ended_links = true;
            self.list_mail(&message, report).await?;
        }
        for (id, touched) in &changes.touched {
            self.restrict(*id, touched, report).await?;
        }
        self.end_keys(&changes, report).await?;
        self.list_losses(&changes, report).await
    }

    fn restored(&self) -> &Stores {
        &self.restore.restored
    }

    async fn delete(&self, id: UserId) -> Result<bool, Error> {
        let delete = |user: &User| Ok(Decision::<()>::from(user.delete(&self.actor, self.now)));
        match self.restored().users.update(scope(), id, delete).await {
            Ok(_) => Ok(true),
            Err(Error::NotFound) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Returns the mails that waited at the instant of the restore, in whatever state they are now.
    async fn mails_of_then(&self) -> Result<Vec<OutboxMessage>, Error> {
        let mut mails = self.restored().outbox.list().await?;
        mails.retain(|message| message.created_at <= self.restore.at);
        Ok(mails)
    }

    async fn list_mail(&self, message: &OutboxMessage, report: &mut Report) -> Result<(), Error> {
        let waits = self.running_mail(message).await?.is_some();
        let since = if waits { "still waited before the restore" } else { "was sent or called off since" };
        let problem = format!("for user {} {since}: ops outbox retry, or ops outbox cancel", message.user_id);
        report.decide(format_args!("mail {}", message.id), problem);
        Ok(())
    }

    async fn running_mail(&self, message: &OutboxMessage) -> Result<Option<OutboxMessage>, Error> {
        readable(self.restore.running.outbox.get(message.user_id, &message.id).await)
    }

    /// Takes from a user the rights and links that it lost. If they cannot be compared, all its keys end.
    async fn restrict(&self, id: UserId, touched: &TouchedUser, report: &mut Report) -> Result<(), CommandError> {
        let running = readable(self.restore.running.users.get(scope(), id).await)?;
        let restrict = |user: &User| {
            let restricted = user.without_lost_rights(touched, running.as_ref(), &self.actor, self.now);
            Ok(Decision::from(restricted.change))
        };
        let Some(user) = self.restored().users.get(scope(), id).await? else { return Ok(()) };
        let is_undecided = user.without_lost_rights(touched, running.as_ref(), &self.actor, self.now).is_undecided;
        if let UpdateOutcome::Written(_) = self.restored().users.update(scope(), id, restrict).await? {
            report.restricted_users.insert(id.to_string());
        }
        if is_undecided {
            self.end_keys_of(id, true, report).await?;
            report.decide(format_args!("user {id}"), "had other rights since: its keys are revoked, set its rights");
        } else if touched.fields.contains(&UserField::Status) {
            // The keys of a user that was invited for a while were revoked for good.
            self.end_keys_of(id, false, report).await?;
        }
        list_user(id, touched, &user, report);
        Ok(())
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

    async fn end_keys_of(&self, owner: UserId, is_revoked: bool, report: &mut Report) -> Result<(), CommandError> {
        for key in self.restored().users.list_keys(owner).await?.unwrap_or_default() {
            self.end_key(&key, is_revoked, report).await?;
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
            // It did not end in the running tables: it was rotated after these came into use.
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
            if self.restored().users.get(scope(), *id).await?.is_none() {
                report.decide(format_args!("user {id}"), "was created since, and does not exist any more");
            }
        }
        let has_owner = |id: &&ApiKeyId| !changes.deleted.contains(&id.owner());
        for id in changes.issued_keys.iter().filter(has_owner) {
            if matches!(self.restored().users.get_key(*id).await, Err(ApiKeyError::NotFound)) {
                report.decide(format_args!("key {id}"), "was issued since, and does not exist any more: issue another");
            }
        }
        for id in changes.limited_keys.iter().filter(has_owner) {
            report.decide(format_args!("key {id}"), "got another limit since, and has that of then");
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

/// Lists the changes of a user that the restore takes back for good.
fn list_user(id: UserId, touched: &TouchedUser, user: &User, report: &mut Report) {
    let subject = format!("user {id}");
    if touched.fields.contains(&UserField::Email) {
        report.decide(&subject, "got another address since, and has that of then");
    }
    if touched.has_ended_links && user.status == presence_domain::user::Status::Invited {
        report.decide(&subject, "has no link that works, unless a mail waits: invite it again");
    }
}

#[expect(clippy::disallowed_methods, reason = "an operator has the credentials of the tables")]
fn scope() -> Scope {
    Scope::for_operator()
}
