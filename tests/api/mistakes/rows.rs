//! Table of the mistakes.

/// Mistake of a client.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mistake {
    /// Heading under which the page has the mistake.
    pub(super) topic: &'static str,
    /// Mistake in a few words.
    pub(super) summary: &'static str,
    /// Line of bash that must succeed before the mistake.
    pub(super) first: Option<&'static str>,
    /// Line of bash that makes the mistake, with one curl.
    pub(super) request: &'static str,
    /// Advice, in Markdown.
    pub(super) instead: &'static str,
}

/// Returns all mistakes, in the order of the page.
pub(super) fn mistakes() -> Vec<Mistake> {
    let topics = [
        ("Keys", KEYS),
        ("Paths and methods", PATHS),
        ("Pages and orders", PAGES),
        ("Filters", FILTERS),
        ("Bodies", BODIES),
        ("Rights", RIGHTS),
        ("States", STATES),
        ("States and replies of reviews", REVIEWS),
        ("Events and webhooks", EVENTS),
        ("Limits", LIMITS),
    ];
    let of_topic = |(topic, rows): (&'static str, &'static [Row])| {
        rows.iter().map(move |(summary, request, instead)| {
            // A row may need a request that comes before it: `first ;; request`.
            let (first, request) = match request.split_once(" ;; ") {
                Some((first, request)) => (Some(first), request),
                None => (None, *request),
            };
            Mistake { topic, summary, first, request, instead }
        })
    };
    topics.into_iter().flat_map(of_topic).collect()
}

