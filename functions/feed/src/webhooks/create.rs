//! POST `/api/v2/webhooks`: creates a webhook, whose secret the answer shows this once.

use presence_api::{AuthenticatedRequest, ChangeAnswer, Fields, Operation, read};
use presence_domain::access::{Action, Principal};
use presence_domain::audit::{Actor, AuditRecord, WebhookAction};
use presence_domain::error::{Error, FieldErrors};
use presence_domain::feed::EventFilter;
use presence_domain::ids::OrgId;
use presence_domain::webhook::{Progress, SigningSecrets, Webhook, WebhookField, WebhookId, WebhookSecret};

use super::{show_once, wire};
use crate::App;
use crate::org::{authorize_org, org_of};

pub(crate) struct CreateWebhook {
    org_id: Option<OrgId>,
    url: Option<String>,
    types: EventFilter,
    label: Option<String>,
}

impl Operation for CreateWebhook {
    type App = App;
    type Outcome = ChangeAnswer;

    fn read(fields: &mut Fields<'_>) -> Self {
        Self {
            org_id: fields.optional("org_id", read::org_id),
            url: fields.required("url", wire::text),
            types: fields.optional("types", wire::types).unwrap_or_default(),
            label: fields.optional("label", wire::label).flatten(),
        }
    }

    fn authorize(&self, caller: &Principal) -> Result<(), Error> {
        authorize_org(caller, Action::ManageWebhooks, self.org_id.map(Some))
    }

    async fn run(
        self,
        app: &App,
        request: &AuthenticatedRequest,
        mut errors: FieldErrors,
    ) -> Result<ChangeAnswer, Error> {
        let reach = app.webhook_reach()?;
        let org_id = org_of(&request.principal, self.org_id.map(Some), &mut errors).flatten();
        let url = self.url.and_then(|text| wire::url(&text, reach, &mut errors));
        errors.into_result()?;
        let (org_id, url) = org_id.zip(url).ok_or_else(|| Error::invalid_field("org_id", "is required"))?;
        // What happens from now on: the end of the feed is read before the webhook is there.
        let cursor = app.feed.end(Some(org_id)).await?;
        let (now, secret) = (app.clock.now(), WebhookSecret::generate());
        let make = |id: WebhookId| {
            let webhook = Webhook {
                id,
                url: url.clone(),
                types: self.types.clone(),
                label: self.label.clone(),
                secrets: SigningSecrets::new(secret.clone()),
                created_at: now,
                progress: Progress::starting_after(cursor, now),
                version: 1,
            };
            let (fields, actor) = (WebhookField::ALL.to_vec(), Actor::Key(request.key_id));
            let record = AuditRecord::of_webhook(id, webhook.version, fields, actor, WebhookAction::Create, now);
            let answer = show_once(request, &webhook, now);
            (webhook, record, answer)
        };
        app.webhooks.create(org_id, make, ChangeAnswer::kept).await
    }
}
