#!/usr/bin/env python3
"""Plays Lambda for ingest, and hands it files of reviews: second_queue.py AWS_URL PROGRAMS WORK

AWS_URL is that of ministack, with S3 and SQS. PROGRAMS is the folder with `ingest`, `ops` and `presence-local`. WORK takes logs and
files. The events are genuine: the notifications are those that S3 writes, and batches have the form in which Lambda hands over
messages of a queue. Settings of the queue are those of shared/stacks/ingest.yaml, but for times and the number of receives.
"""

import gzip
import json
import os
import queue
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.request
import uuid
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import botocore.session

AWS_URL, PROGRAMS, WORK = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
ROOT = Path(__file__).resolve().parents[2]
REGION, ACCOUNT, BUCKET = "eu-west-1", "000000000000", "presence-ingest"
TEMPLATE = (ROOT / "shared/stacks/ingest.yaml").read_text()
# In AWS 30: a message that fails is given up after two hours. Here it comes back after 1, 2, 4 and 8 seconds.
MAX_RECEIVES = 5
BATCH_SIZE = int(re.search(r"BatchSize: (\d+)", TEMPLATE)[1])
# Seconds until a message comes again that nobody wrote: 15 minutes in AWS.
VISIBILITY = 2
# Seconds for one invocation, and for everything that a step waits for.
TIMEOUT, PATIENCE = 60, 180
CREDENTIALS = {"AWS_REGION": REGION, "AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local"}


def client(service):
    made = botocore.session.get_session().create_client(
        service, region_name=REGION, endpoint_url=AWS_URL, aws_access_key_id="local", aws_secret_access_key="local"
    )
    return made


def wait_for(what, condition):
    """Returns the first true value of a condition."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if value := condition():
            return value
        time.sleep(0.1)
    raise AssertionError(f"waited in vain for {what}")


class Runtime:
    """Lambda's runtime API for one function, and the function's process."""

    def __init__(self, environment):
        self.waiting, self.answers, self.process, self.starts = queue.Queue(), {}, None, 0
        self.environment = environment
        self.log = open(WORK / "ingest.log", "ab")
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self.handler())
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def handler(runtime):
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def reply(self, status, body=b"", headers=()):
                self.send_response(status)
                for name, value in headers:
                    self.send_header(name, value)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_GET(self):
                taken, starts = None, runtime.starts
                while taken is None:
                    try:
                        taken = runtime.waiting.get(timeout=0.2)
                    except queue.Empty:
                        pass
                    # The connection of a process that was killed takes no event.
                    if starts != runtime.starts:
                        if taken:
                            runtime.waiting.put(taken)
                        self.close_connection = True
                        return
                number, event = taken
                deadline = str(int((time.time() + TIMEOUT) * 1000))
                arn = f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:presence-ingest:live"
                headers = [
                    ("lambda-runtime-aws-request-id", number),
                    ("lambda-runtime-deadline-ms", deadline),
                    ("lambda-runtime-invoked-function-arn", arn),
                    ("content-type", "application/json"),
                ]
                self.reply(200, json.dumps(event).encode(), headers)

            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                _, kind = self.path.rsplit("/", 1)
                number = self.path.split("/")[-2]
                if number in runtime.answers:
                    runtime.answers[number].put((kind, json.loads(body or b"null")))
                self.reply(202)

        return Handler

    def start(self, **changes):
        port = self.server.server_address[1]
        environment = self.environment | changes | {"AWS_LAMBDA_RUNTIME_API": f"127.0.0.1:{port}"}
        self.starts += 1
        self.process = subprocess.Popen([PROGRAMS / "ingest"], env=environment, stdout=self.log, stderr=self.log)

    def kill(self):
        """Ends the process as Lambda ends one that crashed, and every invocation with it."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.starts += 1
        for answer in list(self.answers.values()):
            answer.put(("error", "killed"))

    def restart(self, **changes):
        self.kill()
        self.start(**changes)

    def invoke(self, event):
        """Returns the answer of the function, or None if it failed."""
        number = str(uuid.uuid4())
        answer = self.answers[number] = queue.Queue()
        self.waiting.put((number, event))
        try:
            kind, body = answer.get(timeout=TIMEOUT)
        except queue.Empty:
            kind, body = "error", "timed out"
        del self.answers[number]
        if kind != "response":
            return None
        return {} if body is None else body


