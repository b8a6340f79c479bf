//! Tables in two regions, an option: they are those of the template, but for what replication needs.

use serde_json::{Value, json};

use super::template::{main_template, read};

/// Properties that a table of one region has for itself, and a table of two regions in each replica, or not at all.
const OF_ONE_REGION: [&str; 6] = [
    "DeletionProtectionEnabled",
    "ImportSourceSpecification",
    "OnDemandThroughput",
    "PointInTimeRecoverySpecification",
    "StreamSpecification",
    "Tags",
];

/// Returns the tables of a template, each with the logical name.
fn tables(template: &Value, kind: &str) -> Vec<(String, Value)> {
    let resources = template["Resources"].as_object().expect("resources").iter();
    let tables = resources.filter(|(_, one)| one["Type"] == kind);
    tables.map(|(name, one)| (name.clone(), one.clone())).collect()
}

/// Returns the properties of a table that both kinds share, without what only an update of older tables has.
fn shared(table: &Value) -> Value {
    let mut properties = table["Properties"].as_object().expect("properties").clone();
    properties.retain(|name, _| name != "Replicas" && !OF_ONE_REGION.contains(&name.as_str()));
    for list in ["AttributeDefinitions", "GlobalSecondaryIndexes"] {
        let Some(items) = properties.get_mut(list).and_then(Value::as_array_mut) else { continue };
        items.retain(|item| item["Fn::If"].is_null());
        for item in items.iter_mut().filter_map(Value::as_object_mut) {
            item.remove("OnDemandThroughput");
        }
    }
    Value::Object(properties)
}

#[test]
fn tables_in_two_regions_have_the_names_keys_and_indexes_of_those_in_one() {
    let (one, two) = (main_template(), read("shared/stacks/global-tables.yaml"));
    let (one, two) = (tables(&one, "AWS::DynamoDB::Table"), tables(&two, "AWS::DynamoDB::GlobalTable"));
    assert_eq!(one.len(), two.len());
    for ((name, table), (global_name, global)) in one.iter().zip(&two) {
        assert_eq!(name, global_name);
        assert_eq!(shared(table), shared(global), "{name}");
        for policy in ["DeletionPolicy", "UpdateReplacePolicy"] {
            assert_eq!(table[policy], global[policy], "{policy} of {name}");
        }
    }
}

#[test]
fn each_table_in_two_regions_is_protected_and_recoverable_in_both() {
    let template = read("shared/stacks/global-tables.yaml");
    for (name, table) in tables(&template, "AWS::DynamoDB::GlobalTable") {
        let replicas = table["Properties"]["Replicas"].as_array().expect("replicas");
        let regions: Vec<_> = replicas.iter().map(|replica| &replica["Region"]["Ref"]).collect();
        assert_eq!(regions, ["AWS::Region", "SecondRegion"], "{name}");
        for replica in replicas {
            let recovery = json!({ "PointInTimeRecoveryEnabled": true });
            assert_eq!(replica["PointInTimeRecoverySpecification"], recovery, "{name}");
            let protection = json!({ "Fn::If": ["ProtectsTables", true, false] });
            assert_eq!(replica["DeletionProtectionEnabled"], protection, "{name}");
        }
        let stream = json!({ "StreamViewType": "NEW_AND_OLD_IMAGES" });
        assert_eq!(table["Properties"]["StreamSpecification"], stream, "{name}: replication needs both images");
    }
}
