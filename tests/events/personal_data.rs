//! Events and the lines about them have no personal data. Every text of users and reviews has a canary.

use presence_local::BusMode;
use presence_tests::address;
use presence_tests::logs::{self, ADDRESS_CANARY, NAME_CANARY, PASSWORD_CANARY, PHONE_CANARY};
use serde_json::{Value, json};

use super::fixture::EventFixture;

/// Returns the canaries in a text. A name has its quotes: three letters alone may be in a random id.
fn canaries(text: &str) -> Vec<&'static str> {
    let text = text.to_lowercase();
    let all = [ADDRESS_CANARY, NAME_CANARY, PASSWORD_CANARY, PHONE_CANARY, "$argon2", "pk_", "\"ada\"", "zoë", "@"];
    all.into_iter().filter(|canary| text.contains(&canary.to_lowercase())).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn no_event_and_no_line_about_one_has_personal_data() {
    let mut fixture = EventFixture::new().await;
    fixture.change_everything().await;
    let mut batches = fixture.batches().await;
    let text = json!(batches).to_string();
    for canary in [ADDRESS_CANARY, NAME_CANARY, PHONE_CANARY, "$argon2"] {
        assert!(text.contains(canary), "the streams have {canary}");
    }
    let lines = logs::lines();
    // An unreadable record is logged, too.
    let mut unreadable = batches[2].clone();
    for record in unreadable["Records"].as_array_mut().expect("records") {
        record["dynamodb"]["NewImage"]["state"] = json!({ "S": NAME_CANARY });
    }
    batches.push(unreadable);
    for mode in [BusMode::Throttle, BusMode::RefuseHalf, BusMode::Accept] {
        fixture.stack.local.events().set_mode(mode);
        for batch in &batches {
            fixture.invoke(batch, None).await.expect("an answer");
        }
    }
    let events = fixture.stack.local.events().events();
    assert!(events.len() >= 10);
    assert_eq!(canaries(&json!(events).to_string()), Vec::<&str>::new());
    assert!(logs::lines() > lines, "lines were written");
    assert_eq!(logs::leaks(), Vec::<String>::new());
}

#[test]
fn a_canary_in_an_event_would_be_found() {
    for planted in [address("guest"), format!("Ada {NAME_CANARY}"), format!("{PHONE_CANARY}1"), "Zoë".to_owned()] {
        let event: Value = json!({ "detail": { "fields": ["email"], "planted": planted } });
        assert!(!canaries(&event.to_string()).is_empty(), "{planted}");
    }
    assert_eq!(
        canaries(&json!({ "detail": { "id": "1005", "fields": ["email", "password"] } }).to_string()),
        Vec::<&str>::new()
    );
}
