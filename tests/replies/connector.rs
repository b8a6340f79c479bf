//! Example connector of the documentation: a process that takes replies from the local queue by the protocol of SQS.

use std::io::Write as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use presence_local::Options;
use presence_tests::{Fixtures, TestStack, long_timeouts, send};
use serde_json::{Value, json};

use crate::api::reviews::fixtures::{seed, seeded_review};

/// Longest wait for an outcome: a busy machine must not fail a test.
const PATIENCE: Duration = Duration::from_mins(2);

/// Process that ends with the test.
struct Connector(Child);

impl Drop for Connector {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// True if this machine has Python with the client of AWS.
fn has_boto3() -> bool {
    let found = Command::new("python3").args(["-c", "import boto3"]).stderr(Stdio::null()).status();
    found.is_ok_and(|status| status.success())
}

fn start(stack: &TestStack, key: &str, listing: &Path) -> Connector {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/docs/connector.py");
    let origin = stack.local.base_url().replace("/api/v2", "");
    let mut command = Command::new("python3");
    command.arg(script).arg(listing).env("PRESENCE_URL", origin).env("PRESENCE_KEY", key);
    command.env("AWS_ENDPOINT_URL_SQS", stack.local.sqs_url()).env("REPLY_QUEUE_URL", stack.local.sqs_url());
    command.env("AWS_ACCESS_KEY_ID", "local").env("AWS_SECRET_ACCESS_KEY", "local").env("AWS_REGION", "eu-west-1");
    Connector(command.stdout(Stdio::null()).spawn().expect("a process"))
}

/// Waits until the reply has another state than this, and returns it.
async fn after(stack: &TestStack, path: &str, key: &str, state: &str) -> Value {
    let changed = async {
        loop {
            let reply = stack.get(path, key).await.json();
            if reply["state"] != state {
                return reply;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    tokio::time::timeout(PATIENCE, changed).await.expect("an outcome comes")
}

#[tokio::test(flavor = "multi_thread")]
async fn the_example_connector_publishes_is_told_of_rejections_and_removes() {
    if !has_boto3() {
        writeln!(std::io::stderr(), "python3 has no boto3: the example connector was NOT tried")
            .expect("stderr is open");
        return;
    }
    let stack = TestStack::with(Options { publisher: true, ..long_timeouts() }).await;
    let fixtures = Fixtures::create(&stack).await;
    seed(&stack).await;
    let listing = tempfile::tempdir().expect("a folder");
    let _connector = start(&stack, &fixtures.provider.key, listing.path());
    let key = &fixtures.admin_1.key;
    let stored = stack.stores().reviews.find_stored_reviews(&[seeded_review("a")]).await.expect("the store answers");
    let id = stored[0].as_ref().expect("a review").id.as_str().to_owned();
    let path = format!("/reviews/{id}/reply");
    let put = async |text: &str| {
        let request = stack.request_at("PUT", &format!("{}{path}", stack.local.base_url()));
        let reply = send(request.bearer_auth(key).json(&json!({ "content": text }))).await;
        assert_eq!(reply.status, 200, "{}", reply.text);
    };
    put("Merci ✓").await;
    assert_eq!(after(&stack, &path, key, "pending").await["state"], "published");
    assert_eq!(std::fs::read_to_string(listing.path().join(&id)).expect("a file"), "Merci ✓");
    put("See http://example.org").await;
    let rejected = after(&stack, &path, key, "pending").await;
    assert_eq!((&rejected["state"], &rejected["reason"]), (&json!("rejected"), &json!("the partner accepts no links")));
    put("Merci beaucoup").await;
    assert_eq!(after(&stack, &path, key, "pending").await["state"], "published");
    assert_eq!(stack.delete(&path, key).await.status, 200);
    after(&stack, &path, key, "removing").await;
    assert!(!listing.path().join(&id).exists(), "the partner has it no more");
}
