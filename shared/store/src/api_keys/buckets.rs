//! Buckets of the limits of API keys, beside the keys.
//!
//! A bucket is an item of its own. A lease that is written late, after its key was deleted, brings back a bucket and never a key.
//! Transactions of users do not meet it. It expires a day after its last lease, when it is full again for any limit.

use std::collections::HashMap;

use aws_sdk_dynamodb::error::SdkError;
use aws_sdk_dynamodb::operation::update_item::UpdateItemError;
use aws_sdk_dynamodb::operation::update_item::builders::UpdateItemFluentBuilder;
use aws_sdk_dynamodb::types::{ReturnValue, ReturnValuesOnConditionCheckFailure};
use aws_smithy_runtime_api::http::Response;
use jiff::Timestamp;

use crate::client::errors::failed;
use crate::client::read::{Item, number, text};
use crate::keys::bucket_key;
use crate::{Database, schema};
use presence_domain::api_key::ApiKeyHash;
use presence_domain::error::Error;
use presence_domain::rate_limit::{LeaseRequest, TatChange};

/// Seconds for which a bucket is kept after its last lease.
const KEPT_SECONDS: i64 = 24 * 3_600;
/// Attribute with the theoretical arrival time, in microseconds since 1970.
const TAT: &str = "tat";

/// Buckets of the limits of API keys. Cheap to clone.
#[derive(Clone, Debug)]
pub struct RateLimitStore {
    db: Database,
}

/// Outcome of the request of a lease, with the arrival time of the bucket after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeaseOutcome {
    /// The tokens were taken.
    Granted(Timestamp),
    /// The arrival time does not meet the condition. Nothing was changed.
    Declined(Timestamp),
}

impl RateLimitStore {
    /// Builds the store. Makes no call.
    pub fn new(database: &Database) -> Self {
        Self { db: database.clone() }
    }

    /// Takes tokens out of the bucket of a key, by one write and no read.
    ///
    /// If a reply is lost, the SDK repeats the write. Then more tokens may be gone than the lease holds, and never fewer.
    pub async fn lease(&self, key: &ApiKeyHash, request: &LeaseRequest) -> Result<LeaseOutcome, Error> {
        let bucket = HashMap::from([("key_hash".to_owned(), text(bucket_key(key)))]);
        let update =
            self.db.dynamo.client.update_item().table_name(self.db.name(&schema::API_KEYS)).set_key(Some(bucket));
        let update = with_change(update, request.change)
            .expression_attribute_names("#ttl", "ttl")
            .expression_attribute_values(":ttl", number(request.asked_at.as_second() + KEPT_SECONDS))
            .return_values(ReturnValue::UpdatedNew)
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
        // On the heap: the SDK's futures are large.
        match Box::pin(update.send()).await {
            Ok(output) => tat(output.attributes()).map(LeaseOutcome::Granted),
            Err(error) => match present_item(&error) {
                Some(item) => tat(Some(item)).map(LeaseOutcome::Declined),
                None => Err(failed(error)),
            },
        }
    }
}

fn with_change(update: UpdateItemFluentBuilder, change: TatChange) -> UpdateItemFluentBuilder {
    let instant = |instant: Timestamp| number(instant.as_microsecond());
    match change {
        TatChange::Advance { by, start, from, to } => update
            .update_expression("SET tat = if_not_exists(tat, :start) + :by, #ttl = :ttl")
            .condition_expression("attribute_not_exists(tat) OR tat BETWEEN :from AND :to")
            .expression_attribute_values(":by", number(by.as_micros()))
            .expression_attribute_values(":start", instant(start))
            .expression_attribute_values(":from", instant(from))
            .expression_attribute_values(":to", instant(to)),
        TatChange::Restart { tat, before, after } => update
            .update_expression("SET tat = :tat, #ttl = :ttl")
            .condition_expression("attribute_not_exists(tat) OR tat < :before OR tat > :after")
            .expression_attribute_values(":tat", instant(tat))
            .expression_attribute_values(":before", instant(before))
            .expression_attribute_values(":after", instant(after)),
    }
}

/// Returns the item that did not meet a condition, if that is why the write failed.
fn present_item(error: &SdkError<UpdateItemError, Response>) -> Option<&Item> {
    match error.as_service_error()? {
        UpdateItemError::ConditionalCheckFailedException(failure) => failure.item(),
        _ => None,
    }
}

/// Returns the arrival time of a bucket.
fn tat(item: Option<&Item>) -> Result<Timestamp, Error> {
    let stored = item.and_then(|item| item.get(TAT)?.as_n().ok()?.parse().ok());
    let instant = stored.and_then(|microseconds| Timestamp::from_microsecond(microseconds).ok());
    instant.ok_or_else(|| Error::internal("a bucket has no arrival time"))
}
