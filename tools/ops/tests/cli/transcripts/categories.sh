# An import of categories that runs again changes nothing and keeps the version.
category() { echo '{"id": "'$1'", "code": "code_'$1'", "names": {"GB": "'$2'", "FR": "Nom"}, "ancestors": {"GB": ["Shop"]},
        "partners": {"partner_4": [{"id": "a1", "name": "'$2'"}]}}' | tr -d '\n'; echo; }
for number in $(seq 0 249); do category c$number Shop$number; done >categories.jsonl
{ cat categories.jsonl; echo nonsense; } >nonsense.jsonl
ops import categories nonsense.jsonl --dry-run --json
count presence-categories
ops import categories categories.jsonl --json
version() { dynamodb GetItem '{"TableName": "presence-categories", "Key": {"pk": {"S": "DIRECTORY"}}, "ProjectionExpression": "version"}'; }
version
count presence-categories
BEFORE=$(content presence-categories)
ops import categories categories.jsonl
[ "$BEFORE" = "$(content presence-categories)" ]

# A dry run counts and writes nothing. Another row is a new version.
{ sed 's/Shop7"/Seven"/g' categories.jsonl; category new New; } >changed.jsonl
ops import categories changed.jsonl --dry-run --json
[ "$BEFORE" = "$(content presence-categories)" ]
category c7 Renamed | ops import categories - --json
version
count presence-categories

# Rejected rows have reasons, and the others are stored.
echo '{"id":"c2"' >wrong.jsonl
{ category a/b Bank; category c3 ''; category d1 Bank; echo '{"id":"c4","code":"x","names":{"en":"Bank"}}'; } >>wrong.jsonl
printf '%s\n' '{"id":"c5","code":"x","names":{},"partners":{"partner_13":[]}}' '{"id":"c6","code":"x","names":{},"partners":{"partner_4":["a"]}}' >>wrong.jsonl
category d2 School >>wrong.jsonl
ops import categories wrong.jsonl --json
cat wrong.jsonl.rejected.jsonl
count presence-categories

# The last row of an id wins.
for round in $(seq 0 39); do category e1 One$round; category e2 Two; done | ops import categories - --json
ops export categories | grep '"e1"'
