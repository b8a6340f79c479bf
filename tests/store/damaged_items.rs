//! Items of the users table that nobody can read.

use aws_sdk_dynamodb::types::AttributeValue;
use presence_store::keys::{MAILBOX_SK, MARK_SK, NOTICE_PK_PREFIX, mailbox_pk, mark_pk};
use presence_store::schema::USERS;
use presence_tests::{Item, TestStack, put_all};

#[tokio::test(flavor = "multi_thread")]
async fn the_audit_finds_each_item_that_cannot_be_read() {
    let stack = TestStack::start().await;
    let damaged = [
        (mailbox_pk("a@shops.example"), MAILBOX_SK),
        (mark_pk("a@shops.example"), MARK_SK),
        (format!("{NOTICE_PK_PREFIX}1"), "MAIL#1"),
        ("USER#7".to_owned(), "MAIL#1"),
        ("USER#7".to_owned(), "SOMETHING"),
    ];
    let attribute = |name: &str, text: String| (name.to_owned(), AttributeValue::S(text));
    let item = |(pk, sk): (String, &str)| Item::from([attribute("pk", pk), attribute("sk", sk.to_owned())]);
    let items = damaged.into_iter().map(item).collect();
    put_all(&stack.dynamodb_client(), &stack.stores().database.name(&USERS), items).await;
    let findings = stack.audit().await.into_iter().map(|found| format!("{} {}", found.subject, found.problem));
    let mut findings: Vec<_> = findings.collect();
    findings.sort_unstable();
    assert_eq!(
        findings,
        [
            "user 7 has a mail that cannot be read",
            "users table holds a mark of an address that cannot be read",
            "users table holds a notice that cannot be read",
            "users table holds a window of an address that cannot be read",
            "users table holds an item of no known kind",
        ]
    );
}
