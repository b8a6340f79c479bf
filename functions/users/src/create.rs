//! POST `/api/v2/user`: creates a user.

use presence_api::{Answer, AuthenticatedRequest, ChangeAnswer, Fields, Operation, read};
use presence_domain::access::{Action, Principal, Target, authorize};
use presence_domain::audit::Actor;
use presence_domain::email::EmailAddress;
use presence_domain::error::{Error, FieldError, FieldErrors};
use presence_domain::ids::{BusinessId, OrgId, UserId};
use presence_domain::password::Password;
use presence_domain::patch::Patch;
use presence_domain::user::{Lang, NewUser, PersonName, Phone, Role, Status, User};
use presence_store::UserWriteError;

use crate::{App, password_hashing, wire};

/// Body of the request, as far as its fields are well-formed.
struct NewUserBody {
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

pub(crate) struct Create(NewUserBody);

impl Operation for Create {
    type App = App;
    type Outcome = ChangeAnswer;

    fn read(fields: &mut Fields<'_>) -> Self {
        Self(NewUserBody::read(fields))
    }

    fn authorize(&self, caller: &Principal) -> Result<(), Error> {
        let target = Target::in_org(self.0.org_id.or(caller.org_id), self.0.role());
        authorize(caller, Action::CreateUser, target)
    }

    async fn run(
        self,
        app: &App,
        request: &AuthenticatedRequest,
        mut errors: FieldErrors,
    ) -> Result<ChangeAnswer, Error> {
        let (body, own_org) = (self.0, request.principal.org_id);
        let (org_id, role) = (body.org_id.or(own_org), body.role());
        // The caller's own organisation exists.
        let foreign_org = body.org_id.filter(|given| own_org != Some(*given));
        let named: Vec<_> = body.business_ids.iter().filter_map(|text| BusinessId::parse(text)).collect();
        let references = app.businesses.get_existing(&named, foreign_org).await?;
        references.check_org(role, org_id, true, &mut errors);
        let business_ids = references.parse_businesses(&body.business_ids, org_id);
        let business_ids = business_ids.map_err(|error| errors.add("business_ids", error)).unwrap_or_default();
        let new = body.into_new_user(role, org_id, business_ids, errors)?;
        let change = User::create(new, UserId::random(), &Actor::Key(request.key_id), app.clock.now());
        let answer = |id| request.answer(Answer::ok(&wire::SuccessBody::of(id)), change.at);
        match app.users.create_answered(&change, |id| answer(id).kept().cloned()).await {
            Ok(id) => Ok(answer(id)),
            Err(UserWriteError::EmailTaken) => Err(change.email_taken_error()),
            Err(UserWriteError::Stale | UserWriteError::LastAdmin | UserWriteError::LastProvider) => {
                Err(Error::Conflict)
            }
            Err(UserWriteError::AddressMarked(mark)) => Err(mark.error()),
            Err(UserWriteError::Failed(error)) => Err(error),
        }
    }
}

impl NewUserBody {
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

    fn role(&self) -> Role {
        self.role.unwrap_or(Role::BusinessManager)
    }

    /// Returns the attributes of the new user, or all errors of the body. An invited user's password is ignored, not even
    /// validated.
    fn into_new_user(
        self,
        role: Role,
        org_id: Option<OrgId>,
        business_ids: Vec<BusinessId>,
        mut errors: FieldErrors,
    ) -> Result<NewUser, Error> {
        let status = Status::of_new_user(self.status, self.send_invitation);
        let password = self.password.filter(|_| status == Status::Active).transpose();
        let password = password.map_err(|error| errors.add("password", error)).unwrap_or_default();
        errors.into_result()?;
        let (Some(email), Some(first_name), Some(last_name)) = (self.email, self.first_name, self.last_name) else {
            return Err(Error::internal("a required field is missing without an error"));
        };
        Ok(NewUser {
            status,
            role,
            org_id,
            first_name,
            last_name,
            email,
            phone: self.phone.apply(None),
            lang: self.lang.apply(None),
            business_ids,
            password: password.as_ref().map(password_hashing::hash),
            send_invitation: self.send_invitation,
        })
    }
}
