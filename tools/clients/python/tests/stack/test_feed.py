"""The feed of the local stack, and messages of its webhooks to a receiver of this process."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from standardwebhooks import Webhook

from presence_client import Event, GoneError, PresenceClient, WebhookChange, WebhookCreation, verify_webhook

presence = PresenceClient(api_key=os.environ["PRESENCE_ORG_ADMIN"])


def test_events_come_in_order_and_another_reader_goes_on_at_the_cursor() -> None:
    following = presence.events("now", type_in=["review.*"], pause=0.2)
    start = next(following).cursor
    # Other tests change the newest reviews, whose replies are published meanwhile.
    review = presence.reviews.search(per_page=100, state=["not_treated"]).reviews[-1].id
    presence.reviews.set_state(review, "treated")
    presence.reviews.set_state(review, "not_treated")
    events: list[Event] = []
    while len(events) < 2:
        events += [event for event in next(following).events if event.data.id == review]
    assert [(event.type_, event.data.id, event.data.fields) for event in events] == [("review.updated", review, ["state"])] * 2
    versions = [event.data.version for event in events]
    assert isinstance(versions[0], int)
    assert versions[1] == versions[0] + 1
    again = presence.events(start, follow=False, type_in=["review.*"])
    assert [event.id for batch in again for event in batch.events if event.data.id == review] == [event.id for event in events]
    org = start.split("-")[0]
    with pytest.raises(GoneError) as gone:
        next(presence.events(f"{org}-999999"))
    assert (gone.value.oldest or "").startswith(f"{org}-")


@contextmanager
def receiving() -> Iterator[tuple[str, list[tuple[dict[str, str], bytes]]]]:
    """Run a receiver of webhooks. Return its address, and the headers and bodies that it gets."""
    messages: list[tuple[dict[str, str], bytes]] = []

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            messages.append((dict(self.headers.items()), self.rfile.read(int(self.headers["content-length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Receiver)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/", messages
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_messages_of_a_webhook_are_verified_by_this_package_and_by_the_public_one() -> None:
    webhooks = presence.webhooks
    with receiving() as (url, messages):
        made = webhooks.create(WebhookCreation(url, types=["key.*"], label="own-python"))
        assert webhooks.test(made.id).state == "delivered"
        rotated = webhooks.rotate(made.id)
        assert webhooks.test(made.id).type_ == "webhook.test"
    assert len(messages) == 2
    # The second message has two signatures.
    for (headers, body), secrets in zip(messages, ([made.secret], [made.secret, rotated.secret]), strict=True):
        for secret in secrets:
            assert secret
            event = verify_webhook(headers, body, secret)
            assert (event.type_, event.data.id) == ("webhook.test", made.id)
            Webhook(secret).verify(body, {name.lower(): value for name, value in headers.items()})
    assert webhooks.update(made.id, WebhookChange(label="renamed")).label == "renamed"
    assert any(webhook.id == made.id and webhook.state == "enabled" for webhook in webhooks.list())
    cursor = webhooks.enable(made.id).cursor
    assert webhooks.replay(made.id, cursor).id == webhooks.get(made.id).id
    assert webhooks.list_deliveries(made.id, limit=5).deliveries == []
    webhooks.delete(made.id)
    assert all(webhook.id != made.id for webhook in webhooks.list())