class Lambda:
    """The two event sources of ingest: notifications of S3, and batches of the queue."""

    def __init__(self, runtime, sqs, queues):
        self.runtime, self.sqs, self.queues = runtime, sqs, queues
        self.repeats, self.is_paused, self.is_stopped, self.batches, self.failures = False, False, False, 0, 0
        for source in (self.notifications, self.messages):
            threading.Thread(target=source, daemon=True).start()

    def receive(self, name, most):
        while not self.is_stopped:
            try:
                return self.sqs.receive_message(
                    QueueUrl=self.queues[name], MaxNumberOfMessages=most, WaitTimeSeconds=1,
                    AttributeNames=["All"], MessageAttributeNames=["All"],
                ).get("Messages", [])
            except Exception as error:  # ministack ends before this thread does
                if self.is_stopped:
                    return []
                raise error
        return []

    def delete(self, name, message):
        self.sqs.delete_message(QueueUrl=self.queues[name], ReceiptHandle=message["ReceiptHandle"])

    def notifications(self):
        while not self.is_stopped:
            for message in self.receive("notifications", 1):
                # S3's own words. Its test event has no records.
                event = json.loads(message["Body"])
                results = [self.runtime.invoke(event) for _ in range(2 if self.repeats else 1)]
                if None not in results:
                    self.delete("notifications", message)

    def messages(self):
        while not self.is_stopped:
            received = [] if self.is_paused else self.receive("queue", BATCH_SIZE)
            if not received:
                time.sleep(0.05)
                continue
            self.batches += 1
            event = {"Records": [record(message) for message in received]}
            result = self.runtime.invoke(event)
            if self.repeats and result is not None:
                # Delivered once more, as SQS may, before the first delivery is confirmed.
                result = self.runtime.invoke(event)
            if result is None:
                self.failures += 1
                continue
            failed = {one["itemIdentifier"] for one in result["batchItemFailures"]}
            self.failures += len(failed)
            for message in received:
                if message["MessageId"] not in failed:
                    self.delete("queue", message)


def record(message):
    """Returns a message in the form in which Lambda hands it over."""
    attributes = {
        name: {"stringValue": one["StringValue"], "stringListValues": [], "binaryListValues": [], "dataType": one["DataType"]}
        for name, one in message.get("MessageAttributes", {}).items()
    }
    return {
        "messageId": message["MessageId"],
        "receiptHandle": message["ReceiptHandle"],
        "body": message["Body"],
        "attributes": message["Attributes"],
        "messageAttributes": attributes,
        "md5OfBody": message["MD5OfBody"],
        "eventSource": "aws:sqs",
        "eventSourceARN": f"arn:aws:sqs:{REGION}:{ACCOUNT}:presence-ingest.fifo",
        "awsRegion": REGION,
    }


def make_queues(sqs):
    """Makes the queues of the template, and one that takes the notifications of S3 in the place of the function."""
    fifo = {"FifoQueue": "true", "DeduplicationScope": "messageGroup", "FifoThroughputLimit": "perMessageGroupId"}
    make = lambda name, attributes: sqs.create_queue(QueueName=name, Attributes=attributes)["QueueUrl"]
    arn = lambda url: sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    dead = make("presence-ingest-dead-letters.fifo", fifo)
    redrive = json.dumps({"deadLetterTargetArn": arn(dead), "maxReceiveCount": str(MAX_RECEIVES)})
    live = make("presence-ingest.fifo", fifo | {"VisibilityTimeout": str(VISIBILITY), "RedrivePolicy": redrive})
    notifications = make("notifications", {"VisibilityTimeout": str(VISIBILITY)})
    return {"queue": live, "dead": dead, "notifications": notifications}, arn(notifications)


