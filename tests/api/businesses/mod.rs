//! `GET /api/v2/business/search`: parameters, scope, order, cost, and currency while businesses change.

mod cases;
mod cost;
mod currency;

use presence_domain::ids::{BusinessId, OrgId};
use presence_store::{Business, Stores};
use presence_tests::{Fixtures, Reply, TestStack};

/// Businesses: id, organisation, name, city.
const BUSINESSES: [(&str, u64, &str, &str); 6] = [
    ("m1", 1, "Éclair", "Lyon"),
    ("m2", 1, "boutique d’Or", "Saint-Étienne"),
    ("m3", 2, "Boutique d'or", "L’Haÿ-les-Roses"),
    ("m4", 2, "Zoo", ""),
    ("m5", 1, "Éclair du Nord", "Lille"),
    ("m6", 2, "Shop", "Lyon"),
];

fn business(id: &str, org: u64, name: &str, city: &str) -> Business {
    Business {
        id: BusinessId::parse(id).expect("an id"),
        org_id: OrgId::new(org).expect("an id"),
        name: name.to_owned(),
        city: city.to_owned(),
    }
}

async fn put(stores: &Stores, (id, org, name, city): (&str, u64, &str, &str)) {
    stores.businesses.put(&business(id, org, name, city)).await.expect("the store answers");
}

/// Starts nothing: adds the businesses beside those of the fixtures, which are called `Shop`.
async fn fill(stack: &TestStack) -> Fixtures {
    let fixtures = Fixtures::create(stack).await;
    for row in BUSINESSES {
        put(stack.stores(), row).await;
    }
    fixtures
}

/// Returns each business of the only page as `id:org:name:city`.
fn found(reply: &Reply) -> Vec<String> {
    assert_eq!(reply.status, 200, "{}", reply.text);
    let page = reply.json();
    let businesses = page["businesses"].as_array().expect("a page");
    assert_eq!((&page["count"], &page["page"]), (&businesses.len().into(), &1.into()), "{}", reply.text);
    let text = |value: &serde_json::Value| value.as_str().expect("text").to_owned();
    let line = |one: &serde_json::Value| {
        format!(
            "{}:{}:{}:{}",
            text(&one["id"]),
            one["org_id"].as_u64().expect("a number"),
            text(&one["name"]),
            text(&one["city"])
        )
    };
    businesses.iter().map(line).collect()
}

/// Returns what the table holds, as [`found`] does, by a scan that no directory is part of.
async fn stored(stack: &TestStack) -> Vec<String> {
    let page = stack.stores().businesses.list_businesses_page(None).await.expect("the store answers");
    assert!(page.next.is_none(), "one page");
    let mut lines: Vec<_> =
        page.items.iter().map(|one| format!("{}:{}:{}:{}", one.id.as_str(), one.org_id, one.name, one.city)).collect();
    lines.sort_unstable();
    lines
}

fn sorted(mut lines: Vec<String>) -> Vec<String> {
    lines.sort_unstable();
    lines
}
