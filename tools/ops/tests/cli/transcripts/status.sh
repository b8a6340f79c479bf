# Status has a line for each table and index, and the mails.
ZOE=$(ops user create --email zoe@example.org --first-name Zoe --last-name Martin --role PROVIDER)
ops status | grep -v '^version: ' | sed 's/\(ACTIVE[[:space:]]*[0-9]*[[:space:]]*\)[0-9]*/\1…/'
ops user create --email ann@example.org --first-name Ann --last-name Martin --role PROVIDER --status invited
ops status --json | sed 's/"version":"[^"]*"/"version":"…"/; s/"oldest_seconds":[0-9]*/"oldest_seconds":…/; s/"bytes":[0-9]*/"bytes":…/g'

# Status of missing tables says so.
ops status --json --prefix gone- | sed 's/"version":"[^"]*"/"version":"…"/'
ops status --prefix gone- | grep -v '^version: '
