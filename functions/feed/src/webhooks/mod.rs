//! Webhooks of an organisation: list, create, change, try, and the log of their deliveries.

mod change;
mod create;
mod deliveries;
mod read;
mod test;
pub(crate) mod wire;

use jiff::Timestamp;
use presence_api::{Answer, AuthenticatedRequest, ChangeAnswer};
use presence_deliverer::HttpSender;
use presence_domain::access::{Action, Principal, Target, authorize};
use presence_domain::audit::{Actor, AuditRecord, WebhookAction};
use presence_domain::error::Error;
use presence_domain::webhook::{Webhook, WebhookField, WebhookId, WebhookReach};
use presence_store::WebhookDecision;

use crate::App;

pub(crate) use change::{DeleteWebhook, EnableWebhook, ReplayWebhook, RotateWebhook, UpdateWebhook};
pub(crate) use create::CreateWebhook;
pub(crate) use deliveries::ListDeliveries;
pub(crate) use read::{GetWebhook, ListWebhooks};
pub(crate) use test::TestWebhook;

/// Checks the rights of a caller on webhooks of its own organisation, before anything is looked up.
fn authorize_own(caller: &Principal) -> Result<(), Error> {
    authorize(caller, Action::ManageWebhooks, Target::in_org(caller.org_id, caller.role))
}

/// Returns the id in the path. A malformed one, and one of another organisation, is answered like an unknown one.
fn webhook_id(request: &AuthenticatedRequest) -> Result<WebhookId, Error> {
    let id = WebhookId::parse(request.path("webhook_id"));
    id.filter(|id| request.principal.scope().covers(Some(id.org_id()))).ok_or(Error::NotFound)
}

impl App {
    /// Returns the receivers that webhooks reach. The error says that there are none.
    fn webhook_reach(&self) -> Result<WebhookReach, Error> {
        self.sender().map(HttpSender::reach)
    }

    /// Returns the way to the receivers.
    fn sender(&self) -> Result<&HttpSender, Error> {
        self.sender.as_ref().ok_or_else(|| Error::invalid("webhooks are not set up"))
    }

    /// Returns the webhook in the path.
    async fn webhook_of(&self, request: &AuthenticatedRequest) -> Result<Webhook, Error> {
        self.webhook_reach()?;
        self.webhooks.get(webhook_id(request)?).await?.ok_or(Error::NotFound)
    }

    /// Changes the webhook in the path as `apply` says, and answers as `show` says. `apply` returns the webhook after the change with the
    /// fields that changed, or `None` if nothing changes.
    async fn change_webhook(
        &self,
        request: &AuthenticatedRequest,
        action: WebhookAction,
        apply: impl Fn(&Webhook, Timestamp) -> Result<Option<(Webhook, Vec<WebhookField>)>, Error>,
        show: impl Fn(&Webhook, Timestamp) -> ChangeAnswer,
    ) -> Result<ChangeAnswer, Error> {
        self.webhook_reach()?;
        let decide = |before: &Webhook| {
            let now = self.clock.now();
            let after = apply(before, now)?;
            let answer = show(after.as_ref().map_or(before, |(after, _)| after), now);
            let change = after.map(|(after, fields)| {
                let actor = Actor::Key(request.key_id);
                let record = AuditRecord::of_webhook(after.id, after.version, fields, actor, action, now);
                ((action != WebhookAction::Delete).then_some(after), record)
            });
            Ok(WebhookDecision { change, answer })
        };
        self.webhooks.update(webhook_id(request)?, decide, ChangeAnswer::kept).await
    }
}

/// Returns the answer with a secret, which the answer to a repeated request lacks.
fn show_once(request: &AuthenticatedRequest, webhook: &Webhook, now: Timestamp) -> ChangeAnswer {
    let secret = webhook.secrets.all().first().map(|signing| signing.secret.expose());
    let body = |secret: Option<&str>| Answer::ok(&wire::NewWebhookBody::new(webhook, secret));
    request.answer_once(body(secret.as_deref()), &body(None), now)
}
