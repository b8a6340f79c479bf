//! Pages about reviews: statistics as charts, and the reviews themselves with their replies. All numbers and texts come from the API.

use std::collections::BTreeMap;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use axum::{Json, Router};
use presence_domain::error::Error;
use presence_domain::ids::OrgId;
use presence_store::Stores;
use serde_json::{Value, json};

use crate::local_only::same_origin_only;
use crate::page::Page;
use crate::sample::DemoKeys;

/// Path of the page with statistics.
pub(crate) const STATS_PATH: &str = "/stats";
/// Path of the page with the reviews.
pub(crate) const REVIEWS_PATH: &str = "/reviews";

const FILTERS: &str = include_str!("../../pages/filters.html");
const STATS_BODY: &str = include_str!("../../pages/stats/page.html");
const REVIEWS_BODY: &str = include_str!("../../pages/reviews/page.html");

/// Files of the page with statistics.
const STATS_FILES: [(&str, &str); 3] = [
    ("stats/stats.css", include_str!("../../pages/stats/stats.css")),
    ("stats/charts.js", include_str!("../../pages/stats/charts.js")),
    ("stats/stats.js", include_str!("../../pages/stats/stats.js")),
];
/// Files of the page with the reviews.
const REVIEWS_FILES: [(&str, &str); 3] = [
    ("reviews/reviews.css", include_str!("../../pages/reviews/reviews.css")),
    ("reviews/review.js", include_str!("../../pages/reviews/review.js")),
    ("reviews/reviews.js", include_str!("../../pages/reviews/reviews.js")),
];

/// Builds the routes of both pages, of their files, and of the organisations that they offer. The pages call the API with these keys.
pub(crate) fn router(store: Stores, keys: &DemoKeys) -> Router {
    let stats = with_filters(STATS_BODY, keys);
    let stats = Page { path: STATS_PATH, title: "Statistics of reviews", body: &stats, files: &STATS_FILES };
    let reviews = with_filters(REVIEWS_BODY, keys);
    let reviews = Page { path: REVIEWS_PATH, title: "Reviews", body: &reviews, files: &REVIEWS_FILES };
    let data = Router::new().route("/reviews/orgs.json", get(list_orgs)).with_state(store);
    same_origin_only(data.merge(stats.router()).merge(reviews.router()))
}

/// Returns the body of a page behind the filters, with the keys as JSON; no character of a key needs escaping in HTML.
fn with_filters(body: &str, keys: &DemoKeys) -> String {
    format!(
        "{FILTERS}{body}<noscript>This page needs JavaScript.</noscript>\n\
        <script type=\"application/json\" id=\"keys\">{}</script>\n",
        json!(keys)
    )
}

async fn list_orgs(State(store): State<Stores>) -> Response {
    match read_orgs(&store).await {
        Ok(orgs) => Json(orgs).into_response(),
        Err(error) => (StatusCode::SERVICE_UNAVAILABLE, error.to_string()).into_response(),
    }
}

/// Returns all organisations by id, each with its businesses by name.
async fn read_orgs(store: &Stores) -> Result<Vec<Value>, Error> {
    let mut orgs: BTreeMap<OrgId, (String, Vec<Value>)> = BTreeMap::new();
    let mut start = None;
    loop {
        let page = store.businesses.list_orgs_page(start).await?;
        orgs.extend(page.items.into_iter().map(|org| (org.id, (org.name, Vec::new()))));
        start = page.next;
        if start.is_none() {
            break;
        }
    }
    loop {
        let page = store.businesses.list_businesses_page(start).await?;
        for business in page.items {
            let entry = json!({"id": business.id.as_str(), "name": business.name, "city": business.city});
            orgs.entry(business.org_id).or_default().1.push(entry);
        }
        start = page.next;
        if start.is_none() {
            break;
        }
    }
    Ok(orgs.into_iter().map(|(id, (name, businesses))| org_json(id, &name, businesses)).collect())
}

fn org_json(id: OrgId, name: &str, mut businesses: Vec<Value>) -> Value {
    businesses.sort_by(|one, other| one["name"].as_str().cmp(&other["name"].as_str()));
    // An organisation that only its businesses name is shown by its id.
    let name = if name.is_empty() { id.to_string() } else { name.to_owned() };
    json!({"id": id.get(), "name": name, "businesses": businesses})
}
