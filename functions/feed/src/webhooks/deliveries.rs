//! GET `/api/v2/webhooks/{webhook_id}/deliveries`: returns the deliveries of the last 30 days, newest first.

use presence_api::{Answer, AuthenticatedRequest, Fields, Operation};
use presence_domain::access::Principal;
use presence_domain::error::{Error, FieldErrors};
use presence_domain::feed::FeedCursor;

use super::wire::DeliveriesBody;
use super::{authorize_own, wire};
use crate::App;
use crate::events::{DEFAULT_LIMIT, limit};

pub(crate) struct ListDeliveries {
    after: Option<String>,
    limit: usize,
}

impl Operation for ListDeliveries {
    type App = App;
    type Outcome = Answer;

    fn read(fields: &mut Fields<'_>) -> Self {
        Self {
            after: fields.optional("after", wire::text),
            limit: fields.optional("limit", limit).unwrap_or(DEFAULT_LIMIT),
        }
    }

    fn authorize(&self, caller: &Principal) -> Result<(), Error> {
        authorize_own(caller)
    }

    async fn run(self, app: &App, request: &AuthenticatedRequest, mut errors: FieldErrors) -> Result<Answer, Error> {
        let webhook = app.webhook_of(request).await?;
        let org_id = Some(webhook.id.org_id());
        let after = self.after.and_then(|text| wire::cursor(&text, org_id, &mut errors));
        errors.into_result()?;
        let below = after.map(|cursor| cursor.number);
        let (deliveries, has_more) = app.webhooks.deliveries(webhook.id, below, self.limit, app.clock.now()).await?;
        let oldest = deliveries.last().and_then(|delivery| delivery.latest());
        let number = oldest.map_or(below.unwrap_or_default(), |attempt| attempt.number);
        let next = FeedCursor { org_id, number }.to_string();
        Ok(Answer::ok(&DeliveriesBody::new(org_id, &deliveries, next, has_more)))
    }
}
