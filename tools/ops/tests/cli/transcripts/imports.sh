# An import that runs again changes nothing.
printf '%s\n' '{"id": 42, "name": "Fast Retailer"}' '{"id": 43, "name": "Slow Retailer"}' >orgs.jsonl
ops import orgs orgs.jsonl --dry-run --json
count presence-businesses
ops import orgs orgs.jsonl --json
BEFORE=$(content presence-businesses)
ops import orgs orgs.jsonl
[ "$BEFORE" = "$(content presence-businesses)" ]

# A changed row is an update. A dry run counts it and writes nothing.
sed s/Fast/Faster/ orgs.jsonl >changed.jsonl
echo nonsense >>changed.jsonl
ops import orgs changed.jsonl --dry-run --json
[ "$BEFORE" = "$(content presence-businesses)" ]
ops import orgs changed.jsonl --json
ops orgs list
echo '{"id": "b1", "org_id": 42, "name": "Corner shop", "city": "Lyon"}' | ops import businesses -
echo '{"id": "b1", "org_id": 43, "name": "Corner shop", "city": "Paris"}' | ops import businesses - --json

# Rejected rows are listed in order, with line, reason and text. A line that is too long is not copied.
shop() { echo '{"id": "'$1'", "org_id": '$2', "name": "Corner shop", "city": "'$3'"}'; }
{ shop b1 42 Saint-Étienne; echo; echo '{"id":"b2"'; shop b3 99 Lyon; printf '\377\n'; } >shops.jsonl
{ printf '{"id":"'; head -c 2097152 /dev/zero | tr '\0' x; echo '"}'; shop b4 43 '' | tr -d '\n'; } >>shops.jsonl
ops import businesses shops.jsonl --json
sed 's/xxxxx*/x…/' shops.jsonl.rejected.jsonl
[ $(wc -c <shops.jsonl.rejected.jsonl) -lt 4000 ]

# The file of rejected rows is that of the last run. Earlier ones are kept under their time.
echo '{"id": 42}' >kept.jsonl
ops import orgs kept.jsonl
printf '%s\n' '{"id": 43}' '{"id": 44}' >kept.jsonl
ops import orgs kept.jsonl
cat kept.jsonl.rejected.jsonl
cp orgs.jsonl kept.jsonl
ops import orgs kept.jsonl
ls kept.* | sed 's/2[0-9]\{7\}T[0-9]\{6\}Z\(-2\)*/TIME/'
cat kept.jsonl.rejected.2* | sort

# An import stops when the first hundred rows are all rejected.
seq 150 | sed 's/.*/{"id": "&", "name": "x"}/' | cat - orgs.jsonl >first.jsonl
BEFORE=$(content presence-businesses)
ops import orgs first.jsonl --json
[ "$BEFORE" = "$(content presence-businesses)" ]
ops import orgs first.jsonl --json --max-errors 1000
seq 150 | sed 's/.*/{"id": "&", "name": "x"}/' | cat orgs.jsonl - >late.jsonl
ops import orgs late.jsonl --json

# An import of any kind stops at the row that --max-errors names.
printf '%s\n' {} {} {} {} {} >wrong.jsonl
for kind in orgs businesses categories reviews; do
 rm -f wrong.jsonl.rejected.jsonl; ops import $kind wrong.jsonl --max-errors 3 --json || echo "exit code $?"; wc -l <wrong.jsonl.rejected.jsonl; done
ops import orgs orgs.jsonl --max-errors 0

# A file of another type or kind is named before anything is written.
printf 'id,name\n42,Fast Retailer\n' >csv
ops import orgs csv --json
printf '[{"id": 42, "name": "Fast Retailer"},\n{"id": 43, "name": "Slow Retailer"}]' >array
ops import orgs array --json
printf '{\n  "id": 42,\n  "name": "Fast Retailer with a name that is longer than the first bytes of the file that are read"\n}\n' >pretty
ops import orgs pretty --json
printf '\037\213\010\000\000\000' >gzip
ops import orgs gzip --json
iconv -f UTF-8 -t UTF-16LE orgs.jsonl >utf_16
ops import orgs utf_16 --json
printf '{\n"id": 42,\n"name": "x"\n}\n' >lines
ops import orgs lines --json
ops import businesses orgs.jsonl --json
ops import orgs - <array
shop b1 42 y >shop.jsonl
ops import orgs shop.jsonl --json
echo '{"id":"c1","code":"x","names":{}}' | ops import reviews -
[ "$BEFORE" = "$(content presence-businesses)" ]
cp array wrong.jsonl
ops import reviews wrong.jsonl
wc -l <wrong.jsonl.rejected.jsonl

# Rows are read from standard input.
{ cat orgs.jsonl; echo {}; } | ops import orgs - --json
cat stdin.rejected.jsonl

# The last row of an id wins.
for round in $(seq 0 39); do for id in 1 2 3; do echo '{"id": '$id', "name": "Round '$round'"}'; done; done | ops import orgs - --json
ops orgs list

# Four hundred businesses are created, then unchanged.
for number in $(seq 200); do shop a$number 42 Lyon; shop b$number 43 Lyon; done >many.jsonl
ops import businesses many.jsonl --json
ops import businesses many.jsonl --json

# A file that cannot be read fails, and an empty one is imported.
ops import orgs nowhere.jsonl
ops import orgs .
echo >empty.jsonl
ops import orgs empty.jsonl --json

# Without tables, the summary has the counts, and says that the import stopped.
ops import orgs orgs.jsonl --json --prefix gone-
ops import orgs orgs.jsonl --prefix gone-
