//! Roles of the template compared with the recorded calls: no permission is missing or superfluous.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::fixture::replayed;
use super::permissions::Permission;
use super::policies::{list, statements};
use super::template::{Resource, TEMPLATE, referent};

/// Returns the table permissions of a role, and its other statements except those for its log.
fn granted(role: Resource<'_>) -> (BTreeSet<Permission>, Vec<&Value>) {
    let (mut permissions, mut others) = (BTreeSet::new(), Vec::new());
    for statement in statements(role).iter().filter(|statement| statement["Sid"] != "Logs") {
        let targets: Option<Vec<_>> = list(&statement["Resource"]).into_iter().map(target).collect();
        let Some(targets) = targets else {
            others.push(statement);
            continue;
        };
        for (action, (table, index)) in
            list(&statement["Action"]).into_iter().flat_map(|action| targets.iter().map(move |target| (action, target)))
        {
            let action =
                action.as_str().and_then(|action| action.strip_prefix("dynamodb:")).expect("an action on tables");
            let right = Permission { action: action.to_owned(), table: table.clone(), index: index.clone() };
            assert!(permissions.insert(right), "said once: {statement}");
        }
    }
    (permissions, others)
}

/// Returns the full name of the table and the index that a resource names, or `None` if it is no table.
fn target(resource: &Value) -> Option<(String, Option<String>)> {
    // The recorded calls are those of a stack of this name.
    let named = |text: &str| text.replace("${AWS::StackName}", "presence");
    if let Some(arn) = resource["Fn::Sub"].as_str() {
        let path = arn.strip_prefix("arn:${AWS::Partition}:dynamodb:${AWS::Region}:${AWS::AccountId}:table/")?;
        let (table, index) = path.split_once("/index/").map_or((path, None), |(table, index)| (table, Some(index)));
        return Some((named(table), index.map(str::to_owned)));
    }
    let is_table =
        resource["Fn::GetAtt"][1] == "Arn" && TEMPLATE.resource(referent(resource)).kind() == "AWS::DynamoDB::Table";
    is_table.then(|| (named(&TEMPLATE.name_of(resource)), None))
}

#[tokio::test(flavor = "multi_thread")]
async fn each_function_has_exactly_the_permissions_that_it_uses() {
    let mut differences = Vec::new();
    for (name, used) in &replayed().await.permissions {
        let (granted, _) = granted(TEMPLATE.resource(referent(TEMPLATE.functions()[name].property("Role"))));
        differences.extend(used.difference(&granted).map(|right| format!("{name} lacks {right:?}")));
        differences.extend(granted.difference(used).map(|right| format!("{name} does not need {right:?}")));
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn only_the_mailer_has_permissions_beside_tables_and_logs_and_ingest_and_the_publisher_on_what_is_theirs() {
    for role in TEMPLATE.of_type("AWS::IAM::Role").filter(|role| !["IngestRole", "PublisherRole"].contains(&role.name))
    {
        let (_, others) = granted(role);
        let others: Vec<_> = others.iter().map(|statement| json!([statement["Sid"], statement["Action"]])).collect();
        if role.name != "MailerRole" {
            assert_eq!(others, Vec::<Value>::new(), "{}", role.name);
            continue;
        }
        let stream = ["DescribeStream", "GetRecords", "GetShardIterator", "ListStreams"];
        let stream: Vec<_> = stream.into_iter().map(|action| format!("dynamodb:{action}")).collect();
        let expected =
            [json!(["Outbox", stream]), json!(["DeadLetters", "sqs:SendMessage"]), json!(["Send", "ses:SendEmail"])];
        assert_eq!(others, expected);
        let of = |sid: &str| &statements(role).iter().find(|one| one["Sid"] == sid).expect("a statement")["Resource"];
        assert_eq!(of("Outbox"), &json!({ "Fn::GetAtt": ["UsersTable", "StreamArn"] }));
        assert_eq!(of("DeadLetters"), &json!({ "Fn::GetAtt": ["MailerDeadLetters", "Arn"] }));
    }
}
