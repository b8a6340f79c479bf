//! POST `/api/v2/user/{user_id}/keys/{key_id}/rotate`: replaces a key by a new one, which the answer shows this once.

use jiff::SignedDuration;
use presence_api::{AuthenticatedRequest, ChangeAnswer, Fields, Operation};
use presence_domain::audit::Actor;
use presence_domain::error::{Error, FieldErrors};
use presence_domain::key_rights::AskedRights;
use presence_store::{ApiKeyRecord, KeyChange, NewApiKey, ReplacedKey};

use super::{check, issue, key_id, wire};
use crate::App;
use crate::wire::user_id;

pub(crate) struct RotateKey {
    /// Time for which the old key still gives access, in seconds.
    overlap: i64,
}

impl Operation for RotateKey {
    type App = App;
    type Outcome = ChangeAnswer;

    fn read(fields: &mut Fields<'_>) -> Self {
        Self { overlap: wire::overlap(fields) }
    }

    async fn run(self, app: &App, request: &AuthenticatedRequest, errors: FieldErrors) -> Result<ChangeAnswer, Error> {
        let (owner, now, own_rights) = (user_id(request)?, app.clock.now(), request.key_rights()?);
        let (by, check) = (Actor::Key(request.key_id), check(request));
        let scope = Some(request.principal.scope_of_user(owner));
        let change = KeyChange { owner, scope, check: &check, by: &by, now };
        let ends_at = now + SignedDuration::from_secs(self.overlap);
        let replaced = ReplacedKey { id: key_id(app, request, &change).await?, ends_at };
        // The new key may what the old one may. It lasts as long as one that is created.
        let decide = |old: Option<&ApiKeyRecord>| {
            let old = old.ok_or_else(|| Error::internal("a rotation has an old key"))?;
            let (access, networks) = (Some(old.access), Some(old.networks.clone()));
            let requested = AskedRights { access, networks, expires_at: None, limit: old.limit };
            let rights = own_rights.of_new_key(requested, errors.clone(), now)?;
            Ok(NewApiKey { label: old.label.clone(), rights })
        };
        issue(app, request, change, Some(replaced), decide).await
    }
}
