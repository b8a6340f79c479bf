# Organisations and businesses are listed as they are imported, businesses by city.
printf '%s\n' '{"id": 42, "name": "Fast Retailer"}' '{"id": 43, "name": "Slow Retailer"}' | ops import orgs -
shop() { echo '{"id": "'$1'", "org_id": '$2', "name": "Corner shop", "city": "'$3'"}'; }
{ shop b1 42 Saint-Étienne; shop b2 42 Lyon; shop b3 43 Lyon; shop b4 42 Lyonnais; } | ops import businesses -
ops orgs list --json | sort
ops businesses list --org 42
ops businesses list --org 42 --json
ops businesses list --org 42 --city LYON --json
ops businesses list --org 42 --city saint.etienne --json
ops businesses list --org 42 --city saint-etienne --json
ops businesses list --org 43 --json
ops businesses list --json

# A review is shown as it is imported.
printf '%s' >review.json \
    '{"business_id":"b1","partner":"partner_8","partner_id":"Ab12","key":"k","author_name":"Zoë","date":"2024-03-01T09:30:00+00:00",' \
    '"update_date":null,"delete_date":null,"rating":5,"title":null,"content":"Très bon accueil","reply_comment":null,' \
    '"state":"not_treated","link":null}'
ops import reviews review.json
REVIEW=$(dynamodb Scan '{"TableName": "presence-reviews"}' | sed 's/.*"R#\([^"]*\)".*/\1/')
ops reviews show $REVIEW --json
ops reviews show $REVIEW
ops reviews show zzzzzzzzzzzz
ops reviews show x

# Reviews are imported, counted and not written again.
for number in $(seq 90); do
    echo '{"business_id": "b'$((number % 3 + 1))'", "partner": "partner_8", "partner_id": "'$number'", "date": "2024-03-01", "rating": 5, "state": "treated"}'; done >reviews.jsonl
{ cat reviews.jsonl; echo {}; } | ops import reviews - --dry-run --json
count presence-reviews
ops import reviews reviews.jsonl --json
BEFORE=$(content presence-reviews)
ops import reviews reviews.jsonl
[ "$BEFORE" = "$(content presence-reviews)" ]
ops reviews audit
ops reviews audit --org 42 --json

# Rejected reviews have reasons.
wrong() { sed "1!d; s/$1/$2/" reviews.jsonl; }
{ wrong b2 b9; wrong 5 6; wrong 2024-03-01 2023-02-29; wrong partner_8 partner_2; wrong '"treated"' null; head -2 reviews.jsonl; } >wrong.jsonl
ops import reviews wrong.jsonl --json
cat wrong.jsonl.rejected.jsonl

# A table of any length has one header.
seq 1001 | sed 's/.*/{"id": &, "name": "Org &"}/' | ops import orgs -
ops orgs list | wc -l
ops orgs list | grep -c NAME
ops orgs list | tail -1