/// Mistake, request and advice.
type Row = (&'static str, &'static str, &'static str);

#[rustfmt::skip]
const KEYS: &[Row] = &[
    ("the key is forgotten", r#"curl "$BASE/user/me""#, "send it in `x-api-key`"),
    ("the key is in another header", r#"curl "$BASE/user/me" -H "api-key: $KEY""#, "the header is `x-api-key`"),
    ("`Authorization` without its scheme", r#"curl "$BASE/user/me" -H "Authorization: $KEY""#, "`Authorization: Bearer …`"),
    ("a letter of the key is lost", r#"curl "$BASE/user/me" -H "x-api-key: ${KEY%?}""#, "a key has 39 characters; the answer is the same for a key that is revoked, expired or called from outside its networks"),
    ("a key without a label", r#"curl "$BASE/user/1003/keys" -H "x-api-key: $KEY" -H 'content-type: application/json' -d '{"access": "read"}'"#, "`label` names the key in lists"),
    ("a label that is too long", r#"curl "$BASE/user/1003/keys" -H "x-api-key: $KEY" -H 'content-type: application/json' -d "{\"label\": \"$(printf 'x%.0s' {1..101})\"}""#, "100 characters at the most"),
    ("an access that does not exist", r#"curl "$BASE/user/1003/keys" -H "x-api-key: $KEY" -H 'content-type: application/json' -d '{"label": "report", "access": "read_only"}'"#, "`read`, or `all`"),
    ("an address instead of a network", r#"curl "$BASE/user/1003/keys" -H "x-api-key: $KEY" -H 'content-type: application/json' -d '{"label": "report", "allowed_networks": ["203.0.113.5"]}'"#, "`203.0.113.5/32` is this one address"),
    ("an address of a network instead of the network", r#"curl "$BASE/user/1003/keys" -H "x-api-key: $KEY" -H 'content-type: application/json' -d '{"label": "report", "allowed_networks": ["203.0.113.5/24"]}'"#, "`203.0.113.0/24` for all of them, `203.0.113.5/32` for this one"),
    ("more networks than a key may have", r#"curl "$BASE/user/1003/keys" -H "x-api-key: $KEY" -H 'content-type: application/json' -d "{\"label\": \"report\", \"allowed_networks\": [$(seq -s, -f '"10.0.%g.0/24"' 21)]}""#, "20 at the most: wider networks, or a second key"),
    ("an end that is too far ahead", r#"curl "$BASE/user/1003/keys" -H "x-api-key: $KEY" -H 'content-type: application/json' -d '{"label": "report", "expires_at": "2099-01-01"}'"#, "two years at the most; rotate the key before it ends"),
    ("an end in the past", r#"curl "$BASE/user/1003/keys" -H "x-api-key: $KEY" -H 'content-type: application/json' -d '{"label": "report", "expires_at": "2020-01-01"}'"#, "leave `expires_at` out: a year ahead"),
    ("an overlap that is too long", r#"curl "$BASE/user/1003/keys/1003-9dfde7a91e1c/rotate" -H "x-api-key: $KEY" -H 'content-type: application/json' -d '{"overlap_seconds": 2592000}'"#, "604800, a week, at the most"),
    ("the key instead of its id", r#"curl -X DELETE "$BASE/user/1003/keys/$MANAGER" -H "x-api-key: $KEY""#, "the `id` in the list of keys; never put a key into a path, which logs keep"),
    ("a change with a key that may only read", r#"curl "$BASE/user/me" -H "x-api-key: pk_ExampleKeyOfAReadOnlyReport0012KUpp3" ;; curl -X POST "$BASE/user/1008/invite" -H "x-api-key: pk_ExampleKeyOfAReadOnlyReport0012KUpp3""#, "a key of `access` `all`"),
    ("a key that makes one that may do more", r#"curl "$BASE/user/1003/keys" -H "x-api-key: $KEY" -H 'content-type: application/json' -d '{"label": "office", "allowed_networks": ["127.0.0.0/8"]}' | tee office.json; curl "$BASE/user/me" -H "x-api-key: $(sed -n 's/.*"key":"\([^"]*\)".*/\1/p' office.json)" ;; curl "$BASE/user/1003/keys" -H "x-api-key: $(sed -n 's/.*"key":"\([^"]*\)".*/\1/p' office.json)" -H 'content-type: application/json' -d '{"label": "home", "allowed_networks": []}'"#, "leave `allowed_networks` out: those of the key that asks. The same holds for `expires_at`"),
    ("a sixth key of a user", r#"for number in {1..5}; do curl "$BASE/user/1006/keys" -H "x-api-key: $KEY" -H 'content-type: application/json' -d "{\"label\": \"key $number\"}"; done ;; curl "$BASE/user/1006/keys" -H "x-api-key: $KEY" -H 'content-type: application/json' -d '{"label": "key 6"}'"#, "revoke one that nobody uses: `last_used_at` in the list of keys"),
    ("two different keys", r#"curl "$BASE/user/me?api_key=$MANAGER" -H "x-api-key: $KEY""#, "send one key, in one place"),
];

#[rustfmt::skip]
const PATHS: &[Row] = &[
    ("a slash at the end", r#"curl "$BASE/user/me/" -H "x-api-key: $KEY""#, "no path ends with a slash"),
    ("the name in the plural", r#"curl "$BASE/users/1006" -H "x-api-key: $KEY""#, "`/user/1006`"),
    ("PUT instead of POST", r#"curl -X PUT "$BASE/user/1006" -H "x-api-key: $KEY" -H 'content-type: application/json' -d '{"phone": "1"}'"#, "changes are POST; `allow` lists the methods"),
    ("the id of a user of another organisation", r#"curl "$BASE/user/1013" -H "x-api-key: $KEY""#, "such a user does not exist for the caller"),
];

#[rustfmt::skip]
const PAGES: &[Row] = &[
    ("`limit`", r#"curl "$BASE/reviews?limit=100" -H "x-api-key: $KEY""#, "`per_page=100`"),
    ("`offset`", r#"curl "$BASE/user/search?offset=30" -H "x-api-key: $KEY""#, "`page=2`; pages begin at 1"),
    ("too many on a page", r#"curl "$BASE/reviews?per_page=1000" -H "x-api-key: $KEY""#, "100 at the most, and `page`"),
    ("a page that is no number", r#"curl "$BASE/reviews?page=abc" -H "x-api-key: $KEY""#, "`page=1`"),
    ("`sort`", r#"curl "$BASE/reviews?sort=date" -H "x-api-key: $KEY""#, "`order_by=update_date`"),
    ("an order that does not exist", r#"curl "$BASE/reviews?order_by=-date" -H "x-api-key: $KEY""#, "`order_by=-update_date`"),
];

#[rustfmt::skip]
const FILTERS: &[Row] = &[
    ("a typing error in a name", r#"curl "$BASE/reviews?raitng=5" -H "x-api-key: $KEY""#, "`rating=5`; an unknown filter never returns everything"),
    ("a list with numbers in brackets", r#"curl -g "$BASE/reviews?rating__in[0]=1&rating__in[1]=2" -H "x-api-key: $KEY""#, "`rating__in=1,2`, or `rating__in` twice"),
    ("a list under the name of one value", r#"curl "$BASE/reviews?partner=partner_8" -H "x-api-key: $KEY""#, "`partner__in=partner_8`"),
    ("a list where one value belongs", r#"curl "$BASE/reviews?rating=4&rating=5" -H "x-api-key: $KEY""#, "`rating__in=4,5`"),
    ("a list of ratings under the name of one", r#"curl "$BASE/reviews?rating=1,2" -H "x-api-key: $KEY""#, "`rating__in=1,2`"),
    ("a list with semicolons", r#"curl "$BASE/reviews?rating__in=1;2" -H "x-api-key: $KEY""#, "`rating__in=1,2`"),
    ("a rating that does not exist", r#"curl "$BASE/reviews?rating=6" -H "x-api-key: $KEY""#, "1 to 5"),
    ("a typing error in a state", r#"curl "$BASE/reviews?state=not-treated" -H "x-api-key: $KEY""#, "`state=not_treated`"),
    ("a boolean in words", r#"curl "$BASE/reviews?content__isnull=yes" -H "x-api-key: $KEY""#, "`true` or `false`, `1` or `0`"),
    ("a date in another order", r#"curl "$BASE/reviews?update_date__gte=01/02/2025" -H "x-api-key: $KEY""#, "`2025-02-01`"),
    ("a plus sign that is not escaped", r#"curl "$BASE/user/search?email=jp+shop@maison-verte.example" -H "x-api-key: $KEY""#, "`%2B`: a plus sign means a blank. In dates it is repaired"),
    ("a percent sign that is not escaped", r#"curl "$BASE/category/search?lang=GB&name=100%" -H "x-api-key: $KEY""#, "`100%25`"),
    ("a filter of another search", r#"curl "$BASE/reviews?org_id=42" -H "x-api-key: $KEY""#, "a search of reviews covers the caller's organisation"),
    ("no language", r#"curl "$BASE/category/search?name=bakery" -H "x-api-key: $KEY""#, "`lang=GB`"),
    ("an unknown language", r#"curl "$BASE/category/search?lang=xx" -H "x-api-key: $KEY""#, "one of the choices, in any case"),
    ("a group that does not exist", r#"curl "$BASE/reviews/stats?group_by=week" -H "x-api-key: $KEY""#, "`group_by=day`, and add the days up"),
];

#[rustfmt::skip]
const BODIES: &[Row] = &[
    ("a comma at the end", r#"curl "$BASE/user/1006" -H "x-api-key: $KEY" -H 'content-type: application/json' -d '{"phone": "1",}'"#, "JSON has no comma before a brace"),
    ("a form", r#"curl "$BASE/user/1006" -H "x-api-key: $KEY" -d 'phone=1'"#, "a JSON object with `content-type: application/json`"),
    ("no media type", r#"curl "$BASE/user/1006" -H "x-api-key: $KEY" -H 'content-type:' -d '{"phone": "1"}'"#, "`content-type: application/json`"),
    ("an array", r#"curl "$BASE/user/1006" -H "x-api-key: $KEY" -H 'content-type: application/json' -d '[{"phone": "1"}]'"#, "one object, for one user"),
    ("required fields are missing", r#"curl "$BASE/user" -H "x-api-key: $KEY" -H 'content-type: application/json' -d '{"email": "ada@maison-verte.example"}'"#, "`email`, `first_name` and `last_name`"),
    ("names in camel case", r#"curl "$BASE/user/1006" -H "x-api-key: $KEY" -H 'content-type: application/json' -d '{"firstName": "Ada", "language": "fr"}'"#, "`first_name`, `lang`"),
    ("fields in the query string", r#"curl -X POST "$BASE/user/1006?phone=1" -H "x-api-key: $KEY" -H 'content-type: application/json' -d '{}'"#, "fields of a change are in its body"),
    ("a list as text", r#"curl "$BASE/user/1006" -H "x-api-key: $KEY" -H 'content-type: application/json' -d '{"business_ids": "5409c35a97bbc544d8e26737"}'"#, "`[\"5409c35a97bbc544d8e26737\"]`"),
    ("a business of another organisation", r#"curl "$BASE/user/1006" -H "x-api-key: $KEY" -H 'content-type: application/json' -d '{"business_ids": ["61f0a7d2c84e9b3f1a2d5c01"]}'"#, "ids from `/business/search`"),
    ("an address that is taken", r#"curl "$BASE/user" -H "x-api-key: $KEY" -H 'content-type: application/json' -d '{"email": "JP.Martin@maison-verte.example", "first_name": "JP", "last_name": "Martin"}'"#, "find the user by `email`, and change it"),
    ("a short password", r#"curl "$BASE/user/1006" -H "x-api-key: $KEY" -H 'content-type: application/json' -d '{"password": "12345"}'"#, "6 to 128 characters"),
];

#[rustfmt::skip]
const RIGHTS: &[Row] = &[
    ("a role above one's own", r#"curl "$BASE/user" -H "x-api-key: $KEY" -H 'content-type: application/json' -d '{"email": "ada@maison-verte.example", "first_name": "Ada", "last_name": "Lovelace", "role": "PROVIDER"}'"#, "a PROVIDER gives this role"),
    ("a user created by a BUSINESS_MANAGER", r#"curl "$BASE/user" -H "x-api-key: $MANAGER" -H 'content-type: application/json' -d '{"email": "ada@maison-verte.example", "first_name": "Ada", "last_name": "Lovelace"}'"#, "the key of an ORG_ADMIN"),
    ("another organisation", r#"curl "$BASE/user/search?org_id=77" -H "x-api-key: $KEY""#, "leave `org_id` out"),
    ("one's own role", r#"curl "$BASE/user/1003" -H "x-api-key: $KEY" -H 'content-type: application/json' -d '{"role": "BUSINESS_MANAGER"}'"#, "another ORG_ADMIN changes it"),
    ("a key for somebody else", r#"curl "$BASE/user/1003/keys" -H "x-api-key: $MANAGER" -H 'content-type: application/json' -d '{"label": "report"}'"#, "the key of an ORG_ADMIN; a BUSINESS_MANAGER makes keys for itself"),
    ("one's own user", r#"curl -X DELETE "$BASE/user/1003" -H "x-api-key: $KEY""#, "another ORG_ADMIN deletes it"),
];

#[rustfmt::skip]
const STATES: &[Row] = &[
    ("an invitation of an active user", r#"curl -X POST "$BASE/user/1006/invite" -H "x-api-key: $KEY""#, "only users with the status `invited`"),
    ("a key for an invited user", r#"curl "$BASE/user/1008/keys" -H "x-api-key: $KEY" -H 'content-type: application/json' -d '{"label": "report"}'"#, "a user has keys once it is `active`"),
    ("invited again too soon", r#"curl -X POST "$BASE/user/1008/invite" -H "x-api-key: $KEY" ;; curl -X POST "$BASE/user/1008/invite" -H "x-api-key: $KEY""#, "wait for the seconds of `retry-after`"),
    ("an idempotency key for another body", r#"curl "$BASE/user/1006" -H "x-api-key: $KEY" -H "idempotency-key: 6f1c2b7e" -H 'content-type: application/json' -d '{"phone": "+33 1"}' ;; curl "$BASE/user/1006" -H "x-api-key: $KEY" -H "idempotency-key: 6f1c2b7e" -H 'content-type: application/json' -d '{"phone": "+33 2"}'"#, "a new key for each change, the same key only to repeat it"),
    ("an idempotency key with other letters", r#"curl "$BASE/user/1006" -H "x-api-key: $KEY" -H "idempotency-key: clé" -H 'content-type: application/json' -d '{"phone": "+33 3"}'"#, "printable ASCII, best a random UUID"),
];

#[rustfmt::skip]
const REVIEWS: &[Row] = &[
    ("a review that is made deleted", r#"curl -X PUT "$BASE/reviews/190n40rnpsx7" -H "x-api-key: $KEY" -H 'content-type: application/json' -d '{"state": "deleted"}'"#, "only the partner deletes a review"),
    ("POST instead of PUT", r#"curl "$BASE/reviews/190n40rnpsx7" -H "x-api-key: $KEY" -H 'content-type: application/json' -d '{"state": "treated"}'"#, "states and replies are PUT; `allow` lists the methods"),
    ("the text of a reply under another name", r#"curl -X PUT "$BASE/reviews/190n40rnpsx7/reply" -H "x-api-key: $KEY" -H 'content-type: application/json' -d '{"reply_comment": "Merci"}'"#, "`content`"),
    ("a reply without a text", r#"curl -X PUT "$BASE/reviews/190n40rnpsx7/reply" -H "x-api-key: $KEY" -H 'content-type: application/json' -d '{"content": " "}'"#, "1 to 4,096 bytes; `DELETE` takes a reply back"),
    ("a reply that is too long", r#"curl -X PUT "$BASE/reviews/190n40rnpsx7/reply" -H "x-api-key: $KEY" -H 'content-type: application/json' -d "{\"content\": \"$(printf 'é%.0s' {1..2049})\"}""#, "4,096 bytes of UTF-8 at the most: `é` has two"),
    ("a character that is none", r#"curl -X PUT "$BASE/reviews/190n40rnpsx7/reply" -H "x-api-key: $KEY" -H 'content-type: application/json' -d '{"content": "Merci \uffff"}'"#, "leave out U+FFFE and U+FFFF, which Unicode reserves"),
    ("a state of a deleted review", r#"curl -X PUT "$BASE/reviews/5afaqeh8naz0" -H "x-api-key: $KEY" -H 'content-type: application/json' -d '{"state": "treated"}'"#, "nothing: the partner shows the review no more"),
    ("a reply to a deleted review", r#"curl -X PUT "$BASE/reviews/5afaqeh8naz0/reply" -H "x-api-key: $KEY" -H 'content-type: application/json' -d '{"content": "Merci"}'"#, "nothing: the partner shows the review no more"),
    ("a reply to a review of a business that the caller may not write", r#"curl -X PUT "$BASE/reviews/ppzs22ghnsp6/reply" -H "x-api-key: $MANAGER" -H 'content-type: application/json' -d '{"content": "Merci"}'"#, "`business_ids` of the user has the businesses that it may write"),
    ("a reply that is not there", r#"curl "$BASE/reviews/190n40rnpsx7/reply" -H "x-api-key: $KEY""#, "404 also means that there is no reply"),
    ("a reply that is not there, taken back", r#"curl -X DELETE "$BASE/reviews/190n40rnpsx7/reply" -H "x-api-key: $KEY""#, "404 also means that there is no reply"),
    ("an outcome that an organisation reports", r#"curl "$BASE/reviews/190n40rnpsx7/reply/outcome" -H "x-api-key: $KEY" -H 'content-type: application/json' -d '{"version": 1, "outcome": "published"}'"#, "connectors have the key of a PROVIDER"),
    ("an outcome of the wrong kind", r#"curl -X PUT "$BASE/reviews/ppzs22ghnsp6/reply" -H "x-api-key: $KEY" -H 'content-type: application/json' -d '{"content": "Merci"}' ;; curl "$BASE/reviews/ppzs22ghnsp6/reply/outcome" -H "x-api-key: $PROVIDER" -H 'content-type: application/json' -d '{"version": 1, "outcome": "removed"}'"#, "`published` or `rejected` for a reply, `removed` or `rejected` for a removal: the `action` of the message tells"),
    ("an outcome in other words", r#"curl "$BASE/reviews/190n40rnpsx7/reply/outcome" -H "x-api-key: $PROVIDER" -H 'content-type: application/json' -d '{"version": 1, "outcome": "done"}'"#, "one of the choices"),
    ("a reason that is too long", r#"curl "$BASE/reviews/190n40rnpsx7/reply/outcome" -H "x-api-key: $PROVIDER" -H 'content-type: application/json' -d "{\"version\": 1, \"outcome\": \"rejected\", \"reason\": \"$(printf 'x%.0s' {1..501})\"}""#, "500 characters at the most"),
    ("an outcome of a version that no request had", r#"curl "$BASE/reviews/190n40rnpsx7/reply/outcome" -H "x-api-key: $PROVIDER" -H 'content-type: application/json' -d '{"version": 1, "outcome": "published"}'"#, "the `version` of the message"),
];

#[rustfmt::skip]
const EVENTS: &[Row] = &[
    ("`per_page` of the feed", r#"curl "$BASE/events?per_page=100" -H "x-api-key: $KEY""#, "`limit=100`"),
    ("a time in the place of a cursor", r#"curl "$BASE/events?after=2026-03-01T12:00:00Z" -H "x-api-key: $KEY""#, "the `next` of the last page; `after=now`; or no `after`, for the oldest events"),
    ("a cursor of another organisation", r#"curl "$BASE/events?after=77-0" -H "x-api-key: $KEY""#, "the `next` of a page of the same organisation"),
    ("a cursor that the feed does not have", r#"curl "$BASE/events?after=42-999999999" -H "x-api-key: $KEY""#, "go on after the cursor that the answer names; searches have what changed before it"),
    ("a type that does not exist", r#"curl "$BASE/events?type__in=reviews.*" -H "x-api-key: $KEY""#, "one of the choices, separated by commas"),
    ("a PROVIDER who names no organisation", r#"curl "$BASE/events" -H "x-api-key: $PROVIDER""#, "`org_id=42`; `org_id=none` for users without an organisation"),
    ("a webhook without TLS", r#"curl "$BASE/webhooks" -H "x-api-key: $KEY" -H 'content-type: application/json' -d '{"url": "http://hooks.example.com/"}'"#, "`https`; only the local stack takes `http`, to this machine"),
    ("a webhook at an address inside", r#"curl "$BASE/webhooks" -H "x-api-key: $KEY" -H 'content-type: application/json' -d '{"url": "https://10.0.0.7/events"}'"#, "a name or address that the internet reaches"),
    ("a password in the URL of a webhook", r#"curl "$BASE/webhooks" -H "x-api-key: $KEY" -H 'content-type: application/json' -d '{"url": "https://till:secret@hooks.example.com/"}'"#, "verify the signature; a secret may stand in the path"),
    ("types as text", r#"curl "$BASE/webhooks" -H "x-api-key: $KEY" -H 'content-type: application/json' -d '{"url": "https://hooks.example.com/", "types": "review.*"}'"#, "`[\"review.*\"]`; without `types`, all of them"),
    ("a webhook of a BUSINESS_MANAGER", r#"curl "$BASE/webhooks" -H "x-api-key: $MANAGER" -H 'content-type: application/json' -d '{"url": "https://hooks.example.com/"}'"#, "the key of an ORG_ADMIN"),
];

#[rustfmt::skip]
const LIMITS: &[Row] = &[
    ("too many ids", r#"curl "$BASE/reviews?business__in=$(seq -s, 501)" -H "x-api-key: $KEY""#, "500 at the most; or `business_city`, or several requests"),
    ("a request line that is too long", r#"curl "$BASE/reviews?business__in=$(seq -s, -f '%024.0f' 450)" -H "x-api-key: $KEY""#, "some 400 ids of 24 characters; or `business_city`, or several requests. The gateway answers, in its own form"),
    ("a body that is too large", r#"head -c 200000 /dev/zero | curl "$BASE/user/1006" -H "x-api-key: $KEY" -H 'content-type: application/json' --data-binary @-"#, "128 KiB at the most"),
];
