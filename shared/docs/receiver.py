#!/usr/bin/env python3
"""Example receiver of webhooks: verifies each message, drops those that it has, and prints one line of JSON for each event.

    WEBHOOK_SECRET=whsec_... receiver.py PORT
"""
import base64
import hashlib
import hmac
import json
import os
import sqlite3
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEY = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))
TOLERANCE_SECONDS = 300

# A real receiver keeps this in its own database, in the transaction that handles the event.
seen = sqlite3.connect(os.environ.get("RECEIVER_DB", ":memory:"), check_same_thread=False, isolation_level=None)
seen.execute("CREATE TABLE IF NOT EXISTS seen (id TEXT PRIMARY KEY)")


def is_genuine(headers, body):
    """True if the message was signed with the secret within the last minutes."""
    message_id, timestamp = headers["webhook-id"] or "", headers["webhook-timestamp"] or ""
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    signed = f"{message_id}.{timestamp}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.new(KEY, signed, hashlib.sha256).digest()).decode()
    # After a rotation there are two signatures for a day.
    return any(hmac.compare_digest(expected, one) for one in (headers["webhook-signature"] or "").split())


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"] or 0))
        if not is_genuine(self.headers, body):
            return self.answer(401)
        message_id = self.headers["webhook-id"]
        if seen.execute("INSERT OR IGNORE INTO seen VALUES (?)", (message_id,)).rowcount:
            # Answer within seconds: what takes longer belongs into a queue of yours.
            print(json.dumps({"id": message_id, **json.loads(body)}), flush=True)
        return self.answer(204)

    def answer(self, status):
        self.send_response(status)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Receiver)
    print(json.dumps({"port": server.server_port}), flush=True)
    server.serve_forever()
