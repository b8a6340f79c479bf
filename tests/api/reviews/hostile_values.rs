//! Hostile values in every parameter, some of them in the form of the ledger's keys.

use presence_tests::route;

use super::fixtures::ReviewFixtures;
use crate::robustness::queries::parameters;

/// Returns the hostile values of this search only. `robustness` has those of every operation.
fn values() -> Vec<String> {
    let mut values: Vec<String> = [
        "~",
        "lyon%23lyon-1",
        "o:1",
        "c:1:lyon",
        "T%23o:1",
        "M%232025-01",
        ":partition",
        "NaN",
        "%2C%2C%2C",
        "%C2%AD",
        "2025-01-01T00:00:00%2B99:99",
        "-0001-01-01",
        "99999-01-01",
    ]
    .map(str::to_owned)
    .to_vec();
    values.extend(["x,", "1,", "%F0%9F%98%80"].map(|part| part.repeat(600)));
    values
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_values_cause_no_error_and_never_find_everything() {
    let review_fixtures = ReviewFixtures::new().await;
    let [filters, others] = parameters(&route("search_reviews"));
    for name in filters.iter().chain(others).copied() {
        for value in values() {
            let reply = review_fixtures.ask("admin_1", &format!("{name}={value}")).await;
            let what =
                format!("{name}={}: {}", &value[..value.len().min(60)], &reply.text[..reply.text.len().min(200)]);
            assert!([200, 400].contains(&reply.status), "{} {what}", reply.status);
            let blank = value == "%2C%2C%2C" && ["state", "rating__in", "partner__in", "business__in"].contains(&name);
            if reply.status == 200 && filters.contains(&name) {
                assert_eq!(reply.json()["count"] == 8, blank, "{what}");
            }
            if reply.status == 400 {
                assert!(
                    reply.json()["errors"]["json"][name].is_string()
                        || reply.json()["errors"]["json"][name].is_object(),
                    "{what}"
                );
            }
        }
    }
    for broken in ["rating=%", "state=%ff", "%zz=1"] {
        assert_eq!(review_fixtures.ask("admin_1", broken).await.status, 400, "{broken}");
    }
}
