//! "When somebody complains": from a complaint to the caller, the request and its reason.

use reqwest::Method;
use serde_json::{Value, json};

use super::log;
use super::rehearsal::Rehearsal;

/// Address of the user of the demo key.
const ADDRESS: &str = "zoe.dubois@maison-verte.example";

#[tokio::test(flavor = "multi_thread")]
async fn a_complaint_leads_to_the_caller_its_requests_and_its_key() {
    let rehearsal = Rehearsal::of("When somebody complains").await;
    let key = rehearsal.key("BUSINESS_MANAGER").to_owned();

    // A user cannot do something: it sends a field that does not exist, and asks for what it may not see.
    let path = "/reviews?per_page=many";
    let failed = rehearsal.get(path, &key).await;
    assert_eq!(failed.status, 400, "{}", failed.text);
    let lines = log::query("request", &failed.request_id);
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert_eq!((&lines[0]["status"], &lines[0]["bad_fields"]), (&json!(400), &json!("per_page")), "{lines:?}");
    let found = rehearsal.follow("cargo ops users find ADDRESS", &[("ADDRESS", ADDRESS)]).expect_exit(0).stdout;
    let user = lines[0]["caller"].as_str().expect("the caller");
    assert!(found.contains(user), "{found}");
    let requests = log::query("caller", user);
    assert!(requests.iter().any(|line| line["request_id"] == *failed.request_id), "{requests:?}");
    let refusals = log::query("refusals", "");
    assert!(refusals.iter().any(|line| line["request_id"] == *failed.request_id), "{refusals:?}");

    // Its key is in wrong hands.
    let list = rehearsal.follow("cargo ops key list --user ID", &[("ID", user)]).expect_exit(0).stdout;
    let id = lines[0]["key_id"].as_str().expect("the key");
    assert!(list.contains(id), "{list}");
    assert_eq!(log::query("key", id).len(), 1);
    rehearsal.follow("cargo ops key revoke ID", &[("ID", id)]).expect_exit(0);

    // The key does not work: it is revoked, and the line names it. A key that does not exist has no id.
    let refused = rehearsal.get("/user/me", &key).await;
    let unknown = rehearsal.send(Method::GET, "/user/me", "pk_nobody", &Value::Null).await;
    assert_eq!((refused.status, unknown.status), (401, 401));
    let key_of = |request_id: &str| {
        let mut lines = log::query("refused-keys", "").into_iter();
        lines.find(|line| line["request_id"] == *request_id).expect("a line")["key_id"].clone()
    };
    assert_eq!((key_of(&refused.request_id), key_of(&unknown.request_id)), (json!(id), Value::Null));
    rehearsal.end().await;
}
