//! Search for users by address over all organisations, and the audit that compares `email-index` with the users.

use aws_sdk_dynamodb::types::AttributeValue;
use presence_domain::email_pattern::EmailPattern;
use presence_domain::user::{Role, Status};
use presence_local::Options;
use presence_store::Stores;
use presence_store::schema::USERS;
use presence_tests::ConnectorLayer as _;
use presence_tests::{Fixtures, LagConnector, TestStack, address, in_process_client, long_timeouts};
use serde_json::json;

use super::bulk;

/// Table prefix of the stack with a lagging index.
const PREFIX: &str = "late-";

async fn find(store: &Stores, pattern: &str) -> Vec<String> {
    let mut search = store.users.search_emails(EmailPattern::parse(pattern).expect("a pattern"));
    let mut found = Vec::new();
    while let Some(users) = search.next_page().await.expect("the store answers") {
        found.extend(users.into_iter().map(|user| user.email));
    }
    found
}

async fn create(stack: &TestStack, key: &str, email: &str, org: u64) -> String {
    let body = json!({"email": email, "first_name": "Ada", "last_name": "Lovelace", "org_id": org});
    let created = stack.post("/user", key, &body).await;
    assert_eq!(created.status, 200, "{}", created.text);
    created.json()["id"].as_str().expect("an id").to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pattern_finds_users_of_every_organisation_whatever_the_case() {
    let stack = TestStack::start().await;
    let key = Fixtures::create(&stack).await.provider.key;
    let addresses = ["Ada@canary-mail.example", "ada@bücher.canary-mail.example", "adam@canary-mail.example"];
    for (email, org) in addresses.into_iter().zip([1, 2, 2]) {
        create(&stack, &key, email, org).await;
    }
    let cases: [(&str, &[&str]); 8] = [
        ("ADA@canary-mail.example", &addresses[..1]),
        ("adam@CANARY-mail.example", &addresses[2..]),
        ("nobody@canary-mail.example", &[]),
        ("AdA@*", &addresses[..2]),
        ("ad@*", &[]),
        ("*@BÜCHER.canary-mail.example", &addresses[1..2]),
        ("*@xn--bcher-kva.canary-mail.example", &addresses[1..2]),
        ("*@example.org", &[]),
    ];
    for (pattern, expected) in cases {
        let mut found = find(stack.stores(), pattern).await;
        found.sort_unstable();
        assert_eq!(found, expected, "{pattern}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_user_of_a_domain_is_found_once_over_many_pages() {
    let stack = TestStack::start().await;
    bulk::users(&stack, 1, 2_500).await;
    let found = find(stack.stores(), "*@canary-mail.example").await;
    let distinct: std::collections::HashSet<_> = found.iter().collect();
    assert_eq!((found.len(), distinct.len()), (2_501, 2_501));
    assert_eq!(find(stack.stores(), "bulk-1234@*").await, [address("bulk-1234")]);
}

#[tokio::test(flavor = "multi_thread")]
async fn stale_entry_is_left_out_and_is_no_finding() {
    let lag = LagConnector::new(0);
    let http_client = Some(lag.over(in_process_client()));
    let stack = TestStack::with(Options { http_client, table_prefix: PREFIX.to_owned(), ..long_timeouts() }).await;
    let store = stack.stores_through(lag.over(in_process_client()), long_timeouts(), PREFIX);
    let key = Fixtures::create(&stack).await.provider.key;
    let gone = create(&stack, &key, "gone@old.canary-mail.example", 1).await;
    let moved = create(&stack, &key, "moved@old.canary-mail.example", 1).await;
    let kept = create(&stack, &key, "kept@old.canary-mail.example", 1).await;
    assert_eq!(find(&store, "*@old.canary-mail.example").await.len(), 3);
    assert_eq!(find(&store, "gone@*").await.len(), 1);
    assert_eq!(store.users.audit().await.expect("an answer").findings, []);

    lag.set_reads(u64::MAX);
    assert_eq!(stack.delete(&format!("/user/{gone}"), &key).await.status, 200);
    let change = json!({"email": "moved@new.canary-mail.example"});
    assert_eq!(stack.post(&format!("/user/{moved}"), &key, &change).await.status, 200);
    let renamed = json!({"status": "invited"});
    assert_eq!(stack.post(&format!("/user/{kept}"), &key, &renamed).await.status, 200);
    assert_eq!(find(&store, "*@old.canary-mail.example").await, ["kept@old.canary-mail.example"]);
    assert_eq!(find(&store, "gone@*").await, [""; 0]);
    assert_eq!(find(&store, "moved@new.canary-mail.example").await.len(), 1, "read strongly");
    let stale = lag.stale_answers();
    assert!(stale >= 2, "both patterns did read the old index");
    assert_eq!(store.users.audit().await.expect("an answer").findings, [], "stale entries are read again");
    assert!(lag.stale_answers() > stale, "the audit did read the old index");
}

#[tokio::test(flavor = "multi_thread")]
async fn audit_finds_wrong_missing_and_orphaned_entries() {
    let stack = TestStack::start().await;
    let person = |local| stack.create_user(local, Role::OrgAdmin, Some(1), Status::Invited);
    let (wrong, missing) = (person("wrong").await, person("missing").await);
    let (client, table) = (stack.dynamodb_client(), stack.stores().database.name(&USERS));
    let text = |value: &str| AttributeValue::S(value.to_owned());
    let update = |id: &str, expression: &str| {
        let update = client.update_item().table_name(&table).update_expression(expression);
        update.key("pk", text(&format!("USER#{id}"))).key("sk", text("USER"))
    };
    let other = update(&wrong.id, "SET email_domain = :other").expression_attribute_values(":other", text("x.example"));
    other.send().await.expect("DynamoDB answers");
    update(&missing.id, "REMOVE email_domain").send().await.expect("DynamoDB answers");
    let ghost =
        [("pk", "USER#7"), ("sk", "GHOST"), ("id", "7"), ("email_domain", "x.example"), ("email_key", "g@x.example")];
    let ghost = ghost.into_iter().chain([("org", "-"), ("status", "active")]);
    let ghost = ghost.map(|(name, value)| (name.to_owned(), text(value))).collect();
    client.put_item().table_name(&table).set_item(Some(ghost)).send().await.expect("DynamoDB answers");

    let findings = stack.audit().await;
    let problem = "is in email-index otherwise than it is stored";
    for id in [&wrong.id, &missing.id, "7"] {
        let subject = format!("user {id}");
        assert!(findings.iter().any(|found| found.subject == subject && found.problem == problem), "{findings:?}");
    }
}