def make_bucket(s3, notifications):
    s3.create_bucket(Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": REGION})
    s3.put_bucket_versioning(Bucket=BUCKET, VersioningConfiguration={"Status": "Enabled"})
    rules = [{"Name": "prefix", "Value": "inbox/"}]
    to_queue = {"QueueArn": notifications, "Events": ["s3:ObjectCreated:*"], "Filter": {"Key": {"FilterRules": rules}}}
    s3.put_bucket_notification_configuration(Bucket=BUCKET, NotificationConfiguration={"QueueConfigurations": [to_queue]})


@contextmanager
def local_stack():
    """Runs the local stack, and hands out the line in which it tells that it is ready."""
    with open(WORK / "stack.log", "wb") as log:
        stack = subprocess.Popen(
            [PROGRAMS / "presence-local", "--port", "0", "--json", "--no-mailer"], stdout=subprocess.PIPE, stderr=log, text=True
        )
        try:
            yield json.loads(stack.stdout.readline())
        finally:
            stack.terminate()
            stack.wait()


class World:
    """Everything that a step uses."""

    def __init__(self, ready, sqs, s3, queues, runtime, lambda_):
        self.ready, self.sqs, self.s3, self.queues, self.runtime, self.lambda_ = ready, sqs, s3, queues, runtime, lambda_
        listed = self.ops("businesses", "list", "--org", "42", "--json").stdout.splitlines()
        self.businesses = [json.loads(line)["id"] for line in listed]
        assert self.businesses, "the sample has businesses"

    def ops(self, *arguments):
        environment = CREDENTIALS | {
            "AWS_ENDPOINT_URL_DYNAMODB": self.ready["dynamodb_url"], "AWS_ENDPOINT_URL_S3": AWS_URL, "PATH": os.environ["PATH"]
        }
        return subprocess.run([PROGRAMS / "ops", *arguments], env=environment, cwd=WORK, capture_output=True, text=True, timeout=PATIENCE)

    def upload(self, name, expected, code=0):
        """Uploads a file by `ops`, which follows it to the report, and compares the counts."""
        output = self.ops("import", "reviews", name, "--remote", f"s3://{BUCKET}/inbox/", "--json", "--wait", f"{PATIENCE}s")
        assert output.returncode == code, f"{output.returncode}: {output.stdout}{output.stderr}"
        counts = json.loads(output.stdout.splitlines()[-1])
        assert counts == counts_of(**expected), f"{name}: {counts}"
        return output

    def report(self, name):
        return json.loads(self.s3.get_object(Bucket=BUCKET, Key=f"done/{name}.json")["Body"].read())

    def count(self):
        """Returns the number of reviews that the API counts."""
        request = urllib.request.Request(
            f"{self.ready['base_url']}/reviews?per_page=1", headers={"x-api-key": self.ready["keys"]["ORG_ADMIN"]}
        )
        with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
            return json.load(answer)["count"]

    def row(self, number, **fields):
        business = self.businesses[number % len(self.businesses)]
        row = {
            "business_id": business, "partner": "partner_8", "partner_id": f"queue-{number}", "date": "2025-03-01T09:30:00Z",
            "rating": number % 5 + 1, "state": "not_treated", "content": f"content {number}",
        }
        return json.dumps(row | fields) + "\n"

    def messages_in(self, name):
        attributes = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]
        found = self.sqs.get_queue_attributes(QueueUrl=self.queues[name], AttributeNames=attributes)["Attributes"]
        return sum(int(found[one]) for one in attributes)


def counts_of(created=0, updated=0, unchanged=0, rejected=0):
    return {"created": created, "updated": updated, "unchanged": unchanged, "rejected": rejected}


def check_upload(world):
    """A file by `ops`: written, counted, and its bad rows handed back."""
    before = world.count()
    bad = [world.row(1000, rating=9), "no JSON\n", world.row(1001, business_id="unknown")]
    rows = [world.row(number) for number in range(500)]
    (WORK / "first.jsonl").write_text("".join(rows[:200] + bad + rows[200:]))
    output = world.upload("first.jsonl", {"created": 500, "rejected": 3}, code=4)
    assert "500 created, 0 updated, 0 unchanged, 3 rejected" in output.stderr, output.stderr
    rejected = [json.loads(line) for line in (WORK / "first.jsonl.rejected.jsonl").read_text().splitlines()]
    assert [one["line"] for one in rejected] == [201, 202, 203], rejected
    assert all(one["reason"] and one["row"] + "\n" == row for one, row in zip(rejected, bad)), rejected
    assert world.count() == before + 500, world.count()
    print("a file: 500 rows written, 3 handed back with reasons, and the API counts them")


def check_again(world):
    """The same rows again, with changed ones and older ones, compressed and in another order."""
    rows = [world.row(number) for number in range(300)]
    rows += [world.row(number, content="changed") for number in range(300, 400)]
    rows += [world.row(number, content="too old", seen_at="2020-01-01T00:00:00Z") for number in range(400, 500)]
    (WORK / "second.jsonl.gz").write_bytes(gzip.compress("".join(rows).encode()))
    world.upload("second.jsonl.gz", {"unchanged": 400, "updated": 100})
    print("the same rows again: 100 changed ones written, the others and older ones left alone")


