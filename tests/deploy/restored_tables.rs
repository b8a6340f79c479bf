//! Tables that a restore made: the stack that takes them in, and the parameters of the main stack that choose them.

use std::collections::BTreeMap;

use presence_store::restore::restored_tables;
use presence_store::schema::TABLES;
use serde_json::{Value, json};

use super::tables::expected;
use super::template::{TEMPLATE, main_template, read, root};

const STACK: &str = "shared/stacks/restored-tables.yaml";

/// Returns each choice between restored tables and the stack's own: the value of both.
fn choices(value: &Value) -> Vec<(Value, Value)> {
    match value {
        Value::Array(items) => items.iter().flat_map(choices).collect(),
        Value::Object(_) if ["UsesRestoredTables", "UsesOtherReviews"].iter().any(|one| value["Fn::If"][0] == *one) => {
            vec![(value["Fn::If"][1].clone(), value["Fn::If"][2].clone())]
        }
        Value::Object(fields) => fields.values().flat_map(choices).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn stack_of_restored_tables_has_those_that_a_restore_makes() {
    let stack = read(STACK);
    let mut declared: BTreeMap<_, _> = stack["Resources"]
        .as_object()
        .expect("resources")
        .values()
        .map(|table| (table["Properties"]["TableName"]["Fn::Sub"].to_string(), table))
        .collect();
    for table in restored_tables() {
        let name = json!(format!("${{TablePrefix}}{}", table.name));
        let declared = declared.remove(&name.to_string()).unwrap_or_else(|| panic!("{name}"));
        let mut properties = expected(table);
        properties["TableName"] = json!({ "Fn::Sub": name });
        // Only a first deployment is without protection, and a restore is none.
        properties["DeletionProtectionEnabled"] = json!(true);
        // No stage gives its tags to this stack.
        properties["Tags"] = json!([{ "Key": "Service", "Value": "presence" }]);
        assert_eq!(declared["Properties"], properties, "{name}");
        assert_eq!(declared["Type"], "AWS::DynamoDB::Table");
        // An import demands the first one.
        assert_eq!(
            (&declared["DeletionPolicy"], &declared["UpdateReplacePolicy"]),
            (&json!("Retain"), &json!("Retain"))
        );
    }
    assert!(declared.is_empty(), "{declared:?}");
}

#[test]
fn stack_of_restored_tables_can_be_imported_and_means_the_same_as_the_main_stack() {
    let (stack, main) = (read(STACK), main_template());
    // An import may neither add outputs nor run a transform.
    assert_eq!((&stack["Outputs"], &stack["Transform"]), (&Value::Null, &Value::Null));
    for section in ["Parameters", "Conditions"] {
        for (name, value) in stack[section].as_object().expect("a section") {
            let is_same = *value == main[section][name];
            // The prefix has no default there: an empty one would name the tables that run.
            assert!(is_same || (name == "TablePrefix" && value["Default"] == Value::Null), "{name}");
        }
    }
}

#[test]
fn whatever_names_a_table_of_the_stack_names_the_restored_one_if_there_is_one() {
    let main = main_template();
    let names: Vec<_> = TEMPLATE.of_type("AWS::DynamoDB::Table").map(|table| table.name).collect();
    assert_eq!(names.len(), TABLES.len());
    let resources = json!([main["Resources"], main["Globals"], main["Outputs"]]);
    let found = choices(&resources);
    for (restored, own) in &found {
        let stream_of = |table: &str| *own == json!({ "Fn::GetAtt": [table, "StreamArn"] });
        let expected = match () {
            () if stream_of("UsersTable") => "ActiveTablesStream",
            () if stream_of("ReviewsTable") => "ActiveReviewsStream",
            () => "ActiveTables",
        };
        assert_eq!(restored, &json!({ "Ref": expected }), "{own}");
    }
    // Nothing names one of these tables without the choice.
    let mut text = resources.to_string();
    for (_, own) in &found {
        text = text.replace(&own.to_string(), "");
    }
    for table in names.into_iter().filter(|table| !["AuditTable", "EventsTable"].contains(table)) {
        assert!(
            !text.contains(&format!(r#"["{table}","#)) && !text.contains(&format!(r#""Ref":"{table}""#)),
            "{table}"
        );
    }
}

#[test]
fn each_command_of_the_guides_that_changes_the_tables_in_use_releases_all_at_once() {
    for guide in ["restore", "runbooks"] {
        let text = std::fs::read_to_string(root().join(format!("shared/docs/{guide}.md"))).expect("a guide");
        let words: Vec<_> = text.split_whitespace().collect();
        let text = words.join(" ");
        let commands: Vec<_> = text.split("tools/ci/deploy prod Active").skip(1).collect();
        assert_eq!(commands.len(), 2, "{guide}");
        for command in commands {
            let (command, _) = command.split_once('`').expect("the end of the command");
            assert!(command.contains("Release=AllAtOnce"), "{guide}: {command}");
        }
    }
}
