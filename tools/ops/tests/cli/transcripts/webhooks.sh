# Webhooks are listed by organisation, and their addresses by the host alone.
ops webhooks list
put presence-events '{"pk": {"S": "WEBHOOK-ORGS"}, "sk": {"S": "0000000000000042"}}'
put presence-events '{"pk": {"S": "WEBHOOKS#0000000000000042"}, "sk": {"S": "WEBHOOK#3"}, "id": {"S": "42-3f00ab12cd34"},
    "url": {"S": "https://hooks.example.com/secret"}, "types": {"L": [{"S": "review.*"}]}, "label": {"S": "Till"}, "version": {"N": "1"},
    "secrets": {"L": [{"L": [{"S": "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="}, {"NULL": true}]}]},
    "created_at": {"N": "1772366400000"}, "progress": {"S": "{\"cursor\":0,\"parked\":[],\"claim\":null,\"resume_at\":null,\"failing_since\":null,\"nothing_taken_since\":null,\"disabled_at\":null}"}}'
ops webhooks list
ops webhooks list --org 42 --json
ops webhooks list --org 43 --json

# One is shown with its newest deliveries.
ops webhooks show 42-3f00ab12cd34
ops webhooks show 42-3f00ab12cd34 --json
ops webhooks show 42-400000000000
ops webhooks show till

# Events are sent again, and a webhook is disabled, each with a record.
ops webhooks replay 42-3f00ab12cd34 --after 42-0
ops webhooks replay 42-3f00ab12cd34 --after 42-7
ops webhooks replay 42-3f00ab12cd34 --after 43-0
ops webhooks disable 42-3f00ab12cd34 --json
ops webhooks disable 42-3f00ab12cd34
ops webhooks disable 42-400000000000
ops webhooks list --json
ops audit --org 42 --json
