"""Example connector: takes replies from the queue, publishes or removes them at the partner, and reports each outcome.

    pip install boto3
    PRESENCE_URL=https://api.example.com PRESENCE_KEY=pk_… REPLY_QUEUE_URL=https://sqs.… python3 connector.py LISTING

The partner of the example is a folder, LISTING, with a file for each reply. Put calls of your partner in the place of `publish` and
`remove`. With the local stack (`cargo run -- --no-partners`), AWS_ENDPOINT_URL_SQS and REPLY_QUEUE_URL are its `sqs_url`. connectors.md has the rules.
"""

import json
import os
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import boto3

URL = os.environ["PRESENCE_URL"] + "/api/v2/reviews"
KEY = os.environ["PRESENCE_KEY"]
QUEUE = os.environ["REPLY_QUEUE_URL"]
LISTING = Path(sys.argv[1])

Message = dict[str, Any]


class Rejected(Exception):
    """The partner does not accept a reply, and never will. The text is the reason."""


def publish(message: Message) -> None:
    """Publishes a reply at the partner, in the place of an earlier one. Doing it twice is the same as once."""
    if "http" in message["content"]:
        raise Rejected("the partner accepts no links")
    (LISTING / message["review_id"]).write_text(message["content"])


def remove(message: Message) -> None:
    """Removes a reply at the partner. There may be none."""
    (LISTING / message["review_id"]).unlink(missing_ok=True)


def call(method: str, path: str, body: object = None) -> tuple[int, Any]:
    """Calls the API, and returns status and answer."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"authorization": f"Bearer {KEY}", "content-type": "application/json"}
    request = urllib.request.Request(URL + path, data, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def is_wanted(message: Message) -> bool:
    """True if a message is about the present request. The queue may hand out an old message again, and versions come again after a restore."""
    status, reply = call("GET", f"/{message['review_id']}/reply")
    if status not in (200, 404):
        raise RuntimeError(f"the API answers {status}")
    is_same = status == 200 and all(reply[name] == message[name] for name in ("version", "requested_at"))
    return is_same and reply["state"] in ("pending", "removing")


def settle(message: Message) -> None:
    """Does what a message asks for, and reports the outcome."""
    report = {"version": message["version"]}
    try:
        if message["action"] == "publish":
            publish(message)
            report["outcome"] = "published"
        else:
            remove(message)
            report["outcome"] = "removed"
    except Rejected as reason:
        report |= {"outcome": "rejected", "reason": str(reason)}
    status, answer = call("POST", f"/{message['review_id']}/reply/outcome", report)
    if status != 200:
        raise RuntimeError(f"the API answers {status}: {answer}")
    print(message["review_id"], message["version"], report["outcome"], flush=True)


def main() -> None:
    """Takes messages for ever. A message that fails is not deleted: the queue hands it out again after two minutes."""
    sqs = boto3.client("sqs", region_name=os.environ.get("AWS_REGION", "eu-west-1"))
    LISTING.mkdir(parents=True, exist_ok=True)
    while True:
        answer = sqs.receive_message(QueueUrl=QUEUE, MaxNumberOfMessages=10, WaitTimeSeconds=20, AttributeNames=["MessageGroupId"])
        failed = set()
        for received in answer.get("Messages", []):
            group = received["Attributes"]["MessageGroupId"]
            if group in failed:
                continue  # A later message of a review waits for the one that failed.
            message = json.loads(received["Body"])
            try:
                if is_wanted(message):
                    settle(message)
                sqs.delete_message(QueueUrl=QUEUE, ReceiptHandle=received["ReceiptHandle"])
            except Exception as error:  # noqa: BLE001 - whatever it is, the message comes again
                print(message["review_id"], "failed:", error, file=sys.stderr, flush=True)
                failed.add(group)


if __name__ == "__main__":
    main()
