//! State of the tables as DynamoDB describes it, for operators.

use std::sync::{Arc, Mutex, PoisonError};

use aws_sdk_dynamodb::error::SdkError;
use aws_sdk_dynamodb::types::{
    AttributeDefinition, GlobalSecondaryIndexDescription, KeySchemaElement, KeyType, PointInTimeRecoveryStatus,
    Projection, ProjectionType, ScalarAttributeType, TableDescription, TimeToLiveStatus,
};
use aws_smithy_runtime_api::box_error::BoxError;
use aws_smithy_runtime_api::client::interceptors::Intercept;
use aws_smithy_runtime_api::client::interceptors::context::BeforeDeserializationInterceptorContextRef;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_types::config_bag::ConfigBag;
use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;
use serde::Serialize;

use crate::Database;
use crate::client::errors::failed;
use crate::schema::{Index, Key, Kind, Projected, Table};
use presence_domain::error::Error;

/// Table as DynamoDB describes it. Numbers are up to six hours old.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TableState {
    /// State such as `ACTIVE`.
    pub state: String,
    /// Number of items.
    pub items: u64,
    /// Size of the items in bytes.
    pub bytes: u64,
    /// True if the key is as this version defines it.
    pub has_key: bool,
    /// True if changes are streamed, with the images that the table of the code has; with any if that has no stream.
    pub streams: bool,
    /// Attribute with the expiry of items; `None` if items do not expire, or if that is not known.
    pub ttl: Option<String>,
    /// True if the table cannot be deleted; `None` if that is not known.
    pub is_protected: Option<bool>,
    /// True if point-in-time recovery is on; `None` if that is not known.
    pub is_recoverable: Option<bool>,
    /// Indexes, by name.
    pub indexes: Vec<IndexState>,
}

/// Index of a table as DynamoDB describes it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct IndexState {
    /// Name.
    pub name: String,
    /// State such as `ACTIVE`; `BACKFILLING` while it lacks items.
    pub state: String,
    /// Number of entries.
    pub items: u64,
    /// Size of the entries in bytes.
    pub bytes: u64,
    /// True if key and attributes are as this version defines them. False for an index that it does not know.
    pub is_as_defined: bool,
}

impl Database {
    /// Describes a table; `None` if it does not exist.
    ///
    /// An endpoint that does not know a call, and credentials that may not make it, leave what it would tell unknown.
    pub async fn describe(&self, table: &Table) -> Result<Option<TableState>, Error> {
        let describe = &self.dynamo.client.describe_table().table_name(self.name(table));
        let describe = || async move {
            match describe.clone().send().await {
                Ok(described) => Ok(Some(described.table.unwrap_or_else(|| TableDescription::builder().build()))),
                Err(SdkError::ServiceError(error)) if error.err().is_resource_not_found_exception() => Ok(None),
                Err(error) => Err(error),
            }
        };
        let Some(described) = self.retry_throttled(describe).await? else { return Ok(None) };
        let ttl = self.ttl_of(table).await?;
        Ok(Some(TableState { ttl, is_recoverable: self.recovery_of(table).await?, ..state_of(table, &described) }))
    }

    async fn ttl_of(&self, table: &Table) -> Result<Option<String>, Error> {
        let describe = self.dynamo.client.describe_time_to_live().table_name(self.name(table));
        let described = self.retry_throttled(|| describe.clone().send()).await;
        let Some(described) = unless_refused(described)? else { return Ok(None) };
        let ttl = described.time_to_live_description;
        let is_on =
            |status: &TimeToLiveStatus| [TimeToLiveStatus::Enabled, TimeToLiveStatus::Enabling].contains(status);
        let on = ttl.filter(|ttl| ttl.time_to_live_status.as_ref().is_some_and(is_on));
        Ok(on.and_then(|ttl| ttl.attribute_name))
    }

    async fn recovery_of(&self, table: &Table) -> Result<Option<bool>, Error> {
        let describe = self.dynamo.client.describe_continuous_backups().table_name(self.name(table));
        let described = self.retry_throttled(|| describe.clone().send()).await;
        let Some(described) = unless_refused(described)? else { return Ok(None) };
        let backups = described.continuous_backups_description;
        let recovery = backups.and_then(|backups| backups.point_in_time_recovery_description);
        let status = recovery.and_then(|recovery| recovery.point_in_time_recovery_status);
        Ok(Some(status == Some(PointInTimeRecoveryStatus::Enabled)))
    }

    /// Returns the time of the endpoint, to the second; `None` if its answers do not tell.
    pub async fn get_server_time(&self, table: &Table) -> Result<Option<Timestamp>, Error> {
        let date = ResponseDate::default();
        let describe = self.dynamo.client.describe_table().table_name(self.name(table)).customize();
        match describe.interceptor(date.clone()).send().await.map_err(failed) {
            // An error answer has a date too.
            Ok(_) | Err(Error::Internal(_)) => Ok(date.get()),
            Err(error) => Err(error),
        }
    }
}

/// Returns `None` for an answer that refuses the call itself.
fn unless_refused<T>(answer: Result<T, Error>) -> Result<Option<T>, Error> {
    match answer {
        Err(Error::Internal(_)) => Ok(None),
        answer => answer.map(Some),
    }
}

