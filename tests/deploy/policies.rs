//! Policies of the template: least privilege, no secrets in logs, schedules, and protection from loss.

use std::collections::BTreeSet;

use presence_runtime::config::AuditConfig;
use presence_store::keys::{AUDIT_PK, MOVES_PK, ORGS_WITH_REVIEWS_PK};
use serde_json::{Value, json};

use super::template::{Resource, TEMPLATE, referent, root};

/// Variables of the access log. Path, query and headers are not among them, since they may hold a key or an activation token.
const LOGGED: [&str; 9] = [
    "$context.requestId",
    "$context.routeKey",
    "$context.status",
    "$context.responseLength",
    "$context.responseLatency",
    "$context.integrationStatus",
    "$context.integration.requestId",
    "$context.error.responseType",
    "$context.identity.sourceIp",
];

/// Returns the statements of the one policy of a role.
pub(super) fn statements(role: Resource<'_>) -> &[Value] {
    let policies = role.property("Policies").as_array().expect("policies");
    assert_eq!(policies.len(), 1, "{}", role.name);
    policies[0]["PolicyDocument"]["Statement"].as_array().expect("statements")
}

/// Returns the values of a list, or the single value.
pub(super) fn list(value: &Value) -> Vec<&Value> {
    value.as_array().map_or_else(|| vec![value], |items| items.iter().collect())
}

#[test]
fn each_function_has_a_role_of_its_own_and_there_are_no_others() {
    let functions = TEMPLATE.functions();
    let used: Vec<_> = functions.values().map(|function| referent(function.property("Role"))).collect();
    let roles: BTreeSet<_> = TEMPLATE.of_type("AWS::IAM::Role").map(|role| role.name).collect();
    assert_eq!(used.iter().copied().collect::<BTreeSet<_>>(), roles);
    assert_eq!(used.len(), roles.len());
}

#[test]
fn no_role_has_a_wildcard_or_a_managed_policy() {
    for role in TEMPLATE.of_type("AWS::IAM::Role") {
        let properties = role.attribute("Properties");
        for statement in statements(role) {
            let granted = json!([statement["Action"], statement["Resource"]]).to_string();
            // The objects of a folder and the recipients of a sandbox have no names here.
            let unnamed = ["/inbox", "/done", "/rejected", "/work", ":identity"].map(|of| format!("{of}/*\""));
            let named = unnamed.iter().fold(granted.clone(), |text, one| text.replace(one, ""));
            assert!(!named.contains('*'), "{}: {granted}", role.name);
        }
        let names: BTreeSet<_> = properties.as_object().expect("properties").keys().map(String::as_str).collect();
        assert_eq!(names, ["AssumeRolePolicyDocument", "Description", "Policies", "Tags"].into());
        for statement in statements(role) {
            let allowed = ["Action", "Condition", "Effect", "Resource", "Sid"];
            assert!(statement.as_object().expect("a statement").keys().all(|name| allowed.contains(&name.as_str())));
            assert_eq!(statement["Effect"], "Allow");
        }
    }
    let others = TEMPLATE.of_type("AWS::IAM::Policy").chain(TEMPLATE.of_type("AWS::IAM::ManagedPolicy"));
    let others: BTreeSet<_> = others.map(|policy| policy.name).collect();
    assert_eq!(
        others,
        [
            "DelivererTracingPolicy",
            "IngestTracingPolicy",
            "PublisherTracingPolicy",
            "RepliesTracingPolicy",
            "TracingPolicy"
        ]
        .into()
    );
}

#[test]
fn only_the_mailer_may_send_and_only_from_the_configured_address() {
    let sends = |statement: &&Value| {
        list(&statement["Action"]).iter().any(|action| action.as_str().is_some_and(|action| action.starts_with("ses:")))
    };
    for role in TEMPLATE.of_type("AWS::IAM::Role") {
        let statements: Vec<_> = statements(role).iter().filter(sends).collect();
        if role.name != "MailerRole" {
            assert_eq!(statements.len(), 0, "{}", role.name);
            continue;
        }
        let [statement] = statements[..] else { panic!("one statement") };
        let arn = |rest: &str| json!({ "Fn::Sub": format!("arn:${{AWS::Partition}}:ses:${{AWS::Region}}:${{AWS::AccountId}}:{rest}") });
        assert_eq!(statement["Action"], "ses:SendEmail");
        // The sandbox of SES asks for the right to the identity of the recipient, too.
        let recipients = json!({ "Fn::If": ["HasSandboxRecipients", arn("identity/*"), { "Ref": "AWS::NoValue" }] });
        assert_eq!(
            statement["Resource"],
            json!([arn("identity/${MailDomain}"), arn("configuration-set/${MailConfiguration}"), recipients])
        );
        let address = "${MailLocalPart}@${MailDomain}";
        assert_eq!(statement["Condition"], json!({ "StringEquals": { "ses:FromAddress": { "Fn::Sub": address } } }));
    }
}

