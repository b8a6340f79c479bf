//! POST /`api/v2/user/{user_id`}

use crate::App;
use jiff::Timestamp;
use presence_api::{Answer, AuthenticatedRequest, Fields, read};
use presence_domain::access::{Action, Principal, Target, authorize, authorize_giving};
use presence_domain::email::EmailAddress;
use presence_domain::error::{Error, FieldError, FieldErrors};
use presence_domain::ids::{BusinessId, OrgId};
use presence_domain::invitation::{InvitationLinks, InvitationPace};
use presence_domain::password::{Password, PasswordHash};
use presence_domain::patch::Patch;
use presence_domain::user::{Lang, PersonName, Phone, Role, Status, User};
use presence_store::{ExistingReferences, MailChange, Refused, UserChange};

use crate::password_hashing;
use crate::wire::{self, SuccessBody, WRITE_ATTEMPTS, user_id};

/// The body, as far as its fields are well-formed. What is not given stays as it is.
struct UserPatch {
    email: Option<EmailAddress>,
    first_name: Option<PersonName>,
    last_name: Option<PersonName>,
    lang: Patch<Lang>,
    phone: Patch<Phone>,
    password: Option<Result<Password, FieldError>>,
    status: Option<Status>,
    role: Option<Role>,
    org_id: Option<OrgId>,
    business_ids: Option<Vec<String>>,
}

pub(crate) async fn run(app: &App, request: &AuthenticatedRequest) -> Result<Answer, Error> {
    let id = user_id(request)?;
    let mut fields = request.body();
    let patch = UserPatch::read(&mut fields);
    let errors = fields.into_errors();
    // Hashing is slow on purpose: once, however often the write is tried.
    let mut hashed = None;
    for _ in 0..WRITE_ATTEMPTS {
        let (ids, org_id) = patch.asked_for(&request.principal);
        let (record, mut known) = futures::try_join!(
            app.users.get_record(request.principal.scope(), id),
            app.businesses.get_existing(&ids, org_id)
        )?;
        let record = record.ok_or(Error::NotFound)?;
        let before = &record.user;
        patch.authorize(&request.principal, before)?;
        if patch.business_ids.is_none() && patch.moves(before) {
            known.owners = app.businesses.get_owners(&before.business_ids).await?;
        }
        let now = app.clock.now();
        let (after, mail) = patch.apply(before, &known, &mut hashed, now, errors.clone())?;
        if after == *before && mail == MailChange::Keep {
            return Ok(Answer::ok(&SuccessBody::of(id)));
        }
        let keep_an_admin = request.principal.role != Role::Provider;
        let change = UserChange { before: Some(&record), after: Some(&after), mail, keep_an_admin, now };
        match app.users.write(change).await {
            Ok(()) => return Ok(Answer::ok(&SuccessBody::of(id))),
            Err(Refused::EmailTaken) => return Err(wire::email_taken(&after.email)),
            Err(Refused::LastAdmin) => return Err(last_admin(before, &after)),
            Err(Refused::Failed(error)) => return Err(error),
            Err(Refused::Stale) => {}
        }
    }
    Err(Error::Conflict)
}

fn last_admin(before: &User, after: &User) -> Error {
    const TEXT: &str = "this is the last active ORG_ADMIN of its organisation";
    if before.role == after.role { Error::invalid(TEXT) } else { Error::invalid_field("role", TEXT) }
}

impl UserPatch {
    fn read(fields: &mut Fields<'_>) -> Self {
        Self {
            email: fields.optional_strict("email", wire::email),
            first_name: fields.optional_strict("first_name", wire::name),
            last_name: fields.optional_strict("last_name", wire::name),
            lang: fields.patch("lang", wire::lang),
            phone: fields.patch("phone", wire::phone),
            password: fields.deferred("password", wire::password),
            status: fields.optional("status", wire::status),
            role: fields.optional("role", wire::role),
            org_id: fields.optional("org_id", read::org_id),
            business_ids: fields.optional("business_ids", wire::business_ids),
        }
    }

    /// The businesses and the organisation that are looked up: the latter only of a caller who may move users.
    fn asked_for(&self, principal: &Principal) -> (Vec<BusinessId>, Option<OrgId>) {
        let ids = self.business_ids.iter().flatten().filter_map(|text| BusinessId::parse(text)).collect();
        (ids, self.org_id.filter(|_| principal.role == Role::Provider))
    }

    fn moves(&self, before: &User) -> bool {
        self.org_id.is_some_and(|org_id| before.org_id != Some(org_id))
    }

    /// A guarded field sent with its present value is no change.
    fn changes_standing(&self, before: &User) -> bool {
        self.role.is_some_and(|role| role != before.role)
            || self.status.is_some_and(|status| status != before.status)
            || self.changes_businesses(before)
    }

    /// A list that is sent back as it is stored is no change, although a business in it may be gone meanwhile.
    fn changes_businesses(&self, before: &User) -> bool {
        let stored = || before.business_ids.iter().map(BusinessId::as_str);
        self.business_ids.as_ref().is_some_and(|given| !given.iter().eq(stored()))
    }

