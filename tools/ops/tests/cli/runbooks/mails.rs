//! "When mails are not sent" and "When mails bounce or are reported as spam".

use std::fs;

use jiff::SignedDuration;
use presence_domain::email::EmailAddress;
use presence_domain::ids::UserId;
use presence_domain::invitation::{AddressMark, MarkReason, WINDOW};
use presence_local::{Options, SesMode};
use presence_mailer::{DeliveryOutcome, handle};
use presence_runtime::clock::Deadline;
use serde_json::json;

use super::log;
use super::rehearsal::{Answer, Rehearsal};

/// Time after which the mailer gives up a mail, and a little.
const MORE_THAN_A_DAY: SignedDuration = SignedDuration::from_hours(25);

/// Starts a stack whose functions lag a day behind the operator, so that a mail can grow old.
async fn start(heading: &'static str) -> Rehearsal {
    Rehearsal::with(heading, Options { sample: true, ..Options::default() }, MORE_THAN_A_DAY).await
}

/// Invites somebody as the sample's administrator, and returns the user's id.
async fn invite(rehearsal: &Rehearsal, address: &str) -> String {
    let body = json!({ "email": address, "first_name": "Ada", "last_name": "Byron", "status": "invited" });
    let answer = rehearsal.post("/user", rehearsal.key("ORG_ADMIN"), &body).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.json()["id"].as_str().expect("an id").to_owned()
}

async fn invite_again(rehearsal: &Rehearsal, user: &str) -> Answer {
    rehearsal.clock.advance(WINDOW);
    rehearsal.post(&format!("/user/{user}/invite"), rehearsal.key("ORG_ADMIN"), &json!({})).await
}

async fn deliver(rehearsal: &Rehearsal, user: &str) -> DeliveryOutcome {
    let user = UserId::parse(user).expect("an id");
    Box::pin(rehearsal.stack.outbox().deliver(user)).await.expect("an outcome")
}

/// Sends the mail of a user, and hands SES's report to the mailer.
async fn deliver_with_feedback(rehearsal: &Rehearsal, user: &str) {
    assert_eq!(deliver(rehearsal, user).await, DeliveryOutcome::Sent);
    let event = rehearsal.stack.mailbox().take_feedback().expect("a report");
    let deadline = Deadline::after(std::time::Duration::from_mins(10));
    handle(rehearsal.stack.outbox(), &event, deadline).await.expect("an answer");
}

