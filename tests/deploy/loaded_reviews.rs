//! Tables of reviews that DynamoDB makes from a build: at a first deployment, or in a stack of its own beside the table in use.

use presence_store::schema::REVIEWS;
use serde_json::{Value, json};

use super::tables::expected;
use super::template::{main_template, read};

const STACK: &str = "shared/stacks/loaded-reviews.yaml";

/// Returns the source of an import: the bucket and the folder of the parameter.
fn import_source() -> Value {
    let parts = json!({ "Fn::Split": ["/", { "Ref": "ReviewsImport" }] });
    let folder = json!({ "Folder": { "Fn::Select": [1, parts] } });
    json!({
        "S3BucketSource": {
            "S3Bucket": { "Fn::Select": [0, parts] },
            // Without the slash, the parts of a folder whose name begins alike would be imported, too.
            "S3KeyPrefix": { "Fn::Sub": ["${Folder}/", folder] },
        },
        "InputFormat": "DYNAMODB_JSON",
        "InputCompressionType": "GZIP",
    })
}

#[test]
fn stack_of_loaded_reviews_has_the_table_of_the_code_made_from_the_parts_of_a_build() {
    let stack = read(STACK);
    assert_eq!(stack["Resources"].as_object().expect("resources").len(), 1);
    let table = &stack["Resources"]["ReviewsTable"];
    let mut properties = expected(&REVIEWS);
    properties["TableName"] = json!({ "Ref": "TableName" });
    properties["DeletionProtectionEnabled"] = json!(true);
    // No stage gives its tags to this stack.
    properties["Tags"] = json!([{ "Key": "Service", "Value": "presence" }]);
    properties["ImportSourceSpecification"] = import_source();
    assert_eq!(table["Properties"], properties);
    assert_eq!(table["Type"], "AWS::DynamoDB::Table");
    // A failed load leaves no table behind that blocks the next one, and a deleted stack keeps its data.
    assert_eq!(table["DeletionPolicy"], "RetainExceptOnCreate");
    assert_eq!(table["UpdateReplacePolicy"], "Retain");
    assert_eq!(stack["Outputs"]["StreamArn"]["Value"], json!({ "Fn::GetAtt": ["ReviewsTable", "StreamArn"] }));
    let main = main_template();
    for section in ["Parameters", "Conditions"] {
        for (name, value) in stack[section].as_object().expect("a section") {
            let is_own = ["TableName", "ReviewsImport"].contains(&name.as_str());
            assert!(is_own || *value == main[section][name], "{name}");
        }
    }
}

#[test]
fn first_deployment_makes_the_table_of_reviews_from_a_build_only_if_a_parameter_names_one() {
    let main = main_template();
    let source = &main["Resources"]["ReviewsTable"]["Properties"]["ImportSourceSpecification"];
    assert_eq!(source["Fn::If"], json!(["ImportsReviews", import_source(), { "Ref": "AWS::NoValue" }]));
    let others = main["Resources"].as_object().expect("resources").values();
    assert_eq!(others.filter(|one| !one["Properties"]["ImportSourceSpecification"].is_null()).count(), 1);
    // Both stacks take the parameter in the same form.
    let pattern = |template: &Value| template["Parameters"]["ReviewsImport"]["AllowedPattern"].clone();
    assert_eq!(pattern(&main), json!(format!("^$|{}", pattern(&read(STACK)).as_str().expect("a pattern"))));
}

#[test]
fn no_stack_names_the_table_of_reviews_by_the_prefix_alone() {
    for path in ["roles", "monitoring", "ingest"] {
        let text = read(&format!("shared/stacks/{path}.yaml")).to_string();
        assert!(text.contains("${ReviewsTable}") && !text.contains("${TablePrefix}reviews"), "{path}");
    }
}
