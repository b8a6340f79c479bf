//! Page with statistics of reviews, as charts that it draws itself. The numbers come from the API.

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

/// Path of the page.
pub(crate) const STATS_PATH: &str = "/stats";

const BODY: &str = include_str!("../../pages/stats/page.html");
/// Placeholder of the keys in the page. They are inserted as JSON; no character of a key needs escaping in HTML.
const KEYS_PLACEHOLDER: &str = "{{keys}}";

/// Files of the page.
const FILES: [(&str, &str); 3] = [
    ("stats/stats.css", include_str!("../../pages/stats/stats.css")),
    ("stats/charts.js", include_str!("../../pages/stats/charts.js")),
    ("stats/stats.js", include_str!("../../pages/stats/stats.js")),
];

/// Builds the routes of the page, of its files, and of the organisations that it offers. The page calls the API with these keys.
pub(crate) fn router(store: Stores, keys: &DemoKeys) -> Router {
    let body = BODY.replace(KEYS_PLACEHOLDER, &json!(keys).to_string());
    let page = Page { path: STATS_PATH, title: "Statistics of reviews", body: &body, files: &FILES };
    let data = Router::new().route("/stats/orgs.json", get(list_orgs)).with_state(store);
    same_origin_only(data.merge(page.router()))
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
