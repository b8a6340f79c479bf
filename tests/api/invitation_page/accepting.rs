//! Effects of the form, and the passwords that it accepts.

use jiff::SignedDuration;
use presence_domain::user::{Lang, Role, Status};
use presence_tests::invitations::{LIFE, form};
use presence_tests::{TestStack, send};
use presence_texts::Texts;
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn an_invited_user_who_chooses_a_password_becomes_active_and_uses_up_the_link() {
    let stack = TestStack::start().await;
    let admin = stack.create_user("admin-1", Role::OrgAdmin, Some(1), Status::Active).await;
    let person = stack.create_user("invited-1", Role::BusinessManager, Some(1), Status::Invited).await;
    assert_eq!(stack.invite(&person.id, &admin.key).await.status, 200);
    let (first, second) = (stack.link(&person.id).await, stack.link(&person.id).await);
    assert_eq!(stack.stored(&person.id).await.expect("the user").mails.len(), 1);

    assert_eq!(stack.accept(&person.id, &first, "canary-pass-1").await.status, 410, "it was replaced");
    let page = stack.follow(&person.id, &second).await;
    assert!(page.text.contains(&format!("value=\"{}\" autocomplete=\"username\"", person.email)), "{}", page.text);
    let done = stack.accept(&person.id, &second, " canary-pass-é ").await;
    assert_eq!(done.status, 200, "{}", done.text);
    assert!(!done.text.contains("<form") && !done.text.contains(second.expose()));
    let stored = stack.stored(&person.id).await.expect("the user");
    assert_eq!(stored.user.status, Status::Active);
    assert!(stored.has_password(" canary-pass-é ") && !stored.has_live_link() && stored.mails.is_empty());
    let stats = stack.get("/user/stats", &admin.key).await.json();
    assert_eq!(stats, json!({"count": 2, "invited_count": 0, "activate_count": 2}));

    for used in [stack.follow(&person.id, &second).await, stack.accept(&person.id, &second, "canary-pass-2").await] {
        assert_eq!(used.status, 410);
        assert!(used.text.contains(Texts::of(Lang::En).page.used.title) && !used.text.contains(&person.email));
    }
    assert!(stack.stored(&person.id).await.expect("the user").has_password(" canary-pass-é "));
    assert_eq!(stack.audit().await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_active_user_with_a_link_chooses_a_password_and_keeps_its_keys() {
    let stack = TestStack::start().await;
    let person = stack.create_user("manager-1", Role::BusinessManager, Some(1), Status::Active).await;
    let token = stack.link(&person.id).await;
    assert_eq!(stack.accept(&person.id, &token, "canary-pass-1").await.status, 200);
    let stored = stack.stored(&person.id).await.expect("the user");
    assert!(stored.user.status == Status::Active && stored.has_password("canary-pass-1") && !stored.has_live_link());
    assert_eq!(stack.get("/user/me", &person.key).await.status, 200);
    assert_eq!(stack.audit().await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_expires_to_the_millisecond() {
    let stack = TestStack::start().await;
    let person = stack.create_user("invited-1", Role::BusinessManager, Some(1), Status::Invited).await;
    let token = stack.link(&person.id).await;
    stack.clock.advance(LIFE - SignedDuration::from_millis(1));
    assert_eq!(stack.follow(&person.id, &token).await.status, 200);
    stack.clock.advance(SignedDuration::from_millis(1));
    assert_eq!(stack.follow(&person.id, &token).await.status, 410);
    let late = stack.accept(&person.id, &token, "canary-pass-1").await;
    assert!(late.status == 410 && late.text.contains(Texts::of(Lang::En).page.expired.title), "{}", late.text);
    assert!(stack.stored(&person.id).await.expect("the user").user.password.is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_invalid_password_is_refused_with_the_form_and_every_reason() {
    let stack = TestStack::start().await;
    let person = stack.create_user("invited-1", Role::BusinessManager, Some(1), Status::Invited).await;
    let token = stack.link(&person.id).await;
    let page = &Texts::of(Lang::En).page;
    let (short, long) = ((page.too_short)(6), (page.too_long)(128));
    let (control, mismatch) = (page.control.to_owned(), page.mismatch.to_owned());
    let (most, over) = ("a".repeat(128), "a".repeat(129));
    let cases: [(&str, &str, &str, &[&String]); 10] = [
        ("nothing", "", "", &[&short]),
        ("five characters", "canar", "canar", &[&short]),
        ("five of four bytes each", "🐟🐟🐟🐟🐟", "🐟🐟🐟🐟🐟", &[&short]),
        ("129 characters", &over, &over, &[&long]),
        ("a tab", "canary-pass\t1", "canary-pass\t1", &[&control]),
        ("a line break", "canary-pass\r\n1", "canary-pass\r\n1", &[&control]),
        ("NUL", "canary-pass\0", "canary-pass\0", &[&control]),
        ("another case", "canary-pass-1", "Canary-pass-1", &[&mismatch]),
        ("a blank more, at the longest", &most, "a", &[&mismatch]),
        ("too short, and not the same", "canar", "canar ", &[&short, &mismatch]),
    ];
    let before = stack.snapshot().await;
    for (what, password, confirmation, reasons) in cases {
        let reply = send(stack.page("POST").form(&form(&person.id, &token, password, confirmation))).await;
        assert_eq!(reply.status, 400, "{what}");
        for reason in [&short, &long, &control, &mismatch] {
            // Each reason is in the summary and at its field.
            let times = if reasons.contains(&reason) { 2 } else { 0 };
            assert_eq!(reply.text.matches(reason.as_str()).count(), times, "{what}: {reason}");
        }
        assert!(reply.text.contains("role=\"alert\"") && reply.text.contains("aria-invalid=\"true\""), "{what}");
        assert!(password.is_empty() || !reply.text.contains(&format!("\"{password}\"")), "{what}: it is not sent back");
        assert!(reply.text.contains(token.expose()), "{what}: the form can be sent again");
    }
    assert_eq!(stack.snapshot().await, before);
    assert_eq!(stack.accept(&person.id, &token, &most).await.status, 200);
    assert!(stack.stored(&person.id).await.expect("the user").has_password(&most));
}