fn state_of(table: &Table, described: &TableDescription) -> TableState {
    let definitions = described.attribute_definitions();
    let stream = described.stream_specification();
    let are_streamed = |view| table.stream.is_none_or(|images| images.are_in(view));
    let index_state = |described| index_state(table, described, definitions);
    let mut indexes: Vec<_> = described.global_secondary_indexes().iter().map(index_state).collect();
    indexes.sort_unstable_by(|one, other| one.name.cmp(&other.name));
    TableState {
        state: described.table_status().map_or("ACTIVE", |status| status.as_str()).to_owned(),
        items: unsigned(described.item_count()),
        bytes: unsigned(described.table_size_bytes()),
        has_key: is_key(&table.key, described.key_schema(), definitions),
        streams: stream
            .is_some_and(|stream| stream.stream_enabled() && stream.stream_view_type().is_some_and(are_streamed)),
        is_protected: described.deletion_protection_enabled(),
        indexes,
        ..TableState::default()
    }
}

fn index_state(
    table: &Table,
    described: &GlobalSecondaryIndexDescription,
    definitions: &[AttributeDefinition],
) -> IndexState {
    let name = described.index_name().unwrap_or_default();
    let is_as_defined =
        |index: &Index| is_key(&index.key, described.key_schema(), definitions) && holds(index, described.projection());
    let state = described.index_status().map_or("ACTIVE", |status| status.as_str());
    let is_filling = described.backfilling().unwrap_or_default();
    IndexState {
        name: name.to_owned(),
        state: if is_filling { "BACKFILLING" } else { state }.to_owned(),
        items: unsigned(described.item_count()),
        bytes: unsigned(described.index_size_bytes()),
        is_as_defined: table.indexes.iter().any(|index| index.name == name && is_as_defined(index)),
    }
}

/// True if a described key has the attributes of a definition.
fn is_key(key: &Key, described: &[KeySchemaElement], definitions: &[AttributeDefinition]) -> bool {
    let attribute = |wanted: KeyType| {
        let element = described.iter().find(|element| *element.key_type() == wanted)?;
        let definition =
            definitions.iter().find(|definition| definition.attribute_name() == element.attribute_name())?;
        let kind = match definition.attribute_type() {
            ScalarAttributeType::S => Kind::Text,
            ScalarAttributeType::N => Kind::Number,
            _ => return None,
        };
        Some((element.attribute_name(), kind))
    };
    attribute(KeyType::Hash) == Some(key.partition) && attribute(KeyType::Range) == key.sort
}

/// True if a described projection has every attribute of a definition.
fn holds(index: &Index, described: Option<&Projection>) -> bool {
    let has_all = described.and_then(Projection::projection_type) == Some(&ProjectionType::All);
    match index.projected {
        _ if has_all => true,
        Projected::All => false,
        Projected::Only(names) => {
            let described = described.map(Projection::non_key_attributes).unwrap_or_default();
            names.iter().all(|name| described.iter().any(|described| described == name))
        }
    }
}

fn unsigned(number: Option<i64>) -> u64 {
    number.and_then(|number| u64::try_from(number).ok()).unwrap_or_default()
}

/// Interceptor that keeps the `Date` of an answer.
#[derive(Clone, Debug, Default)]
struct ResponseDate(Arc<Mutex<Option<Timestamp>>>);

impl ResponseDate {
    fn get(&self) -> Option<Timestamp> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Intercept for ResponseDate {
    fn name(&self) -> &'static str {
        "ResponseDate"
    }

    fn read_before_deserialization(
        &self,
        context: &BeforeDeserializationInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let date = context.response().headers().get("date");
        let date = date.and_then(|date| DateTimeParser::new().parse_timestamp(date).ok());
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = date;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{BUSINESSES, CITY_INDEX};

    fn element(name: &str, kind: KeyType) -> KeySchemaElement {
        KeySchemaElement::builder().attribute_name(name).key_type(kind).build().expect("both are set")
    }

    fn definition(name: &str, kind: ScalarAttributeType) -> AttributeDefinition {
        AttributeDefinition::builder().attribute_name(name).attribute_type(kind).build().expect("both are set")
    }

    #[test]
    fn key_has_the_names_and_kinds_of_its_definition() {
        let definitions =
            [definition("org_id", ScalarAttributeType::N), definition("city_listing", ScalarAttributeType::S)];
        let key = [element("org_id", KeyType::Hash), element("city_listing", KeyType::Range)];
        assert!(is_key(&CITY_INDEX.key, &key, &definitions));
        let text = [definition("org_id", ScalarAttributeType::S), definitions[1].clone()];
        assert!(!is_key(&CITY_INDEX.key, &key, &text), "another kind");
        assert!(!is_key(&CITY_INDEX.key, &key[..1], &definitions), "no sort key");
        assert!(!is_key(&BUSINESSES.key, &key, &definitions), "other names");
    }

    #[test]
    fn index_with_more_attributes_is_as_defined_and_one_with_fewer_is_not() {
        let projection = |kind, names: &[&str]| {
            let names = names.iter().map(|name| (*name).to_owned()).collect();
            Projection::builder().projection_type(kind).set_non_key_attributes(Some(names)).build()
        };
        assert!(holds(&CITY_INDEX, Some(&projection(ProjectionType::All, &[]))));
        assert!(holds(&CITY_INDEX, Some(&projection(ProjectionType::Include, &["id", "name", "city", "more"]))));
        assert!(!holds(&CITY_INDEX, Some(&projection(ProjectionType::Include, &["id", "name"]))));
        assert!(!holds(&CITY_INDEX, Some(&projection(ProjectionType::KeysOnly, &[]))));
        assert!(!holds(&CITY_INDEX, None));
    }
}