#[test]
fn auditor_may_write_the_ledger_its_position_and_what_a_move_changes() {
    let ledger = ["LOG#*", "DIR#*", "TREE#*", AUDIT_PK];
    let with_reviews = [&ledger[..], &["R#*", ORGS_WITH_REVIEWS_PK]].concat();
    let expected = [
        ("Ledger", json!(["dynamodb:UpdateItem", "dynamodb:DeleteItem"]), &ledger[..]),
        ("MovedReviews", json!("dynamodb:PutItem"), &with_reviews),
        ("Moves", json!(["dynamodb:PutItem", "dynamodb:UpdateItem"]), &[MOVES_PK, "BUSINESS#*"]),
    ];
    for statement in statements(TEMPLATE.resource("AuditorRole")) {
        let writing = expected.iter().find(|(sid, ..)| statement["Sid"] == *sid);
        let Some((_, actions, written)) = writing else {
            let of_tables = list(&statement["Action"]).into_iter().filter_map(Value::as_str);
            let mut of_tables = of_tables.filter_map(|action| action.strip_prefix("dynamodb:"));
            assert!(of_tables.all(|read| ["GetItem", "BatchGetItem", "Query"].contains(&read)), "{statement}");
            assert_eq!(statement["Condition"], Value::Null, "{statement}");
            continue;
        };
        let keys = json!({ "ForAllValues:StringLike": { "dynamodb:LeadingKeys": written } });
        assert_eq!((&statement["Action"], &statement["Condition"]), (actions, &keys));
    }
}

#[test]
fn the_auditor_has_the_units_of_the_code_by_default() {
    let units = TEMPLATE.at(&["Parameters", "AuditUnits", "Default"]);
    assert_eq!(units.as_f64(), Some(AuditConfig::DEFAULT_UNITS));
}

#[test]
fn each_function_and_the_api_log_to_a_group_of_their_own() {
    let mut groups: BTreeSet<_> = TEMPLATE.of_type("AWS::Logs::LogGroup").map(|group| group.name).collect();
    for function in TEMPLATE.functions().into_values() {
        let group = referent(&function.property("LoggingConfig")["LogGroup"]);
        assert!(groups.remove(group), "{group}");
        let level = &function.property("LoggingConfig")["SystemLogLevel"];
        assert_eq!(level, "WARN", "Lambda's own lines are for failures, and cost as much as those of requests");
        let role = TEMPLATE.resource(referent(function.property("Role")));
        let logs = &statements(role)[0];
        assert_eq!(logs["Action"], json!(["logs:CreateLogStream", "logs:PutLogEvents"]), "{}", role.name);
        assert_eq!(logs["Resource"], json!({ "Fn::GetAtt": [group, "Arn"] }), "{}", role.name);
    }
    let access = TEMPLATE.resource("Api").property("AccessLogSettings");
    assert!(groups.remove(referent(&access["DestinationArn"])));
    assert_eq!(groups, [].into());
}

#[test]
fn the_access_log_is_json_with_the_key_of_the_route_and_no_input_of_the_caller() {
    let format = TEMPLATE.resource("Api").property("AccessLogSettings")["Format"].as_str().expect("a format");
    let fields: Value = serde_json::from_str(format).expect("JSON");
    let variables: BTreeSet<_> = fields.as_object().expect("an object").values().filter_map(Value::as_str).collect();
    assert_eq!(variables, LOGGED.into());
}

#[test]
fn the_stream_wakes_the_mailer_for_mails_only() {
    let event = &TEMPLATE.resource("MailerFunction").property("Events")["Outbox"]["Properties"];
    let pattern = event["FilterCriteria"]["Filters"][0]["Pattern"].as_str().expect("a pattern");
    let mails = json!({
        "eventName": ["INSERT", "MODIFY"],
        "dynamodb": { "Keys": { "sk": { "S": [{ "prefix": presence_store::keys::MAIL_SK_PREFIX }] } } },
    });
    assert_eq!(serde_json::from_str::<Value>(pattern).expect("JSON"), mails);
}

#[test]
fn every_function_may_send_traces() {
    let policies = TEMPLATE.of_type("AWS::IAM::Policy");
    let roles: BTreeSet<_> = policies.flat_map(|policy| list(policy.property("Roles"))).map(referent).collect();
    assert_eq!(roles, TEMPLATE.of_type("AWS::IAM::Role").map(|role| role.name).collect());
}

#[test]
fn every_resource_has_the_tags_of_its_stage() {
    // CloudFormation gives the tags of a stack to all its resources, and to those of the stacks inside it.
    let settings = std::fs::read_to_string(root().join("samconfig.toml")).expect("settings of SAM");
    for stage in ["dev", "prod"] {
        let (_, rest) = settings.split_once(&format!("\n[{stage}.deploy.parameters]\n")).expect("a stage");
        let deploy = rest.split("\n[").next().expect("settings of the stage");
        assert!(deploy.contains(&format!("\ntags = \"Service=presence Stage={stage}\"\n")), "{stage}");
    }
}
