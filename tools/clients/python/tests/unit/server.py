"""Fake server for tests: it plays steps in order, and notes the requests."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Literal

from presence_client import PresenceClient, Retry

KEY = "pk_SECRETsecretSECRETsecretSECRETsecret1"
"""Key that no error may hold."""


@dataclass
class Answer:
    status: int
    body: object = None
    headers: dict[str, str] = field(default_factory=dict)


Step = Answer | Literal["reset", "silence"]
DONE = Answer(200, {"status": "success", "id": "7"})
ME = Answer(
    200,
    {"id": "1", "status": "active", "first_name": "A", "last_name": "B", "org_id": 1, "phone": None}
    | {"role": "ORG_ADMIN", "email": "a@b.example", "business_ids": []},
)


def refused(status: int, **headers: str) -> Answer:
    return Answer(status, {"errors": {"json": "not now"}}, {name.replace("_", "-"): value for name, value in headers.items()})


@dataclass
class Seen:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Run:
    client: PresenceClient
    seen: list[Seen]
    pauses: list[float]


@contextmanager
def serving(*steps: Step, timeout: float = 30.0, max_retries: int = 4) -> Iterator[Run]:
    """Run a server that plays the steps, with a client that notes its pauses."""
    seen: list[Seen] = []
    over = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            step = steps[len(seen)] if len(seen) < len(steps) else Answer(599)
            seen.append(Seen(self.command, self.path, headers, body))
            self.close_connection = True
            if step == "silence":
                over.wait()
            elif isinstance(step, Answer):
                self.send(step)

        def send(self, step: Answer) -> None:
            text = step.body if isinstance(step.body, bytes) else json.dumps(step.body).encode()
            self.send_response(step.status)
            for name, value in {"content-length": str(len(text)), **step.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(text)

        do_GET = do_POST = do_PUT = do_DELETE = answer  # noqa: N815 The names of http.server.

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    pauses: list[float] = []
    retry = Retry(max_retries=max_retries, uniform=lambda: 0.5, sleep=pauses.append)
    url = f"http://127.0.0.1:{server.server_address[1]}/api/v2/"
    try:
        with PresenceClient(url, KEY, timeout=timeout, retry=retry, user_agent="shop/1.2") as client:
            yield Run(client, seen, pauses)
    finally:
        over.set()
        server.shutdown()
        server.server_close()
        thread.join()
