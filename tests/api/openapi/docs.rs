//! The page with the description: everything that it is made of comes from the local stack.

use presence_local::Options;
use presence_tests::{Reply, TestStack, long_timeouts, send};

async fn fetch(stack: &TestStack, path: &str) -> Reply {
    let origin = stack.local.base_url().trim_end_matches("/api/v2").to_owned();
    send(reqwest::Client::new().get(format!("{origin}{path}"))).await
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_and_its_parts_come_from_the_stack_alone() {
    let stack = TestStack::with(Options { sample: true, ..long_timeouts() }).await;
    let page = send(reqwest::Client::new().get(stack.local.docs_url())).await;
    assert_eq!(page.status, 200);
    for key in stack.local.keys().values() {
        assert!(page.text.contains(key), "the page offers every key");
    }
    let parts: Vec<&str> = page.text.split('"').filter(|text| text.starts_with('/')).collect();
    assert!(parts.len() > 4, "{parts:?}");
    for part in parts {
        assert_eq!(fetch(&stack, part).await.status, 200, "{part}");
    }
    assert!(!page.text.contains("https://") && !page.text.contains("http://"), "nothing from elsewhere");
    let script = fetch(&stack, "/docs/swagger-ui-bundle.js").await;
    assert_eq!((script.header("content-type"), script.text.len() > 100_000), ("text/javascript", true));
    assert_eq!(fetch(&stack, "/docs/elsewhere.js").await.status, 404);
}
