#!/usr/bin/env python3
"""Write the table of methods into the README of each client package, from the description of the API: methods.py [--check]

With --check nothing is written, and a stale README ends the script with 1. So do an operation without a method, and a method
that a package does not have.
"""
import json
import re
import sys
from pathlib import Path

HERE = Path(__file__).parent
# Operation, or a sentence for what is none; the method in TypeScript, of which that in Python has the same words; the method in Rust.
METHODS = """
get_me | users.me | me
get_user | users.get | user
search_users | users.search | search_users
Iterate over all users that a search finds | users.iterate | iterate_users
get_user_stats | users.stats | user_stats
create_user | users.create | create_user
update_user | users.update | update_user
delete_user | users.delete | delete_user
invite_user | users.invite | invite_user
list_keys | users.listKeys | list_keys
create_key | users.createKey | create_key
rotate_key | users.rotateKey | rotate_key
revoke_key | users.revokeKey | revoke_key
search_categories | categories.search | search_categories
Iterate over all categories that a search finds | categories.iterate | iterate_categories
get_category | categories.get | category
search_businesses | businesses.search | search_businesses
Iterate over all businesses that a search finds | businesses.iterate | iterate_businesses
search_reviews | reviews.search | search_reviews
Iterate over all reviews that a search finds | reviews.iterate | iterate_reviews
Pull the reviews that changed | reviews.pull | pull_reviews
get_review_stats | reviews.stats | review_stats
get_review | reviews.get | review
set_review_state | reviews.setState | set_review_state
get_reply | reviews.getReply | reply
put_reply | reviews.putReply | put_reply
delete_reply | reviews.deleteReply | delete_reply
report_reply_outcome | reviews.reportReplyOutcome | report_reply_outcome
list_events | events | events
list_webhooks | webhooks.list | list_webhooks
create_webhook | webhooks.create | create_webhook
get_webhook | webhooks.get | webhook
update_webhook | webhooks.update | update_webhook
delete_webhook | webhooks.delete | delete_webhook
rotate_webhook | webhooks.rotate | rotate_webhook
test_webhook | webhooks.test | test_webhook
enable_webhook | webhooks.enable | enable_webhook
replay_webhook | webhooks.replay | replay_webhook
list_deliveries | webhooks.listDeliveries | list_deliveries
Verify a message of a webhook (a function) | verifyWebhook | verify_webhook
"""
ROWS = [tuple(line.split(" | ")) for line in METHODS.strip().splitlines()]
# Sources of each package, and the definition of a method in them.
SOURCES = {
    "typescript": ("src/*.ts", r"^(?:  (?:async )?|export function ){name}\("),
    "python": ("src/presence_client/*.py", r"^(?:    )?def {name}\("),
    "rust": ("src/*.rs", r"(?:\bfn |search!\(|search!\(\w+, ){name}\b"),
}


def operations():
    """Return the summary of each operation, by its id."""
    paths = json.loads((HERE / "../../shared/docs/openapi.json").read_text(encoding="utf-8"))["paths"]
    described = (operation for path in paths.values() for operation in path.values() if "operationId" in operation)
    return {operation["operationId"]: operation["summary"] for operation in described}


def methods(language):
    """Yield what each method of a package does, and its name."""
    for what, typescript, rust in ROWS:
        snake = re.sub("[A-Z]", lambda letter: "_" + letter[0].lower(), typescript)
        yield what, {"typescript": typescript, "python": snake, "rust": rust}[language]


def has_method(language, sources, method):
    """Return True if a source of the package defines the method, in the class of its resource."""
    owner, _, name = method.rpartition(".")
    _, definition = SOURCES[language]
    parts = re.split(r"^(?=(?:export )?class |export function |def )", sources, flags=re.MULTILINE)
    if owner:
        parts = [part for part in parts if re.match(rf"(?:export )?class {owner.title()}\b", part)]
    return any(re.search(definition.format(name=name), part, re.MULTILINE) for part in parts)


def table(language, summaries):
    """Return the table of a package."""
    sources = "\n".join(path.read_text(encoding="utf-8") for path in sorted((HERE / language).glob(SOURCES[language][0])))
    rows = ["| to | call |", "|---|---|"]
    for what, method in methods(language):
        if not has_method(language, sources, method):
            sys.exit(f"the package for {language} has no {method}")
        rows.append(f"| {summaries.get(what, what)} | `{method}` |")
    return "\n".join(rows)


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    summaries = operations()
    if missing := set(summaries) - {what for what, *_ in ROWS}:
        sys.exit(f"no method is named for: {', '.join(sorted(missing))}")
    for language in SOURCES:
        readme = HERE / language / "README.md"
        text = readme.read_text(encoding="utf-8")
        new = re.sub(r"(?<=## Methods\n\n).*?(?=\n\n##)", lambda _: table(language, summaries), text, flags=re.DOTALL)
        if new != text and sys.argv[1:]:
            sys.exit(f"{readme} is stale: run tools/clients/methods.py")
        readme.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    main()
