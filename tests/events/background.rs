//! Local stack as `cargo run` starts it: events arrive by themselves, on the page and as JSON.

use std::time::Duration;

use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use aws_smithy_types::body::SdkBody;
use aws_smithy_types::byte_stream::ByteStream;
use presence_local::Options;
use presence_tests::connectors::{Answer, ConnectorLayer, Next};
use presence_tests::{Fixtures, TestStack, address, in_process_client, long_timeouts, send};
use serde_json::{Value, json};

/// Longest wait for an event: a busy machine must not fail a test.
const PATIENCE: Duration = Duration::from_mins(1);

/// Connector that hides the number of the last record of a shard, which AWS does not tell while the shard is open.
#[derive(Clone)]
struct OpenShards;

impl ConnectorLayer for OpenShards {
    async fn call(&self, request: HttpRequest, next: Next) -> Answer {
        let mut answer = next.call(request).await?;
        let body = ByteStream::new(answer.take_body()).collect().await.expect("a whole answer");
        // The length stays: a header has it.
        let body = String::from_utf8_lossy(&body.to_vec()).replace("EndingSequenceNumber", "HiddenSequenceNumber");
        *answer.body_mut() = SdkBody::from(body);
        Ok(answer)
    }
}

/// Creates a user, and returns its id.
async fn create_user(stack: &TestStack, key: &str, name: &str) -> Value {
    let body = json!({ "email": address(name), "first_name": "Ada", "last_name": "Roy", "password": "canary-pass-1" });
    let created = stack.post("/user", key, &body).await;
    assert_eq!(created.status, 200, "{}", created.text);
    created.json()["id"].clone()
}

/// Waits until the stack lists an event of a user, and returns it.
async fn event_of(stack: &TestStack, id: &Value) -> Value {
    let listed = async {
        loop {
            let reply = send(stack.request_at("GET", &format!("{}.json", stack.local.events_url()))).await;
            let events: Vec<Value> = serde_json::from_str(&reply.text).expect("JSON");
            if let Some(event) = events.into_iter().find(|event| event["detail"]["id"] == *id) {
                return event;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(PATIENCE, listed).await.expect("the event comes")
}

#[tokio::test(flavor = "multi_thread")]
async fn the_local_stack_lists_each_event_by_itself() {
    let stack = TestStack::with(Options { publisher: true, ..long_timeouts() }).await;
    let fixtures = Fixtures::create(&stack).await;
    let id = create_user(&stack, &fixtures.admin_1.key, "guest").await;
    let event = event_of(&stack, &id).await;
    let members: Vec<_> = event.as_object().expect("an object").keys().map(String::as_str).collect();
    assert_eq!(members.len(), 5, "{members:?}");
    assert!(["id", "time", "source", "detail-type", "detail"].iter().all(|name| members.contains(name)));
    assert_eq!((&event["source"], &event["detail-type"]), (&json!("presence"), &json!("user.created")));
    let page = send(stack.request_at("GET", &stack.local.events_url())).await;
    assert_eq!((page.status, page.text.contains("<h1>Events</h1>")), (200, true));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stack_over_tables_of_another_one_tells_of_nothing_before_its_start() {
    let (stack, fixtures) = Fixtures::start().await;
    let key = &fixtures.admin_1.key;
    create_user(&stack, key, "before").await;
    let client = OpenShards.over(in_process_client());
    let options = Options { publisher: true, http_client: Some(client), ..stack.second_stack_options() };
    let started = TestStack::with(options).await;
    let id = create_user(&started, key, "after").await;
    event_of(&started, &id).await;
    let events = started.local.events().events();
    let created = events.iter().filter(|event| event["detail-type"] == "user.created");
    assert_eq!(created.map(|event| &event["detail"]["id"]).collect::<Vec<_>>(), [&id]);
}
