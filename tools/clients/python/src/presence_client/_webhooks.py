"""Operations on webhooks."""

import builtins
from typing import Unpack

from . import _filters as f
from ._call import IdempotencyKey, call, change, expect, require
from .generated import Client
from .generated.api.webhooks import (
    create_webhook,
    delete_webhook,
    enable_webhook,
    get_webhook,
    list_deliveries,
    list_webhooks,
    replay_webhook,
    rotate_webhook,
    test_webhook,
    update_webhook,
)
from .generated.models import (
    Delivery,
    DeliveryPage,
    Webhook,
    WebhookChange,
    WebhookCreation,
    WebhookList,
    WebhookReplay,
    WebhookSuccess,
    WebhookWithSecret,
)
from .generated.types import UNSET


class Webhooks:
    """Operations on webhooks."""

    def __init__(self, api: Client) -> None:
        """Take the generated client."""
        self._api = api

    def list(self, org_id: str | None = None, *, client_request_id: str | None = None) -> builtins.list[Webhook]:
        """Return the webhooks of an organisation, oldest first. A PROVIDER names it."""
        with call(client_request_id):
            return expect(WebhookList, lambda: list_webhooks.sync(client=self._api, org_id=org_id or UNSET)).webhooks

    def create(
        self, webhook: WebhookCreation, *, idempotency_key: IdempotencyKey = None, client_request_id: str | None = None
    ) -> WebhookWithSecret:
        """Create a webhook. Its `secret` is shown this once; it is None if the answer that had it was lost."""
        require(WebhookCreation, webhook)
        with change(idempotency_key, client_request_id):
            return expect(WebhookWithSecret, lambda: create_webhook.sync(client=self._api, body=webhook))

    def get(self, webhook_id: str, *, client_request_id: str | None = None) -> Webhook:
        """Return a webhook."""
        with call(client_request_id):
            return expect(Webhook, lambda: get_webhook.sync(webhook_id, client=self._api))

    def update(
        self,
        webhook_id: str,
        fields: WebhookChange,
        *,
        idempotency_key: IdempotencyKey = None,
        client_request_id: str | None = None,
    ) -> Webhook:
        """Change the given fields of a webhook. Return the webhook."""
        require(WebhookChange, fields)
        with change(idempotency_key, client_request_id):
            return expect(Webhook, lambda: update_webhook.sync(webhook_id, client=self._api, body=fields))

    def delete(self, webhook_id: str, *, idempotency_key: IdempotencyKey = None, client_request_id: str | None = None) -> None:
        """Delete a webhook. Nothing is sent to it any more."""
        with change(idempotency_key, client_request_id):
            expect(WebhookSuccess, lambda: delete_webhook.sync(webhook_id, client=self._api))

    def rotate(
        self, webhook_id: str, *, idempotency_key: IdempotencyKey = None, client_request_id: str | None = None
    ) -> WebhookWithSecret:
        """Replace the secret. Both secrets sign for 24 hours. Answer as `create`."""
        with change(idempotency_key, client_request_id):
            return expect(WebhookWithSecret, lambda: rotate_webhook.sync(webhook_id, client=self._api))

    def test(
        self, webhook_id: str, *, idempotency_key: IdempotencyKey = None, client_request_id: str | None = None
    ) -> Delivery:
        """Send an event `webhook.test` once. Return its delivery."""
        with change(idempotency_key, client_request_id):
            return expect(Delivery, lambda: test_webhook.sync(webhook_id, client=self._api))

    def enable(
        self, webhook_id: str, *, idempotency_key: IdempotencyKey = None, client_request_id: str | None = None
    ) -> Webhook:
        """Let a disabled webhook go on where it stopped. Return the webhook."""
        with change(idempotency_key, client_request_id):
            return expect(Webhook, lambda: enable_webhook.sync(webhook_id, client=self._api))

    def replay(
        self, webhook_id: str, after: str, *, idempotency_key: IdempotencyKey = None, client_request_id: str | None = None
    ) -> Webhook:
        """Send all events after a cursor again. Return the webhook."""
        with change(idempotency_key, client_request_id):
            return expect(Webhook, lambda: replay_webhook.sync(webhook_id, client=self._api, body=WebhookReplay(after)))

    def list_deliveries(self, webhook_id: str, **filters: Unpack[f.DeliveryFilters]) -> DeliveryPage:
        """Return one page of the deliveries of the last 30 days, newest first."""
        return expect(DeliveryPage, lambda: list_deliveries.sync(webhook_id, client=self._api, **filters))
