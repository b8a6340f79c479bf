//! Changes of one webhook under `/api/v2/webhooks/{webhook_id}`: update, delete, rotate the secret, enable, replay.

use presence_api::{Answer, AuthenticatedRequest, ChangeAnswer, Fields, Operation};
use presence_domain::access::Principal;
use presence_domain::audit::WebhookAction;
use presence_domain::error::{Error, FieldErrors};
use presence_domain::feed::{EventFilter, FeedCursor, FeedStart};
use presence_domain::patch::Patch;
use presence_domain::webhook::{Webhook, WebhookPatch, WebhookSecret};

use super::wire::{SuccessBody, WebhookBody};
use super::{authorize_own, show_once, webhook_id, wire};
use crate::App;

pub(crate) struct UpdateWebhook {
    url: Option<String>,
    types: Patch<EventFilter>,
    label: Patch<String>,
}

pub(crate) struct DeleteWebhook;

pub(crate) struct RotateWebhook;

pub(crate) struct EnableWebhook;

/// Cursor after which all is sent again.
pub(crate) struct ReplayWebhook(Option<String>);

impl Operation for UpdateWebhook {
    type App = App;
    type Outcome = ChangeAnswer;

    fn read(fields: &mut Fields<'_>) -> Self {
        Self {
            url: fields.optional_strict("url", wire::text),
            types: fields.patch("types", |raw| wire::types(raw).map(Some)),
            label: fields.patch("label", wire::label),
        }
    }

    fn authorize(&self, caller: &Principal) -> Result<(), Error> {
        authorize_own(caller)
    }

    async fn run(
        self,
        app: &App,
        request: &AuthenticatedRequest,
        mut errors: FieldErrors,
    ) -> Result<ChangeAnswer, Error> {
        let reach = app.webhook_reach()?;
        let url = self.url.and_then(|text| wire::url(&text, reach, &mut errors));
        let types = match self.types {
            Patch::Keep => None,
            Patch::Clear => Some(EventFilter::default()),
            Patch::Set(types) => Some(types),
        };
        let patch = WebhookPatch { url, types, label: self.label };
        let apply = |webhook: &Webhook, now| {
            errors.clone().into_result()?;
            Ok(webhook.patched(&patch, now))
        };
        let show = |webhook: &Webhook, now| request.answer(Answer::ok(&WebhookBody::new(webhook)), now);
        app.change_webhook(request, WebhookAction::Update, apply, show).await
    }
}

impl Operation for DeleteWebhook {
    type App = App;
    type Outcome = ChangeAnswer;

    fn read(_: &mut Fields<'_>) -> Self {
        Self
    }

    fn authorize(&self, caller: &Principal) -> Result<(), Error> {
        authorize_own(caller)
    }

    async fn run(self, app: &App, request: &AuthenticatedRequest, errors: FieldErrors) -> Result<ChangeAnswer, Error> {
        let apply = |webhook: &Webhook, _| {
            errors.clone().into_result()?;
            Ok(Some((Webhook { version: webhook.version + 1, ..webhook.clone() }, Vec::new())))
        };
        let show = |webhook: &Webhook, now| request.answer(Answer::ok(&SuccessBody::of(webhook.id)), now);
        app.change_webhook(request, WebhookAction::Delete, apply, show).await
    }
}

impl Operation for RotateWebhook {
    type App = App;
    type Outcome = ChangeAnswer;

    fn read(_: &mut Fields<'_>) -> Self {
        Self
    }

    fn authorize(&self, caller: &Principal) -> Result<(), Error> {
        authorize_own(caller)
    }

    async fn run(self, app: &App, request: &AuthenticatedRequest, errors: FieldErrors) -> Result<ChangeAnswer, Error> {
        let secret = WebhookSecret::generate();
        let apply = |webhook: &Webhook, now| {
            errors.clone().into_result()?;
            Ok(Some((webhook.rotated(secret.clone(), now)?, Vec::new())))
        };
        app.change_webhook(request, WebhookAction::Rotate, apply, |webhook, now| show_once(request, webhook, now)).await
    }
}

impl Operation for EnableWebhook {
    type App = App;
    type Outcome = ChangeAnswer;

    fn read(_: &mut Fields<'_>) -> Self {
        Self
    }

    fn authorize(&self, caller: &Principal) -> Result<(), Error> {
        authorize_own(caller)
    }

    async fn run(self, app: &App, request: &AuthenticatedRequest, errors: FieldErrors) -> Result<ChangeAnswer, Error> {
        let apply = |webhook: &Webhook, now| {
            errors.clone().into_result()?;
            Ok(webhook.with_progress(webhook.progress.clone().enabled(now)).map(|after| (after, Vec::new())))
        };
        let show = |webhook: &Webhook, now| request.answer(Answer::ok(&WebhookBody::new(webhook)), now);
        app.change_webhook(request, WebhookAction::Enable, apply, show).await
    }
}

impl Operation for ReplayWebhook {
    type App = App;
    type Outcome = ChangeAnswer;

    fn read(fields: &mut Fields<'_>) -> Self {
        Self(fields.required("after", wire::text))
    }

    fn authorize(&self, caller: &Principal) -> Result<(), Error> {
        authorize_own(caller)
    }

    async fn run(
        self,
        app: &App,
        request: &AuthenticatedRequest,
        mut errors: FieldErrors,
    ) -> Result<ChangeAnswer, Error> {
        app.webhook_reach()?;
        let id = webhook_id(request)?;
        if app.webhooks.get(id).await?.is_none() {
            return Err(Error::NotFound);
        }
        let cursor = self.0.and_then(|text| wire::cursor(&text, Some(id.org_id()), &mut errors));
        errors.into_result()?;
        let FeedCursor { org_id, number } = cursor.ok_or(Error::NotFound)?;
        // A cursor that is no longer kept is an error of this read.
        app.feed.read(org_id, FeedStart::After(number), 1, app.clock.now()).await?;
        let apply = |webhook: &Webhook, now| {
            Ok(webhook.with_progress(webhook.progress.replayed_from(number, now)?).map(|after| (after, Vec::new())))
        };
        let show = |webhook: &Webhook, now| request.answer(Answer::ok(&WebhookBody::new(webhook)), now);
        app.change_webhook(request, WebhookAction::Replay, apply, show).await
    }
}
