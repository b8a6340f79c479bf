//! Links to other pages of a search.

use std::collections::BTreeMap;

use presence_tests::{Reply, TestStack, send};

use super::sample_stack;

/// Searches, each with the name of its list.
const SEARCHES: [(&str, &str); 4] = [
    ("/user/search?per_page=3&display_business_ids=false", "users"),
    ("/category/search?lang=FR&per_page=60&name=e", "categories"),
    ("/business/search?per_page=1&city=", "businesses"),
    ("/reviews?rating__in=1,2,3&per_page=30&update_date__gte=2024-01-01T00:00:00%2B02:00", "reviews"),
];

/// Returns the addresses of an answer by their relation.
fn links(reply: &Reply) -> BTreeMap<String, String> {
    let header = reply.header("link");
    let link = |text: &str| {
        let (url, relation) = text.strip_prefix('<')?.split_once(">; rel=\"")?;
        Some((relation.strip_suffix('"')?.to_owned(), url.to_owned()))
    };
    let links = header.split(", ").filter(|text| !text.is_empty());
    links.map(|text| link(text).unwrap_or_else(|| panic!("{header}"))).collect()
}

fn relations(reply: &Reply) -> Vec<String> {
    links(reply).into_keys().collect()
}

async fn follow(stack: &TestStack, url: &str) -> Reply {
    let reply = send(stack.request_at("GET", url).header("x-api-key", &stack.local.keys()["ORG_ADMIN"])).await;
    assert_eq!(reply.status, 200, "{url}: {}", reply.text);
    reply
}

fn ids(reply: &Reply, list: &str) -> Vec<String> {
    let found = reply.json();
    let items = found[list].as_array().expect("a list").iter();
    items.map(|item| item["id"].as_str().expect("an id").to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_follows_the_links_sees_every_result_once() {
    let stack = sample_stack().await;
    for (path, list) in SEARCHES {
        let mut reply = follow(&stack, &format!("{}{path}", stack.local.base_url())).await;
        let (count, max_page) = (reply.json()["count"].as_u64(), reply.json()["max_page"].as_u64().expect("a number"));
        assert!(max_page > 2, "{path}: {max_page} pages");
        assert_eq!(relations(&reply), ["first", "last", "next"], "{path}");
        let (mut seen, mut pages) = (ids(&reply, list), vec![1]);
        while let Some(next) = links(&reply).get("next") {
            reply = follow(&stack, next).await;
            seen.extend(ids(&reply, list));
            pages.push(reply.json()["page"].as_u64().expect("a number"));
        }
        assert_eq!(pages, (1..=max_page).collect::<Vec<_>>(), "{path}");
        assert_eq!(relations(&reply), ["first", "last", "prev"], "{path}");
        assert_eq!(Some(seen.len() as u64), count, "{path}");
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(Some(seen.len() as u64), count, "{path}");
        while let Some(previous) = links(&reply).get("prev") {
            reply = follow(&stack, previous).await;
        }
        assert_eq!((reply.json()["page"].as_u64(), links(&reply).len()), (Some(1), 3), "{path}");
        let last = follow(&stack, &links(&reply)["last"]).await;
        assert_eq!(last.json()["page"].as_u64(), Some(max_page), "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn past_the_end_the_previous_page_is_the_last_one() {
    let stack = sample_stack().await;
    let past = format!("{}/category/search?lang=FR&page=9007199254740991", stack.local.base_url());
    let past = follow(&stack, &past).await;
    assert_eq!(
        (relations(&past), ids(&past, "categories").len()),
        (vec!["first".into(), "last".into(), "prev".into()], 0)
    );
    let max_page = past.json()["max_page"].clone();
    assert_eq!(follow(&stack, &links(&past)["prev"]).await.json()["page"], max_page);
    let nothing = format!("{}/category/search?lang=FR&name=no%20such%20thing&page=3", stack.local.base_url());
    let nothing = follow(&stack, &nothing).await;
    assert_eq!((nothing.json()["count"].as_u64(), relations(&nothing)), (Some(0), relations(&past)));
    assert_eq!(follow(&stack, &links(&nothing)["prev"]).await.json()["page"], 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn links_have_the_host_that_was_called_and_all_parameters_but_the_key() {
    let stack = sample_stack().await;
    let key = stack.local.keys()["ORG_ADMIN"].clone();
    let address = stack.local.base_url().trim_start_matches("http://").trim_end_matches("/api/v2").to_owned();
    let port = address.rsplit(':').next().expect("a port");
    let path = format!("/user/search?per_page=1&api_key={key}&page=2&status=active");
    let called = send(stack.request("GET", &path).header("host", format!("localhost:{port}"))).await;
    let url = format!("http://localhost:{port}/api/v2/user/search?per_page=1&page=3&status=active");
    assert_eq!((called.status, links(&called)["next"].as_str()), (200, url.as_str()), "{}", called.text);
    assert!(!called.header("link").contains("api_key") && !called.header("link").contains("pk_"));
    let by_address = send(stack.request("GET", &path)).await;
    assert!(links(&by_address)["next"].starts_with(&format!("http://{address}/")), "{}", by_address.header("link"));
}

#[tokio::test(flavor = "multi_thread")]
async fn links_are_left_out_if_they_are_long_and_of_other_answers() {
    let stack = sample_stack().await;
    let list = |count: usize| (0..count).map(|number| format!("{number:024x}")).collect::<Vec<_>>().join(",");
    for (path, status, has_links) in [
        (format!("/reviews?business__in={}", list(20)), 200, true),
        (format!("/reviews?business__in={}", list(100)), 200, false),
        ("/reviews?rating=9".to_owned(), 400, false),
        ("/user/me".to_owned(), 200, false),
        ("/reviews/stats".to_owned(), 200, false),
        ("/category/5a45214f0d526ae15e54381f?lang=FR".to_owned(), 200, false),
    ] {
        let reply = stack.get(&path, &stack.local.keys()["ORG_ADMIN"]).await;
        // An error links to the page that explains it, and to no page of a search.
        let is_linked = reply.header("link").contains("rel=\"first\"");
        assert_eq!((reply.status, is_linked), (status, has_links), "{path}: {}", reply.text);
    }
}
