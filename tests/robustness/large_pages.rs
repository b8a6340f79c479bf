//! Pages that would be larger than the 6 MB that Lambda accepts.

use std::io::Read as _;
use std::sync::Arc;

use flate2::read::GzDecoder;
use presence_domain::ids::BusinessId;
use presence_domain::review::{Review, ReviewId};
use presence_domain::user::{Role, Status, User};
use presence_local::gateway::LocalFunction;
use presence_store::ReviewWrite;
use presence_tests::{Fixtures, Reply, TestStack, in_process_client, long_timeouts, send, test_user};
use serde_json::{Value, json};

use crate::api::categories::{load, parse};
use crate::api::reviews::fixtures::{seeded_review, write_reviews};

/// Limit of Lambda for the JSON of an answer, in bytes.
const MAX_ANSWER_BYTES: usize = 6 * 1024 * 1024;
const REFUSAL: &str = r#"{"errors":{"json":{"per_page":"the page would be larger than 6 MB: ask for fewer"}}}"#;

/// Asserts that the size of the page is refused.
fn assert_refused(reply: &Reply) {
    assert_eq!((reply.status, reply.text.as_str()), (400, REFUSAL));
}

fn assert_page(reply: &Reply, key: &str, length: usize) {
    assert_eq!(reply.status, 200, "{}", reply.text);
    assert_eq!(reply.json()[key].as_array().map(Vec::len), Some(length));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_users_with_many_businesses_is_refused_if_too_large() {
    let (stack, fixtures) = Fixtures::start().await;
    // The longest ids: fewer of them fill a page.
    let ids: Vec<_> =
        (0..986).map(|number| BusinessId::parse(&format!("business-{number:055}")).expect("an id")).collect();
    for number in 0..100 {
        let user = test_user(&format!("many-{number}"), Role::BusinessManager, Some(9), Status::Active);
        stack.put_user(&User { business_ids: ids.clone(), ..user }).await;
    }
    let ask = |query| stack.get(query, &fixtures.provider.key);
    assert_refused(&ask("/user/search?org_id=9&per_page=95").await);
    assert_page(&ask("/user/search?org_id=9&per_page=90").await, "users", 90);
    assert_page(&ask("/user/search?org_id=9&per_page=95&display_business_ids=false").await, "users", 95);
    assert_page(&ask("/user/search?org_id=9&per_page=95&page=2").await, "users", 5);
}

/// Stores so many reviews with this content.
async fn store_reviews(stack: &TestStack, count: usize, content: &str) -> Vec<Review> {
    let template = seeded_review("a");
    let reviews: Vec<_> = (0..count)
        .map(|number| Review {
            id: ReviewId::parse(&format!("{number:012}")).expect("an id"),
            partner_id: format!("large {number}"),
            date: template.date + i64::try_from(number).expect("a small number"),
            content: Some(content.to_owned()),
            ..template.clone()
        })
        .collect();
    stack.fill_reviews(&reviews).await;
    reviews
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_is_too_large_is_served_to_a_client_that_takes_gzip() {
    let (stack, fixtures) = Fixtures::start().await;
    store_reviews(&stack, 40, &"\"".repeat(40_000)).await;
    let ask = |method, coding| {
        let request = stack.request(method, "/reviews?per_page=40").header("x-api-key", &fixtures.admin_1.key);
        request.header("accept-encoding", coding)
    };
    for coding in ["identity", "gzip;q=0", "br"] {
        assert_refused(&send(ask("GET", coding)).await);
    }
    assert_eq!(send(ask("HEAD", "identity")).await.status, 400);
    let page = ask("GET", "gzip").send().await.expect("the gateway answers");
    assert_eq!((page.status().as_u16(), page.headers()["content-encoding"].as_bytes()), (200, &b"gzip"[..]));
    let compressed = page.bytes().await.expect("a body");
    // The reader of serde_json takes one byte at a time.
    let mut text = Vec::new();
    GzDecoder::new(&compressed[..]).read_to_end(&mut text).expect("gzip");
    let page: Value = serde_json::from_slice(&text).expect("JSON");
    assert_eq!(page["reviews"].as_array().map(Vec::len), Some(40));
    let head = send(ask("HEAD", "gzip")).await;
    assert_eq!((head.status, head.header("content-length")), (200, compressed.len().to_string().as_str()));
}

#[tokio::test(flavor = "multi_thread")]
async fn quotation_marks_of_categories_count_with_their_escapes() {
    let (stack, fixtures) = Fixtures::start().await;
    let marks = "\"".repeat(255);
    let row = |number: usize| {
        let ids: Vec<_> = (0..62).map(|_| &marks).collect();
        json!({"id": format!("c-{number}"), "code": "c", "names": {"GB": "Marks"}, "partners": {"partner_1": ids}})
    };
    let rows: Vec<_> = (0..100).map(|number| row(number).to_string()).collect();
    load(stack.stores(), parse(&rows.join("\n"))).await;
    let ask = |query| stack.get(query, &fixtures.manager_1.key);
    assert_refused(&ask("/category/search?lang=GB&per_page=100").await);
    assert_page(&ask("/category/search?lang=GB&per_page=90").await, "categories", 90);
    assert_page(&ask("/category/search?lang=GB").await, "categories", 30);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_exactly_the_limit_passes_and_one_byte_more_is_refused() {
    let (stack, fixtures) = Fixtures::start().await;
    // The content has characters of one byte and of two, an escape of two bytes and one of six.
    let mut review = store_reviews(&stack, 40, &format!("{}é\"\u{1}", "x".repeat(157_000))).await.swap_remove(7);
    let function = reviews_function(&stack);
    let (mut room, mut answers) = (0_usize, Vec::new());
    for more in [None, Some(0), Some(1), Some(-1)] {
        let length = more.map_or(0, |more: isize| room.checked_add_signed(more).expect("a positive number"));
        let content = ["é\"\u{1}", &"y".repeat(length)].concat();
        let old = review.clone();
        review.content = Some(content);
        write_reviews(&stack, vec![ReviewWrite { old: Some(old), new: review.clone() }]).await;
        review.version += 1;
        let (status, bytes) = invoke(&function, &fixtures.admin_1.key).await;
        if more.is_none() {
            assert_eq!(status, 200);
            room = MAX_ANSWER_BYTES - bytes;
        }
        answers.push((status, bytes));
    }
    assert!((1_000..200_000).contains(&room), "{room} bytes are left");
    assert_eq!((answers[1], answers[2].0, answers[3]), ((200, MAX_ANSWER_BYTES), 400, (200, MAX_ANSWER_BYTES - 1)));
}

/// Returns the reviews function behind the limits of Lambda, as in the local stack.
fn reviews_function(stack: &TestStack) -> LocalFunction {
    let stores = stack.stores_through(in_process_client(), long_timeouts(), stack.table_prefix());
    let app = Arc::new(presence_reviews::App::new(&stores.database, Arc::clone(&stack.clock) as _, None));
    LocalFunction::new("reviews", move |request| presence_reviews::handle(Arc::clone(&app), request))
        .with_timeout(std::time::Duration::from_mins(2))
}

/// Returns the status of a page of forty, and the size of the JSON that the function returns to Lambda.
async fn invoke(function: &LocalFunction, key: &str) -> (i64, usize) {
    let event = json!({
        "version": "2.0", "routeKey": "GET /api/v2/reviews", "rawPath": "/api/v2/reviews",
        "rawQueryString": "per_page=40", "headers": {"host": "localhost", "x-api-key": key},
        "requestContext": {"http": {"method": "GET", "path": "/api/v2/reviews"}, "stage": "$default"},
        "isBase64Encoded": false,
    });
    let answer = function.invoke(event.to_string().into_bytes(), "Root=1-69a42a40-0123456789abcdef01234567").await;
    let answer = answer.expect("Lambda lets it through");
    (answer.status_code, serde_json::to_vec(&answer).expect("JSON").len())
}
