//! POST `/api/v2/user/{user_id}`: changes the given fields of a user.

use presence_api::{Answer, AuthenticatedRequest, ChangeAnswer, Fields, Operation, read};
use presence_domain::access::authorize_patch;
use presence_domain::audit::Actor;
use presence_domain::error::{Error, FieldErrors};
use presence_domain::ids::BusinessId;
use presence_domain::user::{References, Role, User, UserPatch};
use presence_store::Decision;

use crate::App;
use crate::password_hashing::HashOnce;
use crate::wire::{self, SuccessBody, user_id};

pub(crate) struct Update(UserPatch);

impl Operation for Update {
    type App = App;
    type Outcome = ChangeAnswer;

    fn read(fields: &mut Fields<'_>) -> Self {
        Self(UserPatch {
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
        })
    }

    async fn run(self, app: &App, request: &AuthenticatedRequest, errors: FieldErrors) -> Result<ChangeAnswer, Error> {
        let (id, principal, patch) = (user_id(request)?, &request.principal, &self.0);
        let named: Vec<_> = patch.business_ids.iter().flatten().filter_map(|text| BusinessId::parse(text)).collect();
        // Only a caller who may move users learns whether an organisation exists.
        let named_org = patch.org_id.filter(|_| principal.role == Role::Provider);
        let read_references = || app.businesses.get_existing(&named, named_org);
        let (errors, hash, actor) = (&errors, &HashOnce::default(), &Actor::Key(request.key_id));
        let apply = |user: User, mut references: References| async move {
            authorize_patch(principal, patch, &user)?;
            if patch.business_ids.is_none() && patch.moves(&user) {
                references.owners = app.businesses.get_owners(&user.business_ids).await?;
            }
            let hash = |password: &_| hash.get(password);
            let change = user.apply_patch(patch, &references, hash, errors.clone(), actor, app.clock.now())?;
            Ok(Decision::from(change.map(|change| change.keeping_an_admin(principal.must_keep_an_admin()))))
        };
        let answer = request.answer(Answer::ok(&SuccessBody::of(id)), app.clock.now());
        app.users.update_alongside(principal.scope(), id, read_references, apply, answer.kept()).await?;
        Ok(answer)
    }
}
