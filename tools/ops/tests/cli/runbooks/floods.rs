//! "Floods and fair use": a key that calls too often, and requests without a valid key.

use jiff::SignedDuration;
use presence_domain::api_key::PlaintextApiKey;
use presence_domain::rate_limit::RateLimit;
use presence_local::Options;

use super::log;
use super::page::read;
use super::rehearsal::{Answer, Rehearsal};

/// Number of requests of the flood.
const FLOOD: usize = 100;

/// Returns the cost of a request, as its line in the log says: calls, read units, write units.
fn cost(answer: &Answer) -> [f64; 3] {
    let line = log::query("request", &answer.request_id).remove(0);
    ["calls", "read_units", "write_units"].map(|field| line[field].as_f64().expect("a number"))
}

#[tokio::test(flavor = "multi_thread")]
async fn floods_leave_other_keys_alone_and_write_nothing() {
    let options = Options { sample: true, rate_limit: RateLimit::new(60), ..Options::default() };
    let rehearsal = Rehearsal::with("Floods and fair use", options, SignedDuration::ZERO).await;
    let (flooding, other) = (rehearsal.key("ORG_ADMIN"), rehearsal.key("BUSINESS_MANAGER"));
    let mut answers = Vec::new();
    for _ in 0..FLOOD {
        answers.push(rehearsal.get("/user/me", flooding).await);
    }
    let refused: Vec<_> = answers.iter().filter(|answer| answer.status == 429).collect();
    assert!(!refused.is_empty() && answers[0].status == 200);
    assert!(refused.iter().all(|answer| answer.json()["errors"].is_object()), "{}", refused[0].text);
    assert!(refused.iter().all(|answer| answer.retry_after.is_some_and(|seconds| seconds >= 1)));
    assert_eq!(rehearsal.get("/user/me", other).await.status, 200, "no other key notices");
    let leases = log::query("request", &refused[0].request_id).remove(0);
    assert_eq!(leases["leases_failed"].as_u64().unwrap_or_default(), 0, "{leases}");

    // Keys that do not exist: the checksum refuses most without a read, the others cost one and no write.
    let unknown = PlaintextApiKey::generate();
    let mut mistyped = unknown.expose().to_owned();
    let last = mistyped.pop().expect("a character");
    mistyped.push(if last == '0' { '1' } else { '0' });
    let requests = [(mistyped.as_str(), [0.0, 0.0, 0.0]), (unknown.expose(), [1.0, 1.0, 0.0])];
    for (key, expected) in requests {
        let answer = rehearsal.get("/user/me", key).await;
        assert_eq!((answer.status, cost(&answer)), (401, expected), "{}", answer.text);
    }
    let firewall = rehearsal.command("aws cloudformation deploy --region us-east-1");
    let (_, template) = firewall.split_once("--template-file ").expect("a template");
    assert!(read(template).contains("EdgeFirewallArn:"), "the output that the page names");
    rehearsal.end().await;
}
