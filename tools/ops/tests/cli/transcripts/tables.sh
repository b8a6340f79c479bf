# Existing tables are listed apart from created ones. The prefix comes from an option or from the environment.
ops tables create
ops --json tables create
TABLE_PREFIX=test- ops tables create --json
ops tables create --endpoint $AWS_ENDPOINT_URL_DYNAMODB/ --prefix other-
url=$AWS_ENDPOINT_URL_DYNAMODB; AWS_ENDPOINT_URL_DYNAMODB= ops tables create --endpoint $url --prefix other-

# Missing tables are named without the words of the SDK.
ops users audit --prefix gone-
ops users audit --prefix gone- --json
ops users audit --profile gone --json
ops users list --prefix 'no?'

# An endpoint that does not answer is one line.
AWS_ENDPOINT_URL_DYNAMODB=http://127.0.0.1:1 ops outbox list

# An endpoint that is no URL of HTTP is wrong usage.
for url in 127.0.0.1:8000 localhost:8000 http:// ftp://127.0.0.1 x; do
    AWS_ENDPOINT_URL_DYNAMODB=$url ops users list --json || echo "exit code $?"; ops users list --json --endpoint $url || echo "exit code $?"; done

# Wrong usage exits with 2, with --json as an object.
for wrong in fly 'tables drop' 'import orgs' 'import orgs a b' 'key issue' 'key revoke' --nope; do ops $wrong --json || echo "exit code $?"; done
ops reviews rebuild
ops reviews rebuild --org 0 --json
ops restore plan --at 2026-11-22T12:00:00Z --execute --json
ops
ops tables
ops key --json

# Help exits with 0.
for command in help 'help import' 'import businesses --help' 'user create --help' 'key rotate --help'; do ops $command | grep 'Usage: ops'; done
ops --help | grep 'Exit codes:'
ops import categories --help | grep 'Categories that are not in the file'

# The plan of a restore is printed even if the tables cannot be restored. It names the table of reviews that were loaded.
ops restore plan --at 2026-03-01T12:00:00Z
TABLE_PREFIX=presence- ops restore plan --at 2026-03-01T12:00:00Z --json --prefix new-
TABLE_PREFIX=presence- REVIEWS_TABLE=presence-reviews-1 ops restore plan --at 2026-03-01T12:00:00Z --json --prefix new- | grep -o 'presence-reviews-1 --target[^"]*'
TABLE_PREFIX=presence- REVIEWS_TABLE=presence-reviews-1 ops restore plan --at 2026-03-01T12:00:00Z --json --prefix new- | grep -o 'TABLE_PREFIX=new-[^"]*'

# The instant of a restore is a whole second with a time zone.
ops restore plan --json
for at in yesterday 2026-03-01T12:00:00 2026-03-01T12:00:00.5Z '2026-03-01T12:00:00Z --yes'; do ops restore plan --at $at --json || echo "exit code $?"; done
