# An invited user has a mail in the outbox, unless --no-mail is given.
ops outbox list --json
echo '{"id": 42, "name": "Fast Retailer"}' | ops import orgs -
ZOE=$(ops user create --email Zoe@Example.org --first-name Zoe --last-name Martin --role ORG_ADMIN --org-id 42 --status invited)
ANN=$(ops user create --email ann@example.org --first-name Ann --last-name Martin --role PROVIDER --status invited --no-mail)
ops outbox list --json
ops outbox list
ops users audit

# A mail that failed is listed with what SES said last, and can be retried.
MAIL=$(ops outbox list --json | sed 's/.*"id":"\(MAIL#[^"]*\)".*/\1/')
ops outbox retry $MAIL
set_state() { dynamodb UpdateItem '{"TableName": "presence-users", "Key": {"pk": {"S": "USER#'$1'"}, "sk": {"S": "'$2'"}},
        "UpdateExpression": "SET #state = :state, outbox = :state, attempts = :attempts, last_refusal = :refusal",
        "ExpressionAttributeNames": {"#state": "state"}, "ExpressionAttributeValues": {":state": {"S": "'$3'"},
        ":attempts": {"N": "8"}, ":refusal": {"S": "TooManyRequestsException"}}}'; }
set_state $ZOE $MAIL failed
ops outbox list --json
ops outbox list
ops outbox retry $MAIL --json
ops outbox list --json
ops outbox retry $MAIL
ops users audit

# A mail that is held is released by a retry.
set_state $ZOE $MAIL held
ops outbox list --json
ops users audit
ops outbox retry --all --json
ops outbox list --json

# A mail that waits after a refusal is sent at once. One that was not refused is not retried.
set_state $ZOE $MAIL pending
ops outbox retry $MAIL --json
ops outbox retry $MAIL
set_state $ZOE $MAIL pending
ops outbox retry --all --json

# All failed mails are retried.
ops outbox retry --all --json
ops outbox retry --all
BOB=$(ops user create --email bob@example.org --first-name Bob --last-name Martin --role PROVIDER --status invited)
CYD=$(ops user create --email cyd@example.org --first-name Cyd --last-name Martin --role PROVIDER --status invited)
set_state $ZOE $MAIL failed
OF_BOB=$(ops outbox list --json | sed 's/},{/}\n{/g' | grep bob@ | sed 's/.*"id":"\(MAIL#[^"]*\)".*/\1/')
set_state $BOB $OF_BOB failed
ops outbox retry --all --json
ops outbox list --json | sed 's/},{/}\n{/g' | grep '"state":"pending"' | grep -c '"attempts":0'
ops outbox retry
ops outbox retry x --all
ops users audit

# A cancelled mail is gone, whatever its state.
set_state $BOB $OF_BOB failed
set_state $ZOE $MAIL held
OF_CYD=$(ops outbox list --json | sed 's/},{/}\n{/g' | grep cyd@ | sed 's/.*"id":"\(MAIL#[^"]*\)".*/\1/')
for mail in $MAIL $OF_BOB $OF_CYD; do ops outbox cancel $mail --json; done
ops outbox list --json
ops outbox cancel $MAIL
ops users audit

# A marked address is invited again only after its mark is cleared.
ops outbox unmark eve@example.org
put presence-users '{"pk": {"S": "MARK#eve@example.org"}, "sk": {"S": "MARK"}, "reason": {"S": "bounced"},
    "at": {"N": "1772366400000"}, "ttl": {"N": "1803902400"}}'
invite='ops user create --email Eve@example.org --first-name A --last-name B --role PROVIDER --status invited'
$invite
ops outbox unmark EVE@example.org --json
ops outbox unmark eve@example.org
EVE=$($invite)
ops users audit

# A mail that cannot be read is listed, and found by the audit.
ops outbox list --json | sed 's/.*"id":"\(MAIL#[^"]*\)".*/\1/' | while read mail; do ops outbox cancel $mail 2>/dev/null; done
put presence-users '{"pk": {"S": "USER#7"}, "sk": {"S": "MAIL#1"}, "outbox": {"S": "pending"}, "due_at": {"N": "1"}}'
ops outbox list --json
ops outbox list
ops users audit
