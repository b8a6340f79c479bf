//! Tables of the template compared with `schema.rs`.

use std::collections::BTreeMap;

use presence_store::schema::{Index, Key, Kind, Projected, TABLES, Table};
use serde_json::{Value, json};

use super::template::{Resource, TEMPLATE};

/// Returns a key schema in the form of the template.
fn key(key: &Key) -> Value {
    let kinds = ["HASH", "RANGE"];
    let parts = key.attributes().zip(kinds);
    parts.map(|((name, _), kind)| json!({ "AttributeName": name, "KeyType": kind })).collect()
}

/// Returns the caps of a table or index, which it has only if the operator sets both.
fn caps() -> Value {
    let caps =
        json!({ "MaxReadRequestUnits": { "Ref": "MaxReadUnits" }, "MaxWriteRequestUnits": { "Ref": "MaxWriteUnits" } });
    json!({ "Fn::If": ["HasCaps", caps, { "Ref": "AWS::NoValue" }] })
}

fn index(index: &Index) -> Value {
    let projection = match index.projected {
        Projected::All => json!({ "ProjectionType": "ALL" }),
        Projected::Only(names) => json!({ "ProjectionType": "INCLUDE", "NonKeyAttributes": names }),
    };
    json!({ "IndexName": index.name, "OnDemandThroughput": caps(), "KeySchema": key(&index.key), "Projection": projection })
}

fn attributes(table: &Table) -> BTreeMap<&'static str, &'static str> {
    let keys = std::iter::once(&table.key).chain(table.indexes.iter().map(|index| &index.key));
    let kind = |kind| match kind {
        Kind::Text => "S",
        Kind::Number => "N",
    };
    keys.flat_map(Key::attributes).map(|(name, of)| (name, kind(of))).collect()
}

/// Returns the expected properties of a table, with those that protect its data.
pub(super) fn expected(table: &Table) -> Value {
    let attributes = attributes(table).into_iter();
    let attributes = attributes.map(|(name, kind)| json!({ "AttributeName": name, "AttributeType": kind }));
    let mut properties = json!({
        "TableName": format!("${{AWS::StackName}}-{}", table.name),
        "BillingMode": "PAY_PER_REQUEST",
        "OnDemandThroughput": caps(),
        "AttributeDefinitions": attributes.collect::<Vec<_>>(),
        "KeySchema": key(&table.key),
        "PointInTimeRecoverySpecification": { "PointInTimeRecoveryEnabled": true },
        "SSESpecification": { "SSEEnabled": { "Fn::If": ["HasManagedKey", true, false] } },
        "DeletionProtectionEnabled": { "Fn::If": ["ProtectsTables", true, false] },
    });
    if !table.indexes.is_empty() {
        properties["GlobalSecondaryIndexes"] = table.indexes.iter().map(index).collect();
    }
    if let Some(images) = table.stream {
        properties["StreamSpecification"] = json!({ "StreamViewType": images.as_str() });
    }
    if let Some(attribute) = table.ttl {
        properties["TimeToLiveSpecification"] = json!({ "AttributeName": attribute, "Enabled": true });
    }
    properties
}

fn declared(table: Resource<'_>) -> Value {
    let mut properties = table.attribute("Properties").clone();
    properties["TableName"] = json!(TEMPLATE.text(&properties["TableName"]));
    properties
}

#[test]
fn the_template_has_the_tables_keys_and_indexes_of_the_code_and_no_others() {
    let declared: BTreeMap<_, _> = TEMPLATE
        .of_type("AWS::DynamoDB::Table")
        .map(declared)
        .map(|table| (table["TableName"].as_str().expect("a name").to_owned(), table))
        .collect();
    for table in &TABLES {
        let expected = expected(table);
        let name = expected["TableName"].as_str().expect("a name");
        assert_eq!(declared.get(name), Some(&expected), "{name}");
    }
    assert_eq!(declared.len(), TABLES.len());
}

#[test]
fn table_names_begin_with_the_name_of_the_stack_or_the_prefix_that_the_operator_chose() {
    let prefix = json!({ "Fn::If": ["HasTablePrefix", { "Ref": "TablePrefix" }, { "Fn::Sub": "${AWS::StackName}-" }] });
    for table in TEMPLATE.of_type("AWS::DynamoDB::Table") {
        assert_eq!(table.property("TableName")["Fn::Sub"][1], json!({ "Prefix": prefix }), "{}", table.name);
    }
    let variables = TEMPLATE.at(&["Globals", "Function", "Environment", "Variables"]);
    assert_eq!(variables["TABLE_PREFIX"], prefix);
    assert_eq!(TEMPLATE.at(&["Outputs", "TablePrefix", "Value"]), &prefix);
}

#[test]
fn a_stack_called_presence_has_the_tables_that_the_code_expects_by_default() {
    let table = TEMPLATE.text(TEMPLATE.resource("UsersTable").property("TableName"));
    let expected = format!("{}users", presence_runtime::config::Config::DEFAULT_TABLE_PREFIX);
    assert_eq!(table.replace("${AWS::StackName}", "presence"), expected);
}