def check_large(world):
    """A file of more than one part of an upload, of which every event is delivered twice."""
    world.lambda_.repeats = True
    before, count = world.count(), 4_500
    rows = (world.row(number, content=f"{number} " + "x" * 4_000) for number in range(10_000, 10_000 + count))
    (WORK / "large.jsonl").write_text("".join(rows))
    world.upload("large.jsonl", {"created": count})
    world.lambda_.repeats = False
    assert world.count() == before + count, world.count()
    print(f"a file of {(WORK / 'large.jsonl').stat().st_size >> 20} MiB, delivered twice: each row counts once")


def check_broken(world):
    """A file that ends in the middle of its compressed data, replaced by a whole one."""
    rows = "".join(world.row(number) for number in range(20_000, 21_000)).encode()
    whole = gzip.compress(rows)
    world.s3.put_object(Bucket=BUCKET, Key="inbox/broken.jsonl.gz", Body=whole[: len(whole) // 2])
    has_error = lambda: report_or_none(world, "broken.jsonl.gz")
    report = wait_for("the report on a broken file", has_error)
    assert report["error"] and report["created"] < 1_000, report
    (WORK / "broken.jsonl.gz").write_bytes(whole)
    world.upload("broken.jsonl.gz", {"created": 1_000 - report["created"], "unchanged": report["created"]})
    assert "error" not in world.report("broken.jsonl.gz")
    print(f"a file cut short: {report['created']} rows and an error; its replacement: the rest, and another report")


def report_or_none(world, name):
    try:
        return world.report(name)
    except world.s3.exceptions.NoSuchKey:
        return None


def check_kills(world):
    """A function that is killed again and again at its work. Each message has deliveries left, whatever batch the kills meet."""
    before, count, kills = world.count(), 3_000, MAX_RECEIVES - 2
    (WORK / "killed.jsonl").write_text("".join(world.row(number) for number in range(30_000, 30_000 + count)))
    failures, is_written = world.lambda_.failures, threading.Event()
    killed = threading.Thread(target=kill_some, args=(world, kills, is_written))
    killed.start()
    world.upload("killed.jsonl", {"created": count})
    is_written.set()
    killed.join()
    assert world.count() == before + count, world.count()
    failures = world.lambda_.failures - failures
    assert failures > 0, "a batch was under way at one of the kills"
    print(f"killed up to {kills} times, {failures} batches failed: each row is there once, and counts once")


def kill_some(world, kills, is_written):
    """Kills the function during some batches, until everything is written."""
    for _ in range(kills):
        seen = world.lambda_.batches
        wait_for("the next batch", lambda: world.lambda_.batches > seen or is_written.is_set())
        if is_written.is_set():
            return
        world.runtime.restart()


def check_redrive(world):
    """The runbook "When reviews do not arrive": messages that nobody can write are given up, and put back once the cause is gone."""
    before, count = world.count(), 200
    # The file is split, and its messages wait.
    world.lambda_.is_paused = True
    rows = "".join(world.row(number) for number in range(40_000, 40_000 + count))
    world.s3.put_object(Bucket=BUCKET, Key="inbox/given-up.jsonl", Body=rows.encode())
    world.sqs.send_message(
        QueueUrl=world.queues["queue"], MessageBody="{}", MessageGroupId="42-0", MessageDeduplicationId="poison",
        MessageAttributes={"object": {"DataType": "String", "StringValue": "of no version"}},
    )
    wait_for("the messages", lambda: world.messages_in("queue") > 1 and world.messages_in("notifications") == 0)
    # From now on the tables are out of reach: nothing answers there. S3 and SQS do.
    world.runtime.restart(AWS_ENDPOINT_URL_DYNAMODB="http://127.0.0.1:9")
    world.lambda_.is_paused = False
    wait_for("the last of the messages among the dead letters", lambda: world.messages_in("queue") == 0)
    given_up = world.messages_in("dead")
    assert given_up > 1 and report_or_none(world, "given-up.jsonl") is None, given_up
    assert world.count() == before, world.count()

    world.runtime.restart()
    moved = redrive(world)
    assert moved == given_up, (moved, given_up)
    report = wait_for("the report", lambda: report_or_none(world, "given-up.jsonl"))
    assert report == counts_of(created=count), report
    assert world.count() == before + count, world.count()
    wait_for("the poison among the dead letters again", lambda: world.messages_in("queue") == 0 and world.messages_in("dead") == 1)
    print(f"{given_up} messages given up in an outage and put back: each row is written, and one that nobody can read is given up again")


def check_copy(world):
    """The last step of the runbook: a file that is copied onto itself is reported anew."""
    before = world.s3.head_object(Bucket=BUCKET, Key="done/given-up.jsonl.json")["VersionId"]
    source = {"Bucket": BUCKET, "Key": "inbox/given-up.jsonl"}
    # Objects have the time of their upload in seconds: within one, both would be the same version.
    time.sleep(1.1)
    world.s3.copy_object(Bucket=BUCKET, Key=source["Key"], CopySource=source, MetadataDirective="REPLACE")
    latest = lambda: world.s3.head_object(Bucket=BUCKET, Key="done/given-up.jsonl.json")["VersionId"]
    wait_for("another report", lambda: latest() != before)
    assert world.report("given-up.jsonl") == counts_of(unchanged=200), world.report("given-up.jsonl")
    print("a file copied onto itself: another report, and nothing changes")


def check_runbook(world):
    """The commands of the runbook that ministack does not know: SQS has these operations and parameters."""
    page = (ROOT / "shared/docs/runbooks.md").read_text()
    section = page.split("\n## When reviews do not arrive\n")[1].split("\n## ")[0]
    commands = re.findall(r"aws sqs ([a-z-]+) ([^\n`]*)", section)
    assert {name for name, _ in commands} == {"receive-message", "start-message-move-task", "list-message-move-tasks"}, commands
    camel = lambda words: "".join(word.capitalize() for word in words.split("-"))
    for name, options in commands:
        known = world.sqs.meta.service_model.operation_model(camel(name)).input_shape.members
        for option in re.findall(r"--([a-z-]+)", options):
            assert camel(option) in known, f"{name} has no {option}"
    print("the commands of the runbook are those of SQS")


def redrive(world):
    """Moves the dead letters back, as StartMessageMoveTask does, which ministack does not know. Returns their number."""
    moved = 0
    while True:
        received = world.sqs.receive_message(
            QueueUrl=world.queues["dead"], MaxNumberOfMessages=10, AttributeNames=["All"], MessageAttributeNames=["All"]
        ).get("Messages", [])
        if not received:
            return moved
        for message in received:
            world.sqs.send_message(
                QueueUrl=world.queues["queue"], MessageBody=message["Body"], MessageAttributes=message.get("MessageAttributes", {}),
                MessageGroupId=message["Attributes"]["MessageGroupId"], MessageDeduplicationId=str(uuid.uuid4()),
            )
            world.sqs.delete_message(QueueUrl=world.queues["dead"], ReceiptHandle=message["ReceiptHandle"])
            moved += 1


CHECKS = [check_upload, check_again, check_large, check_broken, check_kills, check_redrive, check_copy, check_runbook]


def main():
    sqs, s3 = client("sqs"), client("s3")
    queues, notifications = make_queues(sqs)
    make_bucket(s3, notifications)
    with local_stack() as ready:
        runtime = Runtime(
            CREDENTIALS
            | {
                "AWS_ENDPOINT_URL_DYNAMODB": ready["dynamodb_url"],
                "AWS_ENDPOINT_URL_S3": AWS_URL,
                "AWS_ENDPOINT_URL_SQS": AWS_URL,
                "AWS_LAMBDA_FUNCTION_NAME": "presence-ingest",
                "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": "512",
                "AWS_LAMBDA_FUNCTION_VERSION": "1",
                "INGEST_BUCKET": BUCKET,
                "INGEST_QUEUE_URL": queues["queue"],
            }
        )
        runtime.start()
        lambda_ = Lambda(runtime, sqs, queues)
        world = World(ready, sqs, s3, queues, runtime, lambda_)
        try:
            for check in CHECKS:
                check(world)
            output = world.ops("reviews", "audit", "--org", "42")
            assert output.returncode == 0, output.stdout + output.stderr
            print("the audit finds nothing wrong")
        finally:
            lambda_.is_stopped = True
            runtime.kill()


main()
