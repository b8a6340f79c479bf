//! Distinct shapes of requests: the requests of the store without their values.

use std::collections::BTreeSet;

use presence_tests::Attempt;
use serde_json::Value;

use super::PREFIX;
use super::expression::{EXPRESSIONS, spelled_out};

/// Each shape once, in order: operation, table, index and expressions, attributes spelled out.
pub(super) const KNOWN: [&str; 64] = [
    "BatchGetItem api-keys",
    "BatchGetItem businesses | id,org_id",
    "BatchGetItem businesses | id,org_id,city,other_org_id,revision",
    "BatchGetItem businesses | id,org_id,name,city,revision",
    "BatchGetItem businesses | pk,number,writer,businesses",
    "BatchGetItem reviews",
    "BatchGetItem users | id,business_ids",
    "BatchGetItem users | id,org,version,status,role,first_name,last_name,email,phone",
    "BatchGetItem users | id,status,role,org_id,first_name,last_name,email,email_key",
    "GetItem api-keys",
    "GetItem businesses",
    "GetItem categories",
    "GetItem reviews",
    "GetItem users",
    "PutItem api-keys | attribute_not_exists(key_hash) OR created_at <= :expired",
    "PutItem businesses",
    "PutItem businesses | attribute_not_exists(pk)",
    "PutItem businesses | attribute_not_exists(revision)",
    "PutItem businesses | revision = :number",
    "Query audit actor-index | actor = :partition AND at BETWEEN :from AND :to",
    "Query audit org-index | org = :partition AND at BETWEEN :from AND :to",
    "Query audit | target = :partition AND at BETWEEN :from AND :to",
    "Query businesses city-index | org_id = :partition",
    "Query businesses city-index | org_id = :partition AND city_listing BETWEEN :from AND :to",
    "Query reviews listing-index | org_id = :partition AND effective_listing BETWEEN :from AND :to",
    "Query reviews | pk = :partition",
    "Query users email-index | email_domain = :partition",
    "Query users outbox-index | outbox = :partition",
    "Query users status-index | org = :partition | listing,version,role,first_name,last_name,email,phone",
    "Query users | pk = :partition",
    "Scan api-keys",
    "Scan audit",
    "Scan businesses",
    "Scan categories",
    "Scan users",
    "Scan users email-index",
    "Scan users email-index | begins_with(email_key, :prefix)",
    "TransactGetItems Get api-keys",
    "TransactWriteItems ConditionCheck users | attribute_not_exists(pk) OR attribute_exists(cleared_at)",
    "TransactWriteItems Delete api-keys",
    "TransactWriteItems Delete categories",
    "TransactWriteItems Delete users",
    "TransactWriteItems Delete users | version = :version",
    "TransactWriteItems Put api-keys",
    "TransactWriteItems Put api-keys | attribute_not_exists(key_hash) OR created_at <= :expired",
    "TransactWriteItems Put audit",
    "TransactWriteItems Put categories",
    "TransactWriteItems Put users",
    "TransactWriteItems Put users | attribute_not_exists(pk)",
    "TransactWriteItems Put users | version = :version",
    "TransactWriteItems Update api-keys | attribute_exists(key_hash) AND attribute_not_exists(revoked_at) | SET expires_at = :expires_at",
    "TransactWriteItems Update api-keys | attribute_exists(key_hash) AND attribute_not_exists(revoked_at) | SET revoked_at = :now",
    "TransactWriteItems Update api-keys | attribute_exists(key_hash) | REMOVE limit",
    "TransactWriteItems Update api-keys | attribute_exists(key_hash) | SET limit = :limit",
    "TransactWriteItems Update api-keys | attribute_exists(key_hash) | \
     SET role = :role, active = :active, org_id = :org_id",
    "TransactWriteItems Update api-keys | attribute_exists(key_hash) | \
     SET role = :role, active = :active, org_id = :org_id, revoked_at = if_not_exists(revoked_at, :now)",
    "TransactWriteItems Update categories | attribute_not_exists(pk) | SET revision = :next, version = :version",
    "TransactWriteItems Update categories | revision = :revision | SET revision = :next",
    "TransactWriteItems Update categories | revision = :revision | \
     SET revision = :next, version = :version, languages = :languages, count = :count",
    "TransactWriteItems Update users | ADD active :active, invited :invited, admins :admins, digest :digest",
    "TransactWriteItems Update users | admins > :one | \
     ADD active :active, invited :invited, admins :admins, digest :digest",
    "UpdateItem api-keys | attribute_exists(key_hash) | SET last_used_at = :used_at",
    "UpdateItem api-keys | attribute_not_exists(tat) OR tat < :before OR tat > :after | SET tat = :tat, ttl = :ttl",
    "UpdateItem api-keys | attribute_not_exists(tat) OR tat BETWEEN :from AND :to | \
     SET tat = if_not_exists(tat, :start) + :by, ttl = :ttl",
];

/// The shapes of these requests.
pub(super) fn of(attempts: &[Attempt]) -> Vec<String> {
    attempts.iter().flat_map(shapes).collect::<BTreeSet<_>>().into_iter().collect()
}

fn shapes(attempt: &Attempt) -> Vec<String> {
    let request = &attempt.request;
    let operation = &attempt.operation;
    if let Some(actions) = request["TransactItems"].as_array() {
        let kinds = actions.iter().filter_map(Value::as_object).flatten();
        return kinds.map(|(kind, action)| shape(&format!("{operation} {kind}"), action)).collect();
    }
    if let Some(tables) = request["RequestItems"].as_object() {
        let named = tables.iter().map(|(name, wanted)| format!("{}{}", without_prefix(name), parts(wanted)));
        return named.map(|table| format!("{operation} {table}")).collect();
    }
    vec![shape(operation, request)]
}

fn shape(operation: &str, request: &Value) -> String {
    let table = without_prefix(request["TableName"].as_str().unwrap_or_default());
    let index = request["IndexName"].as_str().map(|index| format!(" {index}")).unwrap_or_default();
    format!("{operation} {table}{index}{}", parts(request))
}

fn parts(request: &Value) -> String {
    let given = EXPRESSIONS.iter().filter(|name| request[**name].is_string());
    given.flat_map(|name| [" | ".to_owned(), spelled_out(request, name)]).collect()
}

fn without_prefix(table: &str) -> &str {
    table.strip_prefix(PREFIX).unwrap_or(table)
}
