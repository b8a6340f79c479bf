//! Filters of statistics: every case of the search, with its number of reviews or its refusal.

use serde_json::{Value, json};

use super::super::cases;
use super::super::fixtures::{Case, Expected, ReviewFixtures};

/// Lower bound of the number of cases, so that few are left out.
const MIN_CASES: usize = 60;
/// Parameters of the search that statistics do not have, and what other APIs call them.
const ONLY_OF_THE_SEARCH: [&str; 5] = ["page", "per_page", "order_by", "limit", "sort"];

fn has_parameter_of_the_search(case: &Case) -> bool {
    let names = case.query.split('&').filter_map(|part| part.split('=').next());
    names.into_iter().any(|name| ONLY_OF_THE_SEARCH.contains(&name))
}

/// Returns the sum of all numbers of an object.
fn sum(numbers: &Value) -> u64 {
    numbers.as_object().expect("an object").values().map(|number| number.as_u64().expect("a number")).sum()
}

#[tokio::test(flavor = "multi_thread")]
async fn each_filter_counts_what_the_search_finds_and_is_refused_alike() {
    let review_fixtures = ReviewFixtures::new().await;
    let cases: Vec<_> = cases().into_iter().filter(|case| !has_parameter_of_the_search(case)).collect();
    assert!(cases.len() >= MIN_CASES, "{} cases", cases.len());
    for Case { reason, by, query, expected } in cases {
        let reply = review_fixtures.stats(by, &query).await;
        let what = format!("{reason}: {query}: {}", reply.text);
        match expected {
            Expected::Page { count, .. } => {
                assert_eq!((reply.status, &reply.json()["count"]), (200, &json!(count)), "{what}");
                let body = reply.json();
                let count = count as u64;
                for numbers in ["ratings", "states", "partners"] {
                    assert_eq!(sum(&body[numbers]), count, "{what}");
                }
                let with_and_without = ["with_content", "without_content"].map(|name| body[name].as_u64());
                assert_eq!(with_and_without.map(Option::unwrap_or_default).iter().sum::<u64>(), count, "{what}");
            }
            Expected::Bad(fields) => {
                assert_eq!((reply.status, reply.text), (400, format!(r#"{{"errors":{{"json":{fields}}}}}"#)));
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_and_orders_are_no_parameters_of_statistics() {
    let review_fixtures = ReviewFixtures::new().await;
    for parameter in ["page=1", "per_page=30", "order_by=update_date", "page="] {
        let name = parameter.split('=').next().expect("a name");
        let reply = review_fixtures.stats("admin_1", parameter).await;
        let text = format!(r#"{{"errors":{{"json":{{"{name}":"is not a parameter of this operation"}}}}}}"#);
        assert_eq!((reply.status, reply.text), (400, text));
    }
}
