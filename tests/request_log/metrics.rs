//! Metrics that `CloudWatch` makes of the lines of requests and of other lines.

use presence_local::SesMode;
use presence_runtime::telemetry::{REQUEST_DIMENSIONS, REQUEST_METRIC};
use presence_tests::logs::{metrics, with_metrics};
use presence_tests::{Fixtures, address};
use serde_json::json;

use super::line;

#[tokio::test(flavor = "multi_thread")]
async fn each_request_is_a_sample_of_one_metric_by_operation_and_class_of_status() {
    let (stack, fixtures) = Fixtures::start().await;
    let key = &fixtures.admin_1.key;
    for (path, key, operation, class) in [
        ("/user/me", key.as_str(), "get_me", "2xx"),
        ("/user/me", "", "get_me", "4xx"),
        ("/reviews", key, "search_reviews", "2xx"),
        ("/reviews/stats", key, "get_review_stats", "2xx"),
        ("/nothing", key, "none", "4xx"),
    ] {
        let line = line(&stack.get(path, key).await);
        assert_eq!((&line["operation"], &line["status_class"]), (&json!(operation), &json!(class)));
        assert_eq!(line["message"], "request", "the filter looks for it");
        assert!(REQUEST_DIMENSIONS.iter().all(|name| line[name].is_string()), "{line}");
        assert!(line[REQUEST_METRIC].as_f64().is_some_and(|milliseconds| milliseconds >= 0.0), "{line}");
        assert_eq!(metrics(&line), [], "no metric in the embedded format: {line}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mail_counts_as_sent_when_ses_has_taken_it_and_not_before() {
    let (stack, fixtures) = Fixtures::start().await;
    let body = json!({"email": address("guest"), "first_name": "Zoë", "last_name": "Roy", "status": "invited"});
    assert_eq!(stack.post("/user", &fixtures.admin_1.key, &body).await.status, 200);
    let sweep = async || {
        let deadline = presence_runtime::clock::Deadline::after(std::time::Duration::from_mins(10));
        let (swept, metrics) =
            Box::pin(with_metrics(presence_mailer::handle(stack.local.outbox(), &json!({}), deadline))).await;
        assert!(swept.is_ok());
        metrics.into_iter().filter(|(name, _)| name == "invitations_sent").collect::<Vec<_>>()
    };
    stack.local.mailbox().set_ses_mode(SesMode::Reject);
    assert_eq!(sweep().await, []);
    stack.local.mailbox().set_ses_mode(SesMode::Accept);
    stack.clock.advance(jiff::SignedDuration::from_hours(1));
    assert_eq!(sweep().await, [("invitations_sent".to_owned(), 1.0)]);
    assert_eq!(sweep().await, []);
}
