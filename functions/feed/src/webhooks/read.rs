//! GET `/api/v2/webhooks` and `/api/v2/webhooks/{webhook_id}`.

use presence_api::{Answer, AuthenticatedRequest, Fields, Operation, read};
use presence_domain::access::{Action, Principal};
use presence_domain::error::{Error, FieldErrors};
use presence_domain::ids::OrgId;

use super::authorize_own;
use super::wire::{WebhookBody, WebhookListBody};
use crate::App;
use crate::org::{authorize_org, org_of};

pub(crate) struct ListWebhooks {
    org_id: Option<OrgId>,
}

pub(crate) struct GetWebhook;

impl Operation for ListWebhooks {
    type App = App;
    type Outcome = Answer;

    fn read(fields: &mut Fields<'_>) -> Self {
        Self { org_id: fields.optional("org_id", read::org_id) }
    }

    fn authorize(&self, caller: &Principal) -> Result<(), Error> {
        authorize_org(caller, Action::ManageWebhooks, self.org_id.map(Some))
    }

    async fn run(self, app: &App, request: &AuthenticatedRequest, mut errors: FieldErrors) -> Result<Answer, Error> {
        app.webhook_reach()?;
        let org_id = org_of(&request.principal, self.org_id.map(Some), &mut errors).flatten();
        errors.into_result()?;
        let webhooks = app.webhooks.list(org_id.ok_or(Error::NotFound)?).await?;
        Ok(Answer::ok(&WebhookListBody { webhooks: webhooks.iter().map(WebhookBody::new).collect() }))
    }
}

impl Operation for GetWebhook {
    type App = App;
    type Outcome = Answer;

    fn read(_: &mut Fields<'_>) -> Self {
        Self
    }

    fn authorize(&self, caller: &Principal) -> Result<(), Error> {
        authorize_own(caller)
    }

    async fn run(self, app: &App, request: &AuthenticatedRequest, errors: FieldErrors) -> Result<Answer, Error> {
        let webhook = app.webhook_of(request).await?;
        errors.into_result()?;
        Ok(Answer::ok(&WebhookBody::new(&webhook)))
    }
}
