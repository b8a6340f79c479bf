# The id of a created user is the only output.
ZOE=$(ops user create --email zoe@example.org --first-name Zoe --last-name Martin --role PROVIDER)
echo $ZOE
ops user create --email ann@example.org --first-name Ann --last-name Martin --role PROVIDER --json
ops users audit

# An address has one user.
ops user create --email ZOE@example.org --first-name A --last-name B --role PROVIDER

# Every role but PROVIDER needs an organisation.
ops user create --email bob@example.org --first-name Bob --last-name Martin --role ORG_ADMIN
ops user create --email bob@example.org --first-name Bob --last-name Martin --role BUSINESS_MANAGER

# The organisation must exist: nothing is written.
BEFORE=$(content presence-users)
ops user create --email bob@example.org --first-name Bob --last-name Martin --role ORG_ADMIN --org-id 501
[ "$BEFORE" = "$(content presence-users)" ]
printf '%s\n' '{"id": 42, "name": "Fast Retailer"}' '{"id": 7, "name": "Small Retailer"}' | ops import orgs -
BOB=$(ops user create --email bob@example.org --first-name Bob --last-name Martin --role ORG_ADMIN --org-id 42)

# Values that are wrong usage: nothing is written.
BEFORE=$(content presence-users)
create='ops user create --email x@example.org --first-name Zoe --last-name Martin --role PROVIDER'
ops user create --email zoe --first-name Zoe --last-name Martin --role PROVIDER
ops user create --email zoë@example.org --first-name Zoe --last-name Martin --role PROVIDER
ops user create --email x@example.org --first-name Zoe --last-name Martin --role provider
$create --status waiting
$create --lang nl
$create --phone call-me
$create --org-id 0
$create --business-id b1
ops user create --email x@example.org --first-name Zoe --role PROVIDER
[ "$BEFORE" = "$(content presence-users)" ]

# Businesses of a user are of its organisation.
printf '%s\n' '{"id": 42, "name": "Fast Retailer"}' '{"id": 43, "name": "Slow Retailer"}' | ops import orgs -
printf '%s\n' >shops.jsonl \
    '{"id": "b1", "org_id": 42, "name": "Corner shop", "city": ""}' '{"id": "b2", "org_id": 43, "name": "Corner shop", "city": ""}'
ops import businesses shops.jsonl
manager='ops user create --email cyd@example.org --first-name Cyd --last-name M --role BUSINESS_MANAGER --org-id 42'
$manager --business-id b1 --business-id b2 --business-id b3
CYD=$($manager --business-id b1 --business-id b1 --lang fr --phone +33-4)
ops users audit

# Users are found by address, local part and domain.
ADA=$(ops user create --email Ada@example.com --first-name Ada --last-name L --role ORG_ADMIN --org-id 7)
INV=$(ops user create --email ada@example.net --first-name Ada --last-name M --role PROVIDER --status invited --no-mail)
ops users find ADA@example.com --json
ops users find 'ada@*' | sort -t'	' -k5
ops users find '*@EXAMPLE.org' | sort -t'	' -k5
ops users find 'nobody@*' --json
ops users find ada@example.net
ops users find '*@nowhere.example'
ops users find 'mart zoe'
ops users find martim
for wrong in ' ' '*' '*@*' @example.org; do ops users find "$wrong" --json || echo "exit code $?"; done

# Users are listed by organisation, status and role.
ops users list
ops users list --json
ops users list --org 42
ops users list --org 7 --status invited
ops users list --role ORG_ADMIN --status active
ops users list --org 8
ops users list --status waiting

# A user is shown with its keys, its mail and its links, and without a secret.
ops key issue --user $CYD --label laptop
ops users show $CYD --json
ops users show $CYD
JOE=$(ops user create --email joe@example.org --first-name Joe --last-name Martin --role PROVIDER --status invited)
ops users show $JOE --json
ops users show $JOE
ops users show 7
ops users show x

# The audit finds users of an organisation that does not exist.
dynamodb DeleteItem '{"TableName": "presence-businesses", "Key": {"pk": {"S": "ORG#7"}}}'
ops users audit
echo '{"id": 7, "name": "Small Retailer"}' | ops import orgs -

# The audit finds an orphaned reservation of an address.
ops users audit --json
put presence-users '{"pk": {"S": "EMAIL#ghost@example.org"}, "sk": {"S": "EMAIL"}, "user_id": {"S": "7"}}'
ops users audit
ops users audit --json
