# A key is printed once, on stdout.
ZOE=$(ops user create --email zoe@example.org --first-name Zoe --last-name Martin --role PROVIDER)
ops key issue --user $ZOE --label laptop --expires 90d
ops key list --user $ZOE
ops key issue --user $ZOE --expires 2w --json
ops key list --user $ZOE --json
ops users audit

# A user has at most five live keys.
ANN=$(ops user create --email ann@example.org --first-name Ann --last-name Martin --role PROVIDER)
for number in 1 2 3 4 5; do ops key issue --user $ANN --label $number 2>/dev/null; done
ops key issue --user $ANN
FIRST=$(ops key list --user $ANN --json | sed 's/^\[{"id":"\([^"]*\)".*/\1/')
ops key revoke $FIRST
ops key issue --user $ANN
ops key list --user $ANN

# A rotated key expires at the end of the overlap. The new one has its name.
BOB=$(ops user create --email bob@example.org --first-name Bob --last-name Martin --role PROVIDER)
ops key issue --user $BOB --label laptop
OLD=$(ops key list --user $BOB --json | sed 's/^\[{"id":"\([^"]*\)".*/\1/')
NEW=$(ops key rotate $OLD --json | sed 's/.*"id":"\([^"]*\)".*/\1/')
ops key list --user $BOB
ops key rotate $NEW --overlap 0h --label desk
ops key list --user $BOB
ops key rotate $NEW
ops users audit

# The overlap never prolongs a key, and a lost expiry is reported.
CYD=$(ops user create --email cyd@example.org --first-name Cyd --last-name Martin --role PROVIDER)
ops key issue --user $CYD --expires 30m
SHORT=$(ops key list --user $CYD --json | sed 's/^\[{"id":"\([^"]*\)".*/\1/')
ops key list --user $CYD >before
ops key rotate $SHORT --overlap 2w
ops key list --user $CYD | head -2 | cmp - before

# A limit is set, shown, recorded, and goes on to the next key.
DAN=$(ops user create --email dan@example.org --first-name Dan --last-name Martin --role PROVIDER)
ops key issue --user $DAN
LIMITED=$(ops key list --user $DAN --json | sed 's/^\[{"id":"\([^"]*\)".*/\1/')
ops key set-limit $LIMITED 600
ops key list --user $DAN
ops key rotate $LIMITED --overlap 0h
ops key list --user $DAN
ops key set-limit $LIMITED 0 --json
ops key set-limit $LIMITED 1000000 --json
ops key list --user $DAN
ops key set-limit $LIMITED --default --json
ops key list --user $DAN
ops audit --user $DAN
ops users audit

# A limit out of range is wrong usage.
for wrong in '' -1 1000001 '5 --default'; do ops key set-limit 7-0123456789ab $wrong --json || echo "exit code $?"; done

# A revoked key stays revoked, and is revoked once.
EVE=$(ops user create --email eve@example.org --first-name Eve --last-name Martin --role PROVIDER)
ops key issue --user $EVE
REVOKED=$(ops key list --user $EVE --json | sed 's/^\[{"id":"\([^"]*\)".*/\1/')
ops key revoke $REVOKED
BEFORE=$(content presence-api-keys; content presence-audit)
ops key revoke $REVOKED --json
[ "$BEFORE" = "$(content presence-api-keys; content presence-audit)" ]
ops key list --user $EVE

# Unknown users and keys exit with 3, and leave no record.
ops key issue --user 7
ops key issue --user nobody
ops key list --user 7
ops key list --user 007
ops key revoke $EVE-0123456789ab
ops key rotate $EVE-0123456789ab
ops key set-limit $EVE-0123456789ab 5
ops key set-limit nonsense --default
ops key revoke nonsense
[ "$BEFORE" = "$(content presence-api-keys; content presence-audit)" ]

# Only active users get keys.
FAY=$(ops user create --email fay@example.org --first-name Fay --last-name Martin --role PROVIDER --status invited)
ops key issue --user $FAY
ops key list --user $FAY
ops users set-status $FAY active --yes
ops key issue --user $FAY

# Durations out of bounds are wrong usage.
for wrong in 0h 11y 4000d; do ops key issue --user 7 --expires $wrong --json || echo "exit code $?"; done
for wrong in 91d 24 -1h; do ops key rotate 7-0 --overlap=$wrong --json || echo "exit code $?"; done

# A key may be for reading only, and for some networks. The next key is, too.
GUY=$(ops user create --email guy@example.org --first-name Guy --last-name Martin --role PROVIDER)
ops key issue --user $GUY --access read --network 203.0.113.0/24 --network 2001:db8::/32
ops key rotate $(ops key list --user $GUY --json | sed 's/^\[{"id":"\([^"]*\)".*/\1/') --overlap 0h
ops key list --user $GUY
for wrong in '--access write' '--network 203.0.113.5' '--network 203.0.113.5/24'; do ops key issue --user $GUY $wrong || echo "exit code $?"; done
