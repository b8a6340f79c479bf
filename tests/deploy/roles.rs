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

/// Rights of Lambda's own poller, which takes messages from the queue with the role of the function.
const OF_THE_POLLER: [&str; 3] = ["sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ReceiveMessage"];

/// Returns the actions of a statement, each with the folder of the bucket that it is for; none of the bucket as a whole.
fn on_folders(statement: &Value) -> Vec<(String, String)> {
    let folders = list(&statement["Resource"]).into_iter().filter_map(|resource| {
        let name = resource["Fn::Sub"][0].as_str()?;
        Some(name.strip_suffix("/*")?.rsplit('/').next()?.to_owned())
    });
    let folders: Vec<_> = folders.collect();
    let actions = list(&statement["Action"]).into_iter().filter_map(Value::as_str);
    actions.flat_map(|action| folders.iter().map(move |folder| (action.to_owned(), folder.clone()))).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn ingest_has_exactly_the_permissions_on_its_bucket_and_queue_that_it_uses() {
    let statements = statements(TEMPLATE.resource("IngestRole"));
    let granted: BTreeSet<_> = statements.iter().flat_map(on_folders).collect();
    let used = &replayed().await.actions_of_ingest;
    let (of_queue, of_bucket): (Vec<_>, Vec<_>) = used.iter().partition(|(action, _)| action.starts_with("sqs:"));
    let of_bucket: BTreeSet<_> =
        of_bucket.into_iter().map(|(action, folder)| ((*action).to_owned(), folder.clone())).collect();
    assert_eq!(granted, of_bucket);

    let messages = statements.iter().find(|one| one["Sid"] == "Messages").expect("a statement");
    assert_eq!(messages["Resource"], json!({ "Fn::GetAtt": ["Queue", "Arn"] }));
    let granted: BTreeSet<_> = list(&messages["Action"]).into_iter().filter_map(Value::as_str).collect();
    let used = of_queue.into_iter().map(|(action, _)| *action);
    assert_eq!(granted, used.chain(OF_THE_POLLER).collect());
    // S3 needs the one to tell that an object is missing, and Lambda the other for events that failed.
    let others = statements.iter().filter(|one| ["MissingFiles", "FailedEvents"].iter().any(|sid| one["Sid"] == *sid));
    let others: Vec<_> = others.map(|one| one["Action"].as_str().expect("an action")).collect();
    assert_eq!(others, ["s3:ListBucket", "sqs:SendMessage"]);
}

#[test]
fn only_the_mailer_and_the_functions_of_options_have_permissions_beside_tables_and_logs() {
    let of_options = ["IngestRole", "PublisherRole", "RepliesRole", "DelivererRole"];
    for role in TEMPLATE.of_type("AWS::IAM::Role").filter(|role| !of_options.contains(&role.name)) {
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
