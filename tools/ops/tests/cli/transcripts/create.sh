# Organisations and users.
ops orgs create 'Fast Retailer'
ops orgs create 'Café Azul' --id 7
ops orgs create 'Another' --id 7
ops orgs create ' '
ops orgs create 'Third'
ops orgs list --json
ZOE=$(ops users create --email zoe@example.org --first-name Zoe --last-name Martin --role ORG_ADMIN --org 7)
ops users create --email ann@example.org --first-name Ann --last-name Lee --role ORG_ADMIN --org 9
ops users create --email ann@example.org --first-name Ann --last-name Lee --role PROVIDER --status invited --json
ops users show zoe@example.org --json | grep -o '"org_id":7'

# The former name.
ops user create --email bob@example.org --first-name Bob --last-name Lee --role ORG_ADMIN --org-id 7 >/dev/null
ops --help | grep -c '^  user '
