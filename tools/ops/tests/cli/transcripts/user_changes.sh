# A user is deleted with its keys, after a question.
echo '{"id": 42, "name": "Fast Retailer"}' | ops import orgs -
ZOE=$(ops user create --email zoe@example.org --first-name Zoe --last-name Martin --role ORG_ADMIN --org-id 42)
ops key issue --user $ZOE
ops users delete $ZOE
ops users delete $ZOE --yes --json
ops users show $ZOE
ops users delete $ZOE --yes
count presence-api-keys
ops users audit
ops user create --email zoe@example.org --first-name Zoe --last-name Martin --role PROVIDER
ops audit --user $ZOE

# A user who is invited again loses password and keys, and gets a mail.
ANN=$(ops user create --email ann@example.org --first-name Ann --last-name Martin --role PROVIDER)
ops key issue --user $ANN
ops users set-status $ANN invited
ops users show $ANN --json
ops users set-status $ANN invited --yes --json
ops users show $ANN --json
ops users set-status $ANN invited --yes
ops users audit

# The present status is no change, and no question.
BOB=$(ops user create --email bob@example.org --first-name Bob --last-name Martin --role BUSINESS_MANAGER --org-id 42)
ops users set-status $BOB active --json
ops users set-status $BOB waiting --yes
ops users set-status 7 active --yes

# Changes are in the audit trail. One without effect is not.
ops users set-status $BOB invited --yes
ops users set-status $BOB invited --yes
ops users set-status $BOB active --yes
ops users delete $BOB --yes
ops audit --user $BOB
