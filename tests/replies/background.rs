//! Local stack as `cargo run` starts it: replies leave by themselves, and the stand-in for the partners reports their outcomes.

use std::time::Duration;

use presence_local::Options;
use presence_tests::{TestStack, long_timeouts, send};
use serde_json::{Value, json};

/// Longest wait for an outcome: a busy machine must not fail a test.
const PATIENCE: Duration = Duration::from_mins(2);

/// Stack with the sample, and the path of the reply to one of its reviews.
struct Partnered {
    stack: TestStack,
    key: String,
    path: String,
}

impl Partnered {
    async fn start() -> Self {
        let options = Options { sample: true, publisher: true, partners: true, ..long_timeouts() };
        let stack = TestStack::with(options).await;
        let key = stack.local.keys()["ORG_ADMIN"].clone();
        let page = stack.get("/reviews?state=not_treated&per_page=1", &key).await.json();
        let path = format!("/reviews/{}/reply", page["reviews"][0]["id"].as_str().expect("a review"));
        Self { stack, key, path }
    }

    async fn reply(&self, text: &str) -> Value {
        let request = self.stack.request_at("PUT", &format!("{}{}", self.stack.local.base_url(), self.path));
        let reply = send(request.bearer_auth(&self.key).json(&json!({ "content": text }))).await;
        assert_eq!(reply.status, 200, "{}", reply.text);
        reply.json()
    }

    /// Waits until the reply has another state than this, and returns it with its status.
    async fn after(&self, state: &str) -> (u16, Value) {
        let changed = async {
            loop {
                let reply = self.stack.get(&self.path, &self.key).await;
                if reply.status != 200 || reply.json()["state"] != state {
                    return (reply.status, reply.json());
                }
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        };
        tokio::time::timeout(PATIENCE, changed).await.expect("an outcome comes")
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reply_is_published_rejected_lost_and_taken_back_by_itself() {
    let partnered = Partnered::start().await;
    let accepted = partnered.reply("Thank you").await;
    assert_eq!((&accepted["state"], &accepted["version"]), (&json!("pending"), &json!(1)));
    let (_, published) = partnered.after("pending").await;
    assert_eq!((&published["state"], &published["content"]), (&json!("published"), &json!("Thank you")));
    partnered.reply("No [reject]").await;
    let (_, rejected) = partnered.after("pending").await;
    assert_eq!((&rejected["state"], rejected["reason"].is_string()), (&json!("rejected"), true));
    partnered.reply("Never [lose]").await;
    partnered.reply("Thank you again").await;
    let (_, published) = partnered.after("pending").await;
    assert_eq!((&published["state"], &published["version"]), (&json!("published"), &json!(4)), "the last one wins");
    assert_eq!(partnered.stack.delete(&partnered.path, &partnered.key).await.status, 200);
    assert_eq!(partnered.after("removing").await.0, 404);
    let list = send(partnered.stack.request_at("GET", &partnered.stack.local.replies_url())).await;
    let messages: Vec<Value> = serde_json::from_str(&list.text).expect("JSON");
    let sent: Vec<_> = messages.iter().map(|message| json!([message["action"], message["version"]])).collect();
    let expected = [1, 2, 3, 4].map(|version| json!(["publish", version])).into_iter().chain([json!(["remove", 5])]);
    assert_eq!(sent, expected.collect::<Vec<_>>());
}
