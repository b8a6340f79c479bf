# Commands are recorded with their author and the key.
ZOE=$(ops user create --email zoe@example.org --first-name Zoe --last-name Martin --role PROVIDER --phone 12)
ops key issue --user $ZOE
FIRST=$(ops key list --user $ZOE --json | sed 's/^\[{"id":"\([^"]*\)".*/\1/')
SECOND=$(ops key rotate $FIRST --json | sed 's/.*"id":"\([^"]*\)".*/\1/')
ops key revoke $SECOND
ops audit --user $ZOE
ops audit --user $ZOE --json
ops audit --key $FIRST --json

# A command without effect leaves no record.
BEFORE=$(content presence-audit)
ops key revoke $SECOND
ops user create --email zoe@example.org --first-name A --last-name B --role PROVIDER
ops key revoke $ZOE-0123456789ab
[ "$BEFORE" = "$(content presence-audit)" ]

# A business that leaves its organisation is a change of those who had it.
printf '%s\n' '{"id": 1, "name": "One"}' '{"id": 2, "name": "Two"}' | ops import orgs -
echo '{"id": "b1", "org_id": 1, "name": "Shop", "city": ""}' | ops import businesses -
ADA=$(ops user create --email ada@example.org --first-name A --last-name B --role BUSINESS_MANAGER --org-id 1 --business-id b1)
BOB=$(ops user create --email bob@example.org --first-name A --last-name B --role BUSINESS_MANAGER --org-id 1)
echo '{"id": "b1", "org_id": 2, "name": "Shop", "city": ""}' | ops import businesses -
ops audit --org 1 --json

# An id that nothing is recorded of prints nothing.
for options in '--user 7' '--user nobody' '--actor 7' '--actor nobody' '--org 7' '--key 7-0123456789ab' '--key x'; do ops audit $options || echo "exit code $?"; done
for wrong in '--since 401d' '--since soon' '--org x'; do ops audit $wrong --json || echo "exit code $?"; done

# A record of a later version is named and not guessed.
AT=$(date +%s)
put presence-audit '{"target": {"S": "USER#7"}, "at": {"S": "'$AT'000#0000000000000007"}, "format": {"N": "2"}, "actor": {"S": "a"},
    "action": {"S": "update"}, "org": {"S": "-"}, "fields": {"L": []}, "ttl": {"N": "'$AT'999"}}'
ops audit --user 7