#[tokio::test(flavor = "multi_thread")]
async fn refused_mails_are_listed_with_the_reason_and_sent_after_a_day_by_a_retry() {
    let rehearsal = start("When mails are not sent").await;
    rehearsal.stack.mailbox().set_ses_mode(SesMode::Reject);
    let user = invite(&rehearsal, "guest@example.org").await;
    assert_eq!(deliver(&rehearsal, &user).await, DeliveryOutcome::Refused);
    let list = rehearsal.follow("cargo ops outbox list", &[]).expect_exit(0).stdout;
    let row: Vec<_> = list.lines().nth(1).expect("a row").split_whitespace().collect();
    assert_eq!((row[1], row[2], row[4]), (user.as_str(), "guest@example.org", "pending"), "{list}");
    assert_eq!(row.last(), Some(&"MessageRejected"), "{list}");
    rehearsal.run("ops doctor").expect_exit(1);

    rehearsal.clock.advance(MORE_THAN_A_DAY);
    assert_eq!(deliver(&rehearsal, &user).await, DeliveryOutcome::GivenUp);
    let list = rehearsal.follow("cargo ops outbox list", &[]).expect_exit(0).stdout;
    assert!(list.contains("\tfailed\t"), "{list}");
    assert!(log::query("mails", "").iter().any(|line| line["user_id"] == *user), "the query has the mail");
    let found = rehearsal.run("ops doctor").expect_exit(1).stdout;
    assert!(found.contains("ops outbox retry --all"), "{found}");

    rehearsal.stack.mailbox().set_ses_mode(SesMode::Accept);
    rehearsal.follow("cargo ops outbox retry --all", &[]).expect_exit(0);
    rehearsal.clock.advance(SignedDuration::from_mins(1));
    assert_eq!(deliver(&rehearsal, &user).await, DeliveryOutcome::Sent);
    assert_eq!(rehearsal.stack.mailbox().mails()[0].to, "guest@example.org");
    rehearsal.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bounced_addresses_are_found_with_their_inviter_and_can_be_used_again() {
    let rehearsal = start("When mails bounce or are reported as spam").await;
    let address = "bounce+ada@simulator.amazonses.com";
    let user = invite(&rehearsal, address).await;
    deliver_with_feedback(&rehearsal, &user).await;
    assert_eq!(invite_again(&rehearsal, &user).await.status, 400, "the address is marked");

    let shown = rehearsal.follow("cargo ops users show ID", &[("ID", &user)]).expect_exit(0).stdout;
    assert!(shown.contains(address) && shown.contains("bounced"), "{shown}");
    let domain = "'*@simulator.amazonses.com'";
    let found = rehearsal.follow("cargo ops users find", &[("'*@example.org'", domain)]).expect_exit(0).stdout;
    assert!(found.contains(address), "{found}");
    let trail = rehearsal.follow("cargo ops audit --user ID", &[("ID", &user)]).expect_exit(0).stdout;
    let lines = log::query("inviters", "");
    let mut keys =
        lines.iter().filter(|line| line["operation"] == "create_user").filter_map(|line| line["key_id"].as_str());
    let key = keys.find(|key| trail.contains(*key)).expect("the key of the inviter").to_owned();
    assert!(trail.contains("\tcreate\t"), "{trail}");

    // The address works again. It is marked until an operator clears it, here and at SES.
    let clear = rehearsal.command("cargo ops outbox unmark").replace("ada@example.org", address);
    rehearsal.run(&clear).expect_exit(0);
    let asked = fs::read_to_string(rehearsal.folder().join("aws.log")).expect("a call of the AWS CLI");
    assert_eq!(asked, format!("sesv2 delete-suppressed-destination --email-address {address}\n"));
    assert_eq!(invite_again(&rehearsal, &user).await.status, 200);
    rehearsal.run("ops outbox cancel --help").expect_exit(0);

    // A mail that waited while its address was marked.
    mark_while_a_mail_waits(&rehearsal).await;
    // A caller who goes on.
    rehearsal.follow("cargo ops key revoke ID", &[("ID", &key)]).expect_exit(0);
    assert_eq!(rehearsal.get("/user/me", rehearsal.key("ORG_ADMIN")).await.status, 401);
    assert_eq!(deliver(&rehearsal, &user).await, DeliveryOutcome::Sent);
    rehearsal.end().await;
}

async fn mark_while_a_mail_waits(rehearsal: &Rehearsal) {
    let address = "waiting@example.org";
    rehearsal.stack.mailbox().set_ses_mode(SesMode::Throttle);
    let user = invite(rehearsal, address).await;
    assert_eq!(deliver(rehearsal, &user).await, DeliveryOutcome::Refused);
    rehearsal.stack.mailbox().set_ses_mode(SesMode::Accept);
    let mark = AddressMark { reason: MarkReason::Complained, at: rehearsal.now() };
    let email = EmailAddress::parse(address).expect("an address");
    assert!(rehearsal.stack.stores().users.mark_address(email.key(), mark).await.expect("an answer"));
    rehearsal.clock.advance(SignedDuration::from_mins(1));
    assert_eq!(deliver(rehearsal, &user).await, DeliveryOutcome::GivenUp);

    let list = rehearsal.follow("cargo ops outbox list", &[]).expect_exit(0).stdout;
    let row = list.lines().find(|line| line.contains("AddressComplained")).expect("a row");
    let mail = row.split_whitespace().next().expect("an id").to_owned();
    rehearsal.run(&format!("ops outbox unmark {address}")).expect_exit(0);
    // Nobody waits for a day in between: the mailer's clock is set to the operator's.
    rehearsal.clock.advance(MORE_THAN_A_DAY);
    rehearsal.follow("cargo ops outbox retry ID", &[("ID", &format!("'{mail}'"))]).expect_exit(0);
    assert_eq!(deliver(rehearsal, &user).await, DeliveryOutcome::Sent);
}
