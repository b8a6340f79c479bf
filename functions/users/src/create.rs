//! POST /api/v2/user

use crate::App;
use presence_api::{Answer, AuthenticatedRequest, Fields, read};
use presence_domain::access::{Action, Target, authorize};
use presence_domain::email::EmailAddress;
use presence_domain::error::{Error, FieldError, FieldErrors};
use presence_domain::ids::{BusinessId, OrgId, UserId};
use presence_domain::invitation::InvitationLinks;
use presence_domain::password::Password;
use presence_domain::patch::Patch;
use presence_domain::user::{Lang, PersonName, Phone, Role, Status, User};
use presence_store::{MailChange, Refused, UserChange};

use crate::{password_hashing, wire};

/// How often an id is drawn: two collisions in a row among 2^53 ids do not happen.
const ATTEMPTS: u32 = 3;

/// The body, as far as its fields are well-formed.
struct NewUser {
    email: Option<EmailAddress>,
    first_name: Option<PersonName>,
    last_name: Option<PersonName>,
    lang: Patch<Lang>,
    status: Option<Status>,
    role: Option<Role>,
    org_id: Option<OrgId>,
    password: Option<Result<Password, FieldError>>,
    send_invitation: Option<bool>,
    business_ids: Vec<String>,
    phone: Patch<Phone>,
}

pub(crate) async fn run(app: &App, request: &AuthenticatedRequest) -> Result<Answer, Error> {
    let mut fields = request.body();
    let new = NewUser::read(&mut fields);
    let org_id = new.org_id.or(request.principal.org_id);
    let role = new.role.unwrap_or(Role::BusinessManager);
    authorize(&request.principal, Action::CreateUser, Target { user_id: None, org_id, role })?;
    let mut errors = fields.into_errors();
    if org_id.is_none() && role != Role::Provider {
        errors.add("org_id", "is required");
    }
    let foreign_org = new.org_id.filter(|given| request.principal.org_id != Some(*given));
    let ids: Vec<_> = new.business_ids.iter().filter_map(|text| BusinessId::parse(text)).collect();
    let known = app.businesses.get_existing(&ids, foreign_org).await?;
    if !known.has_org {
        errors.add("org_id", wire::UNKNOWN_ORG);
    }
    let business_ids = wire::known_businesses(&new.business_ids, org_id, &known.owners);
    let business_ids = business_ids.map_err(|error| errors.add("business_ids", error)).unwrap_or_default();
    let (user, mail) = new.into_user(app, role, org_id, business_ids, errors)?;
    let id = write(app, user, mail).await?;
    Ok(Answer::ok(&wire::SuccessBody::of(id)))
}

impl NewUser {
    fn read(fields: &mut Fields<'_>) -> Self {
        Self {
            email: fields.required("email", wire::new_email),
            first_name: fields.required("first_name", wire::name),
            last_name: fields.required("last_name", wire::name),
            lang: fields.patch("lang", wire::lang),
            status: fields.optional("status", wire::status),
            role: fields.optional("role", wire::role),
            org_id: fields.optional("org_id", read::org_id),
            password: fields.deferred("password", wire::password),
            send_invitation: fields.optional("send_invitation", read::boolean),
            business_ids: fields.optional("business_ids", wire::business_ids).unwrap_or_default(),
            phone: fields.patch("phone", wire::phone),
        }
    }

    /// The user, without an id of its own yet, and whether it is sent a mail.
    fn into_user(
        self,
        app: &App,
        role: Role,
        org_id: Option<OrgId>,
        business_ids: Vec<BusinessId>,
        mut errors: FieldErrors,
    ) -> Result<(User, bool), Error> {
        let invited = if self.send_invitation == Some(true) { Status::Invited } else { Status::Active };
        let status = self.status.unwrap_or(invited);
        let password = match self.password.filter(|_| status == Status::Active) {
            Some(Ok(password)) => Some(password),
            Some(Err(error)) => {
                errors.add("password", error);
                None
            }
            None => None,
        };
        errors.into_result()?;
        let (Some(email), Some(first_name), Some(last_name)) = (self.email, self.first_name, self.last_name) else {
            return Err(Error::internal("a required field is missing without an error"));
        };
        let mail = self.send_invitation.unwrap_or(status == Status::Invited);
        let user = User {
            id: UserId::random(),
            version: 1,
            status,
            role,
            org_id,
            first_name,
            last_name,
            email,
            phone: self.phone.apply(None),
            lang: self.lang.apply(None),
            business_ids,
            // Without a password given nobody can sign in with one: as with a random one that nobody ever sees.
            password: password.as_ref().map(password_hashing::hash),
            invited_at: mail.then(|| app.clock.now()),
            quiet_until: None,
            links: InvitationLinks::default(),
            keys: Vec::new(),
        };
        Ok((user, mail))
    }
}

async fn write(app: &App, mut user: User, mail: bool) -> Result<UserId, Error> {
    let now = user.invited_at.unwrap_or_else(|| app.clock.now());
    for _ in 0..ATTEMPTS {
        let change = UserChange {
            before: None,
            after: Some(&user),
            mail: if mail { MailChange::Send { due_at: now } } else { MailChange::Keep },
            keep_an_admin: false,
            now,
        };
        match app.users.write(change).await {
            Ok(()) => return Ok(user.id),
            Err(Refused::Stale | Refused::LastAdmin) => user.id = UserId::random(),
            Err(Refused::EmailTaken) => return Err(wire::email_taken(&user.email)),
            Err(Refused::Failed(error)) => return Err(error),
        }
    }
    Err(Error::Conflict)
}
