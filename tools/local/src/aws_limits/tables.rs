//! Keys and indexes of tables, parsed from `DescribeTable`.

use serde_json::{Value, json};

use super::item::{Item, attributes};

/// Attribute names of a key: partition key, and sort key if there is one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct KeyNames {
    pub(super) partition: String,
    pub(super) sort: Option<String>,
}

/// Global secondary index.
#[derive(Clone, Debug)]
pub(super) struct IndexInfo {
    pub(super) name: String,
    pub(super) key: KeyNames,
    /// Projected attributes besides the keys, or `None` for all.
    projected: Option<Vec<String>>,
}

/// Table, as far as the limits need it.
#[derive(Clone, Debug)]
pub(super) struct TableInfo {
    pub(super) name: String,
    pub(super) key: KeyNames,
    pub(super) indexes: Vec<IndexInfo>,
    /// Request that makes a table like this one.
    pub(super) definition: Value,
}

/// Identity of an item in all tables: its table, and the values of its key.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct ItemName {
    pub(super) table: String,
    key: String,
}

impl KeyNames {
    pub(super) fn names(&self) -> impl Iterator<Item = &String> {
        std::iter::once(&self.partition).chain(&self.sort)
    }

    fn parse(schema: &Value) -> Option<Self> {
        let name = |kind: &str| {
            let element = schema.as_array()?.iter().find(|element| element["KeyType"] == kind)?;
            element["AttributeName"].as_str().map(str::to_owned)
        };
        Some(Self { partition: name("HASH")?, sort: name("RANGE") })
    }
}

impl TableInfo {
    /// Parses the response of `DescribeTable`.
    pub(super) fn parse(description: &Value) -> Option<Self> {
        let table = &description["Table"];
        let indexes = table["GlobalSecondaryIndexes"].as_array().cloned().unwrap_or_default();
        let mut definition = json!({
            "AttributeDefinitions": table["AttributeDefinitions"], "KeySchema": table["KeySchema"],
            "BillingMode": "PAY_PER_REQUEST",
        });
        if !indexes.is_empty() {
            definition["GlobalSecondaryIndexes"] = indexes.iter().map(index_definition).collect();
        }
        Some(Self {
            name: table["TableName"].as_str()?.to_owned(),
            key: KeyNames::parse(&table["KeySchema"])?,
            indexes: indexes.iter().map(IndexInfo::parse).collect::<Option<_>>()?,
            definition,
        })
    }

    pub(super) fn index(&self, name: &str) -> Option<&IndexInfo> {
        self.indexes.iter().find(|index| index.name == name)
    }

    /// Returns the key of an item, or `None` if an attribute of the key is missing.
    pub(super) fn key_of(&self, item: &Item) -> Option<Item> {
        attributes(item, self.key.names())
    }

    pub(super) fn item_name(&self, item: &Item) -> Option<ItemName> {
        let values: Option<Vec<String>> = self.key.names().map(|name| item.get(name).map(Value::to_string)).collect();
        Some(ItemName { table: self.name.clone(), key: values?.join(" ") })
    }

    /// Returns the partition key of an item as text.
    pub(super) fn partition_of(&self, item: &Item) -> Option<String> {
        item.get(&self.key.partition).map(Value::to_string)
    }
}

impl IndexInfo {
    fn parse(index: &Value) -> Option<Self> {
        let projection = &index["Projection"];
        let included = projection["NonKeyAttributes"].as_array().into_iter().flatten();
        let included = included.filter_map(|name| name.as_str().map(str::to_owned)).collect();
        Some(Self {
            name: index["IndexName"].as_str()?.to_owned(),
            key: KeyNames::parse(&index["KeySchema"])?,
            projected: (projection["ProjectionType"] != "ALL").then_some(included),
        })
    }

    /// Returns the entry of an item in the index, or `None` if the item lacks a key of the index.
    pub(super) fn entry(&self, table: &TableInfo, item: &Item) -> Option<Item> {
        attributes(item, self.key.names())?;
        let is_projected = |name: &String| {
            self.projected.as_ref().is_none_or(|projected| projected.contains(name))
                || self.key.names().chain(table.key.names()).any(|key| key == name)
        };
        Some(
            item.iter()
                .filter(|(name, _)| is_projected(name))
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect(),
        )
    }

    /// True if a change of the attribute changes the entry of its item.
    pub(super) fn follows(&self, attribute: &str) -> bool {
        self.projected.as_ref().is_none_or(|projected| projected.iter().any(|name| name == attribute))
            || self.key.names().any(|name| name == attribute)
    }
}

fn index_definition(index: &Value) -> Value {
    json!({ "IndexName": index["IndexName"], "KeySchema": index["KeySchema"], "Projection": index["Projection"] })
}