    fn authorize(&self, principal: &Principal, before: &User) -> Result<(), Error> {
        let target = Target::from(before);
        authorize(principal, Action::UpdateUser, target)?;
        if self.changes_standing(before) {
            authorize(principal, Action::ChangeStanding, target)?;
        }
        if self.moves(before) {
            authorize(principal, Action::MoveUser, target)?;
        }
        self.role.map_or(Ok(()), |role| authorize_giving(principal, role))
    }

    /// The user after the update, and what becomes of its mails.
    fn apply(
        &self,
        before: &User,
        known: &ExistingReferences,
        hashed: &mut Option<PasswordHash>,
        now: Timestamp,
        mut errors: FieldErrors,
    ) -> Result<(User, MailChange<'static>), Error> {
        let status = self.status.unwrap_or(before.status);
        let role = self.role.unwrap_or(before.role);
        let org_id = self.org_id.or(before.org_id);
        if org_id.is_none() && role != Role::Provider {
            errors.add("org_id", "is required");
        }
        if self.moves(before) && !known.has_org {
            errors.add("org_id", wire::UNKNOWN_ORG);
        }
        let business_ids = self.businesses(before, org_id, known, &mut errors);
        let email = self.email(before, &mut errors);
        let password = self.password(before, status, hashed, &mut errors);
        errors.into_result()?;
        let (mail, pace) = mail(before, status, &email, now);
        let links = links(before, status, &email, password.as_ref());
        let mut after = User {
            status,
            role,
            org_id,
            first_name: self.first_name.clone().unwrap_or_else(|| before.first_name.clone()),
            last_name: self.last_name.clone().unwrap_or_else(|| before.last_name.clone()),
            email,
            phone: self.phone.clone().apply(before.phone.clone()),
            lang: self.lang.clone().apply(before.lang),
            business_ids,
            password,
            links,
            ..before.clone()
        };
        after.set_pace(pace);
        Ok((after, mail))
    }

    fn businesses(
        &self,
        before: &User,
        org_id: Option<OrgId>,
        known: &ExistingReferences,
        errors: &mut FieldErrors,
    ) -> Vec<BusinessId> {
        if !self.moves(before) && !self.changes_businesses(before) {
            return before.business_ids.clone();
        }
        let kept = || before.business_ids.iter().map(|id| id.as_str().to_owned()).collect();
        let texts = self.business_ids.clone().unwrap_or_else(kept);
        wire::known_businesses(&texts, org_id, &known.owners)
            .map_err(|error| errors.add("business_ids", error))
            .unwrap_or_default()
    }

    /// An address that is sent back as it is stored is no change, although no other may be like it today.
    fn email(&self, before: &User, errors: &mut FieldErrors) -> EmailAddress {
        let changed = self.email.as_ref().filter(|given| **given != before.email);
        if let Some(Err(error)) = changed.map(EmailAddress::check_deliverable) {
            errors.add("email", error);
        }
        changed.unwrap_or(&before.email).clone()
    }

    fn password(
        &self,
        before: &User,
        status: Status,
        hashed: &mut Option<PasswordHash>,
        errors: &mut FieldErrors,
    ) -> Option<PasswordHash> {
        if status == Status::Invited {
            // Becoming invited forgets the password; one that is given is ignored.
            return before.password.clone().filter(|_| before.status == Status::Invited);
        }
        match &self.password {
            Some(Ok(password)) => Some(hashed.get_or_insert_with(|| password_hashing::hash(password)).clone()),
            Some(Err(error)) => {
                errors.add("password", error.clone());
                None
            }
            None if before.status == Status::Invited && before.password.is_none() => {
                errors.add("password", "is required to activate the user");
                None
            }
            None => before.password.clone(),
        }
    }
}

/// Returns what becomes of the mails, and the pace of the user's invitations after that.
fn mail(before: &User, status: Status, email: &EmailAddress, now: Timestamp) -> (MailChange<'static>, InvitationPace) {
    let same_mailbox = email.key() == before.email.key();
    let called_off = before.pace().call_off(now);
    match (before.status, status) {
        (Status::Active, Status::Invited) => {
            let pace = if same_mailbox { before.pace() } else { called_off };
            (MailChange::Send { due_at: pace.allowed_at(now) }, pace.accept(now))
        }
        // The pending link dies with the mailbox that it went to; the new one was sent nothing.
        (Status::Invited, _) if !same_mailbox => (MailChange::Cancel, InvitationPace::default()),
        // It dies with the activation, too, and an active user's unsent mail with the mailbox.
        (Status::Invited, Status::Active) => (MailChange::Cancel, called_off),
        _ if !same_mailbox => (MailChange::Cancel, called_off),
        _ => (MailChange::Keep, before.pace()),
    }
}

/// Returns what becomes of the links that the user was sent.
fn links(before: &User, status: Status, email: &EmailAddress, password: Option<&PasswordHash>) -> InvitationLinks {
    if email.key() != before.email.key() {
        // They went to a mailbox that is not the user's any more.
        return InvitationLinks::default();
    }
    let mut links = before.links.clone();
    if status == Status::Active && password != before.password.as_ref() {
        links.use_up();
    }
    links
}
