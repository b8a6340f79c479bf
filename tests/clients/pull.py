"""Pulls reviews as the public clients of such services do, without any package: python3 tests/clients/pull.py INBOX

The client keeps the greatest `update_date` as its cursor. At first it writes an array as `name[]`, and learns the right name from
the answer. Between its requests, files of reviews arrive in INBOX of the local stack: new reviews, and a change of one that was
read. At the end, the client has each version once, and its reviews equal the list.
"""

import json
import os
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

INBOX = Path(sys.argv[1])
URL = os.environ["PRESENCE_URL"] + "/api/v2/reviews"
KEY = os.environ["PRESENCE_ORG_ADMIN"]
PER_PAGE = 20
FILES = 3
# A file counts once it has not grown for a second. One that takes so long hangs.
ARRIVAL_SECONDS = 120

Review = dict[str, Any]


def get(**parameters: object) -> tuple[int, Any]:
    """Returns status and body of a search."""
    request = urllib.request.Request(f"{URL}?{urllib.parse.urlencode(parameters)}", headers={"x-api-key": KEY})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def later(date: str, seconds: int) -> str:
    """Returns a date so many seconds later, in the service's form."""
    return (datetime.fromisoformat(date) + timedelta(seconds=seconds)).isoformat()


def row(review: Review, **changes: object) -> str:
    """Returns a row of a file that is like a review, with changes."""
    names = ("business_id", "partner", "partner_id", "author_name", "date", "update_date", "rating", "content", "state")
    return json.dumps({name: review[name] for name in names} | changes)


def deliver(number: int, read: Review, newest: str) -> None:
    """Puts a file into the inbox: two new reviews, and a change of one that was read. Returns when they are stored."""
    date = later(newest, 10 * (number + 1))
    new = [
        row(read, partner_id=f"pull-{number}-{each}", date=date, update_date=date, rating=1, state="treated")
        for each in range(2)
    ]
    changed = row(read, update_date=later(date, 1), content=f"changed by file {number}", rating=1)
    (INBOX / "inbox").mkdir(exist_ok=True)
    (INBOX / "inbox" / f"pull-{number}.jsonl").write_text("\n".join([*new, changed]) + "\n")
    report = INBOX / "done" / f"pull-{number}.jsonl.json"
    end = time.monotonic() + ARRIVAL_SECONDS
    while not report.exists():
        assert time.monotonic() < end, f"{report} does not come"
        time.sleep(0.05)
    done = json.loads(report.read_text())
    assert (done["created"], done["updated"], done["rejected"]) == (2, 1, 0), done


def page(name: str, cursor: str | None, number: int = 1) -> tuple[int, Any]:
    """Returns a page of reviews with one star, in the order of a pull."""
    since = {} if cursor is None else {"update_date__gte": cursor}
    return get(**{name: 1}, **since, order_by="update_date", page=number, per_page=PER_PAGE)


def main() -> None:
    """Pulls to the end, and compares with the list."""
    status, refusal = page("rating__in[0]", None)
    assert status == 400, refusal
    text = refusal["errors"]["json"]["rating__in[0]"]
    assert "rating__in" in text.replace("rating__in[0]", ""), f"no hint: {text}"

    _, newest = get(order_by="-update_date", per_page=1)
    cursor: str | None = None
    pulled: list[tuple[str, str]] = []
    latest: dict[str, Review] = {}
    arrived = 0
    while True:
        status, answer = page("rating__in", cursor)
        assert status == 200, answer
        for review in answer["reviews"]:
            version = (review["id"], review["update_date"])
            if version not in pulled:
                pulled.append(version)
                latest[review["id"]] = review
        # Few reviews share a second here: a page always reaches beyond its first.
        dates = [review["update_date"] for review in answer["reviews"]]
        assert (dates == sorted(dates) and dates[-1] != cursor) or answer["max_page"] == 1
        cursor = dates[-1]
        if arrived < FILES:
            read = latest[pulled[arrived][0]]
            deliver(arrived, read, newest["reviews"][0]["update_date"])
            arrived += 1
        elif answer["max_page"] == 1:
            break

    listed: list[Review] = []
    number = 1
    while True:
        _, answer = page("rating__in", None, number)
        listed += answer["reviews"]
        if number >= answer["max_page"]:
            break
        number += 1
    assert len(listed) > PER_PAGE, "one page is no pull"
    assert len({review["id"] for review in listed}) == len(listed) == answer["count"]
    assert {review["id"]: review for review in listed} == latest
    # Each review once, and each of the changed ones once more, with its new date.
    assert len(pulled) == len(set(pulled)) == len(listed) + FILES
    print(f"a pull by update_date has all {len(listed)} reviews, {FILES} of them twice, since they changed")


main()
