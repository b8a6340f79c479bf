//! "When a key makes too many requests".

use jiff::SignedDuration;
use presence_domain::rate_limit::RateLimit;
use presence_local::Options;

use super::log;
use super::rehearsal::Rehearsal;

#[tokio::test(flavor = "multi_thread")]
async fn a_key_with_too_low_a_limit_gets_one_of_its_own() {
    let options = Options { sample: true, rate_limit: RateLimit::new(5), ..Options::default() };
    let rehearsal = Rehearsal::with("When a key makes too many requests", options, SignedDuration::ZERO).await;
    let key = rehearsal.key("ORG_ADMIN");
    let mut answers = Vec::new();
    for _ in 0..60 {
        answers.push(rehearsal.get("/user/me", key).await);
    }
    let refused = answers.iter().rfind(|answer| answer.status == 429).expect("a request beyond the limit");
    assert_eq!(answers[0].status, 200);
    let line = log::query("request", &refused.request_id).remove(0);
    let id = line["key_id"].as_str().expect("the key is known").to_owned();
    assert!(log::query("refusals", "").iter().any(|line| line["request_id"] == *refused.request_id));

    let user = line["caller"].as_str().expect("the caller");
    rehearsal.follow("cargo ops key list --user ID", &[("ID", user)]).expect_exit(0);
    rehearsal.follow("cargo ops key set-limit ID 600", &[("ID", &id)]).expect_exit(0);
    rehearsal.clock.advance(SignedDuration::from_mins(1));
    for _ in 0..60 {
        assert_eq!(rehearsal.get("/user/me", key).await.status, 200);
    }
    rehearsal.follow("cargo ops key set-limit ID --default", &[("ID", &id)]).expect_exit(0);
    rehearsal.end().await;
}
