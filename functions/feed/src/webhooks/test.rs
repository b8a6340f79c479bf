//! POST `/api/v2/webhooks/{webhook_id}/test`: sends an event `webhook.test` once, and answers its delivery.

use presence_api::{Answer, AuthenticatedRequest, ChangeAnswer, Fields, Operation};
use presence_deliverer::send_once;
use presence_domain::access::Principal;
use presence_domain::error::{Error, FieldErrors};
use presence_domain::feed::format_at;
use presence_domain::random::random_u64;
use presence_domain::webhook::Delivery;
use serde_json::json;

use super::authorize_own;
use super::wire::DeliveryBody;
use crate::App;

/// Type of the event.
const KIND: &str = "webhook.test";

pub(crate) struct TestWebhook;

impl Operation for TestWebhook {
    type App = App;
    type Outcome = ChangeAnswer;

    fn read(_: &mut Fields<'_>) -> Self {
        Self
    }

    fn authorize(&self, caller: &Principal) -> Result<(), Error> {
        authorize_own(caller)
    }

    async fn run(self, app: &App, request: &AuthenticatedRequest, errors: FieldErrors) -> Result<ChangeAnswer, Error> {
        let webhook = app.webhook_of(request).await?;
        errors.into_result()?;
        let (now, id) = (app.clock.now(), format!("evt_{:016x}{:016x}", random_u64(), random_u64()));
        let at = format_at(now);
        let data = json!({ "id": webhook.id.to_string(), "org_id": webhook.id.org_id().get(), "at": at });
        let body = json!({ "type": KIND, "timestamp": at, "data": data }).to_string().into_bytes();
        let attempt = send_once(app.sender()?, &webhook, &id, KIND, body, now).await;
        let delivery = Delivery(vec![attempt]);
        let answer = request.answer(Answer::ok(&DeliveryBody::new(Some(webhook.id.org_id()), &delivery)), now);
        app.webhooks.keep_answer(answer.kept()).await?;
        Ok(answer)
    }
}
