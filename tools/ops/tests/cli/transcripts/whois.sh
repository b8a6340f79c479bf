# A key and its id name the owner. The key is not repeated.
echo '{"id": 42, "name": "Fast Retailer"}' | ops import orgs -
ZOE=$(ops user create --email zoe@example.org --first-name Zoe --last-name Martin --role ORG_ADMIN --org-id 42)
KEY=$(ops key issue --user $ZOE --label laptop --expires 90d)
echo $KEY | ops key whois --json
printf %s $KEY | ops key whois --json
ID=$(ops key list --user $ZOE --json | sed 's/^\[{"id":"\([^"]*\)".*/\1/')
printf '  %s\r\n' $ID | ops key whois --json
echo $KEY | ops key whois

# A key that gives no access any more is known by its state.
ops key revoke --yes $ID
echo $KEY | ops key whois --json
OTHER=$(ops key issue --user $ZOE)
OTHERID=$(echo $OTHER | ops key whois --json | sed 's/^{"id":"\([^"]*\)".*/\1/')
ops key rotate $OTHERID --overlap 0h
echo $OTHER | ops key whois --json

# Unknown keys exit with 3, and are not repeated.
echo pk_ExampleKeyOfTheProvider00000002Y4yOn | ops key whois
echo $OTHER | sed s/pk_/pk-/ | ops key whois
echo $OTHER | cut -c1-38 | ops key whois --json
echo $ZOE-0123456789ab | ops key whois
echo 7-0123456789ab | ops key whois
echo nonsense | ops key whois

# An empty input is wrong usage, and an argument is, too.
printf '' | ops key whois
echo | ops key whois
printf '  \n7-0123456789ab\n' | ops key whois
ops key whois 7-0123456789ab --json

# A user is named by its id or its address.
ops key list --user ZOE@example.org --json | wc -l
ops key list --user nobody@example.org
ops users show zoe@example.org | head -2
ops audit --user zoe@example.org --since 2020-01-01 --json | wc -l
ops audit --user zoe@example.org --since 2999-01-01T00:00:00Z
ops audit --since yesterday
