//! Keys of the table of API keys. The item of an API key has the digest alone as its key.

use presence_domain::api_key::ApiKeyHash;
use presence_domain::idempotency::AnswerId;

/// Prefix of the keys of buckets.
pub const BUCKET_PREFIX: &str = "BUCKET#";
/// Prefix of the keys of kept answers.
pub const ANSWER_PREFIX: &str = "ANSWER#";

/// Returns the key of the bucket of an API key.
pub fn bucket_key(hash: &ApiKeyHash) -> String {
    format!("{BUCKET_PREFIX}{}", hash.as_hex())
}

/// Returns the key of the answer that is kept for a request.
pub fn answer_key(id: AnswerId) -> String {
    format!("{ANSWER_PREFIX}{}", id.as_hex())
}
