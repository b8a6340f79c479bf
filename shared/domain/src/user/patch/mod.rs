//! Partial update of a user.

use jiff::Timestamp;

use super::{Lang, MailEffect, PersonName, Phone, References, Role, Status, User, UserChange};
use crate::authorship::{Actor, AuditAction};
use crate::email::EmailAddress;
use crate::error::{Error, FieldError, FieldErrors};
use crate::ids::{BusinessId, OrgId};
use crate::invitation::{InvitationLinks, InvitationPace};
use crate::password::{Password, PasswordHash};
use crate::patch::Patch;

/// Fields of a partial update. A field that is not given stays as it is.
#[derive(Clone, Debug, Default)]
pub struct UserPatch {
    /// New address.
    pub email: Option<EmailAddress>,
    /// New first name.
    pub first_name: Option<PersonName>,
    /// New last name.
    pub last_name: Option<PersonName>,
    /// Change of the language.
    pub lang: Patch<Lang>,
    /// Change of the phone number.
    pub phone: Patch<Phone>,
    /// New password, or the error of a bad one. Both count only if the user is or becomes active.
    pub password: Option<Result<Password, FieldError>>,
    /// New status.
    pub status: Option<Status>,
    /// New role.
    pub role: Option<Role>,
    /// New organisation.
    pub org_id: Option<OrgId>,
    /// New list of businesses, as given.
    pub business_ids: Option<Vec<String>>,
}

impl UserPatch {
    /// True if the patch moves the user to another organisation.
    pub fn moves(&self, before: &User) -> bool {
        self.org_id.is_some_and(|org_id| before.org_id != Some(org_id))
    }

    /// True if the patch changes role, status or businesses. A field with its present value is no change.
    pub fn changes_membership(&self, before: &User) -> bool {
        self.role.is_some_and(|role| role != before.role)
            || self.status.is_some_and(|status| status != before.status)
            || self.changes_businesses(before)
    }

    /// True if the list of businesses differs from the stored one. The stored list is no change, although a business in it may
    /// be gone meanwhile.
    fn changes_businesses(&self, before: &User) -> bool {
        let stored = || before.business_ids.iter().map(BusinessId::as_str);
        self.business_ids.as_ref().is_some_and(|given| !given.iter().eq(stored()))
    }
}

impl User {
    /// Returns the change that applies the patch; `None` if nothing changes. `errors` are those of the request's form: all
    /// errors are returned together. A new password is hashed at most once, and only if the user is or becomes active.
    pub fn apply_patch(
        &self,
        patch: &UserPatch,
        references: &References,
        hash: impl FnOnce(&Password) -> PasswordHash,
        mut errors: FieldErrors,
        by: &Actor,
        now: Timestamp,
    ) -> Result<Option<UserChange>, Error> {
        let status = patch.status.unwrap_or(self.status);
        let role = patch.role.unwrap_or(self.role);
        let org_id = patch.org_id.or(self.org_id);
        references.check_org(role, org_id, patch.moves(self), &mut errors);
        let business_ids = self.patched_businesses(patch, org_id, references, &mut errors);
        let email = self.patched_email(patch, &mut errors);
        let password = self.patched_password(patch, status, hash, &mut errors);
        errors.into_result()?;
        let (mail, pace) = self.patched_mail(status, &email, now);
        let links = self.patched_links(status, &email, password.as_ref());
        let after = Self {
            status,
            role,
            org_id,
            first_name: patch.first_name.clone().unwrap_or_else(|| self.first_name.clone()),
            last_name: patch.last_name.clone().unwrap_or_else(|| self.last_name.clone()),
            email,
            phone: patch.phone.clone().apply(self.phone.clone()),
            lang: patch.lang.clone().apply(self.lang),
            business_ids,
            password,
            links,
            ..self.clone()
        }
        .with_pace(pace);
        let is_unchanged = after == *self && mail == MailEffect::Keep;
        Ok((!is_unchanged).then(|| UserChange::by(by, AuditAction::Update, after, now).with_mail(mail)))
    }

    fn patched_businesses(
        &self,
        patch: &UserPatch,
        org_id: Option<OrgId>,
        references: &References,
        errors: &mut FieldErrors,
    ) -> Vec<BusinessId> {
        if !patch.moves(self) && !patch.changes_businesses(self) {
            return self.business_ids.clone();
        }
        // A user that moves must have businesses of the new organisation, also where it keeps its list.
        let kept = || self.business_ids.iter().map(|id| id.as_str().to_owned()).collect();
        let texts = patch.business_ids.clone().unwrap_or_else(kept);
        let business_ids = references.parse_businesses(&texts, org_id);
        business_ids.map_err(|error| errors.add("business_ids", error)).unwrap_or_default()
    }

    /// Returns the address after the patch. The stored address is no change, although a new one like it may be refused today.
    fn patched_email(&self, patch: &UserPatch, errors: &mut FieldErrors) -> EmailAddress {
        let changed = patch.email.as_ref().filter(|given| **given != self.email);
        if let Some(Err(error)) = changed.map(EmailAddress::check_deliverable) {
            errors.add("email", error);
        }
        changed.unwrap_or(&self.email).clone()
    }

    fn patched_password(
        &self,
        patch: &UserPatch,
        status: Status,
        hash: impl FnOnce(&Password) -> PasswordHash,
        errors: &mut FieldErrors,
    ) -> Option<PasswordHash> {
        if status == Status::Invited {
            // A user that becomes invited loses its password. A given one is ignored.
            return self.password.clone().filter(|_| self.status == Status::Invited);
        }
        match &patch.password {
            Some(Ok(password)) => return Some(hash(password)),
            Some(Err(error)) => errors.add("password", error.clone()),
            None if self.status == Status::Invited && self.password.is_none() => {
                errors.add("password", "is required to activate the user");
            }
            None => {}
        }
        self.password.clone()
    }

    /// Returns the effect on the mail that waits, and the pace of the user's invitations after it.
    fn patched_mail(&self, status: Status, email: &EmailAddress, now: Timestamp) -> (MailEffect, InvitationPace) {
        let is_same_mailbox = email.key() == self.email.key();
        let called_off = self.pace().call_off(now);
        match (self.status, status) {
            (Status::Active, Status::Invited) => {
                let pace = if is_same_mailbox { self.pace() } else { called_off };
                (MailEffect::Send { due_at: pace.allowed_at(now) }, pace.accept(now))
            }
            // The pending link dies with the mailbox that it went to. The new mailbox was sent nothing, so that its user may
            // be invited at once.
            (Status::Invited, _) if !is_same_mailbox => (MailEffect::Cancel, InvitationPace::default()),
            // The pending link dies with the activation.
            (Status::Invited, Status::Active) => (MailEffect::Cancel, called_off),
            // An active user's unsent mail was meant for the old mailbox.
            _ if !is_same_mailbox => (MailEffect::Cancel, called_off),
            _ => (MailEffect::Keep, self.pace()),
        }
    }

    fn patched_links(&self, status: Status, email: &EmailAddress, password: Option<&PasswordHash>) -> InvitationLinks {
        if email.key() != self.email.key() {
            // They went to a mailbox that is not the user's any more.
            return InvitationLinks::default();
        }
        let mut links = self.links.clone();
        if status == Status::Active && password != self.password.as_ref() {
            links.use_up();
        }
        links
    }
}

#[cfg(test)]
mod tests;
