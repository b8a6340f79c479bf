# Nothing is wrong.
ZOE=$(ops user create --email zoe@example.org --first-name Zoe --last-name Martin --role PROVIDER)
ops key issue --user $ZOE
ops doctor

# Missing tables are found.
ops doctor --json --prefix gone-
dynamodb DeleteTable '{"TableName": "presence-categories"}' >deleted
ops doctor --json

# What needs no decision is repaired, if that is asked for. All tables missing is more likely a wrong prefix.
ops doctor
ops doctor --fix
ops doctor --fix --yes
ops doctor --fix --yes --prefix gone-

# A PROVIDER without a key that gives access is found. The key of an administrator does not count.
KEYID=$(ops key list --user $ZOE --json | sed 's/^\[{"id":"\([^"]*\)".*/\1/')
ops key revoke $KEYID
ops doctor
echo '{"id": 42, "name": "Fast Retailer"}' | ops import orgs -
ADA=$(ops user create --email ada@example.org --first-name Ada --last-name Martin --role ORG_ADMIN --org-id 42)
ops key issue --user $ADA
ops doctor --json
ops key issue --user $ZOE

# Users of an organisation that does not exist are found.
dynamodb DeleteItem '{"TableName": "presence-businesses", "Key": {"pk": {"S": "ORG#42"}}}'
ops doctor --json
echo '{"id": 42, "name": "Fast Retailer"}' | ops import orgs -

# An item of a later format is found.
update() { dynamodb UpdateItem '{"TableName": "presence-users", "Key": {"pk": {"S": "USER#'$1'"}, "sk": {"S": "'$2'"}}, '"$3"'}'; }
update $ZOE USER '"UpdateExpression": "SET #f = :f", "ExpressionAttributeNames": {"#f": "format"}, "ExpressionAttributeValues": {":f": {"N": "99"}}'
ops doctor --json
update $ZOE USER '"UpdateExpression": "REMOVE #f", "ExpressionAttributeNames": {"#f": "format"}'
ops doctor

# A scheduled audit that is stale, or that found something, is found.
position() { put presence-reviews '{"pk": {"S": "AUDIT"}, "sk": {"S": "POSITION"}, "began_at": {"N": "'$1'"}, "open": {"L": ['"$2"']}}'; }
position $(date +%s)
ops doctor
position $(($(date +%s) - 360000))
ops doctor --json
wrong() { echo '{"M": {"org": {"N": "'$1'"}, "from": {"S": ""}, "to": {"S": ""}}}'; }
position $(date +%s) "$(wrong 42), $(wrong 43)"
ops reviews rebuild --org 42
ops doctor --json
ops doctor --fix --yes --json

# Mails that wait too long, that failed, or that cannot be read are found.
ANN=$(ops user create --email ann@example.org --first-name Ann --last-name Martin --role PROVIDER --status invited)
ops doctor
MAIL=$(ops outbox list --json | sed 's/.*"id":"\(MAIL#[^"]*\)".*/\1/')
move() { update $ANN $MAIL '"ExpressionAttributeValues": {":age": {"N": "960000"}},
    "UpdateExpression": "SET created_at = created_at '$1' :age, due_at = due_at '$1' :age, give_up_at = give_up_at '$1' :age"'; }
move -
ops doctor --json
move +
update $ANN $MAIL '"UpdateExpression": "SET #s = :s, outbox = :s", "ExpressionAttributeNames": {"#s": "state"}, "ExpressionAttributeValues": {":s": {"S": "failed"}}'
ops doctor --json
ops doctor --fix --yes
update $ANN $MAIL '"UpdateExpression": "SET #s = :s, outbox = :s REMOVE created_at", "ExpressionAttributeNames": {"#s": "state"},
    "ExpressionAttributeValues": {":s": {"S": "pending"}}'
ops doctor --json

# Tables with another key, without streams, time to live and indexes are found.
recreate() { dynamodb DeleteTable '{"TableName": "'$1'"}' >deleted; dynamodb CreateTable '{"TableName": "'$1'", "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": [{"AttributeName": "'$2'", "AttributeType": "S"}'"$4"'], "KeySchema": [{"AttributeName": "'$2'", "KeyType": "HASH"}'"$3"']}' >created; }
recreate presence-users pk ', {"AttributeName": "sk", "KeyType": "RANGE"}' ', {"AttributeName": "sk", "AttributeType": "S"}'
recreate presence-categories code
ops doctor --json
