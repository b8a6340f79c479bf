//! Filters, order, pages, scope and refusals.

use presence_tests::{Fixtures, Reply, TestStack};

use super::{fill, found};

async fn search(stack: &TestStack, key: &str, query: &str) -> Reply {
    stack.get(&format!("/business/search?{query}"), key).await
}

/// Returns the ids on the only page, without the businesses of the fixtures.
fn ids(reply: &Reply) -> String {
    let lines = found(reply).into_iter().filter(|line| line.starts_with('m'));
    lines.map(|line| line.split(':').next().expect("an id").to_owned()).collect::<Vec<_>>().join(" ")
}

fn key<'a>(fixtures: &'a Fixtures, by: &str) -> &'a str {
    match by {
        "provider" => &fixtures.provider.key,
        "provider_in_1" => &fixtures.provider_in_1.key,
        "admin_2" => &fixtures.admin_2.key,
        "manager_1" => &fixtures.manager_1.key,
        _ => &fixtures.admin_1.key,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_case_finds_what_all_its_filters_admit_in_the_scope_of_the_caller() {
    let stack = TestStack::start().await;
    let fixtures = fill(&stack).await;
    for (reason, by, query, expected) in [
        ("the own organisation, by folded name", "admin_1", "", "m2 m1 m5"),
        ("a manager sees the whole organisation", "manager_1", "", "m2 m1 m5"),
        ("another organisation", "admin_2", "", "m3 m6 m4"),
        ("all organisations in one order: name, then id", "provider", "", "m2 m3 m1 m5 m6 m4"),
        ("so for a PROVIDER in an organisation", "provider_in_1", "", "m2 m3 m1 m5 m6 m4"),
        ("a PROVIDER names any organisation", "provider", "org_id=2", "m3 m6 m4"),
        ("others their own", "admin_1", "org_id=1", "m2 m1 m5"),
        ("an organisation without businesses", "provider", "org_id=9007199254740991", ""),
        ("a part of the name in another spelling", "provider", "query=ECLA", "m1 m5"),
        ("every word, in name or city", "provider", "query=eclair+lyon", "m1"),
        ("words in any order, at white space of any kind", "provider", "query=%20or%C2%A0boutique%E3%80%80", "m2 m3"),
        ("apostrophes and hyphens as in cities", "provider", "query=d%27or+etienne", "m2"),
        ("a word of folded parts", "provider", "query=hay-les", "m3"),
        ("no such word", "provider", "query=eclair+paris", ""),
        ("foreign businesses are not found", "admin_2", "query=eclair", ""),
        ("the whole city", "provider", "city=SAINT+ETIENNE", "m2"),
        ("not a part of it", "provider", "city=saint", ""),
        ("a city in two organisations", "provider", "city=lyon", "m1 m6"),
        ("all filters", "provider", "city=lyon&org_id=2&query=sho", "m6"),
        ("blank filters count as not given", "admin_1", "query=&city=%20&org_id=", "m2 m1 m5"),
    ] {
        let reply = search(&stack, key(&fixtures, by), &format!("{query}&per_page=100")).await;
        assert_eq!(ids(&reply), expected, "{reason}: {query}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_query_of_more_than_32_words_is_refused() {
    let (stack, fixtures) = Fixtures::start().await;
    let words = |count: usize| (0..count).map(|number| format!("w{number}")).collect::<Vec<_>>().join("+");
    let reply = search(&stack, &fixtures.admin_1.key, &format!("query={}+w1", words(32))).await;
    assert_eq!(ids(&reply), "");
    let reply = search(&stack, &fixtures.admin_1.key, &format!("query={}", words(33))).await;
    assert_eq!((reply.status, reply.json()["errors"]["json"]["query"].as_str()), (400, Some("has more than 32 words")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_business_has_exactly_its_four_fields() {
    let stack = TestStack::start().await;
    let fixtures = fill(&stack).await;
    let reply = search(&stack, &fixtures.provider.key, "query=roses").await;
    let expected = r#"{"page":1,"max_page":1,"count":1,"businesses":[{"id":"m3","org_id":2,"name":"Boutique d'or","city":"L’Haÿ-les-Roses"}]}"#;
    assert_eq!((reply.status, reply.text.as_str()), (200, expected));
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_show_every_business_once_in_order() {
    let stack = TestStack::start().await;
    let fixtures = fill(&stack).await;
    let key = &fixtures.provider.key;
    let all = found(&search(&stack, key, "per_page=100").await);
    let mut seen = Vec::new();
    for page in 1..=all.len().div_ceil(3) {
        let reply = search(&stack, key, &format!("per_page=3&page={page}")).await.json();
        assert_eq!((&reply["count"], &reply["max_page"]), (&all.len().into(), &all.len().div_ceil(3).into()));
        let names = reply["businesses"].as_array().expect("a page").iter();
        seen.extend(names.map(|one| one["id"].as_str().expect("an id").to_owned()));
    }
    let ids: Vec<_> = all.iter().map(|line| line.split(':').next().expect("an id")).collect();
    assert_eq!(seen, ids);
    let past = search(&stack, key, "per_page=3&page=99").await.json();
    assert_eq!((&past["page"], past["businesses"].as_array().map(Vec::len)), (&99.into(), Some(0)));
}

#[tokio::test(flavor = "multi_thread")]
async fn another_organisation_is_refused_before_the_fields() {
    let stack = TestStack::start().await;
    let fixtures = fill(&stack).await;
    let refused = search(&stack, &fixtures.manager_1.key, "org_id=2&bogus=1").await;
    let expected =
        r#"{"errors":{"authorization":"a BUSINESS_MANAGER may not read businesses of another organisation"}}"#;
    assert_eq!((refused.status, refused.text.as_str()), (403, expected));
}
