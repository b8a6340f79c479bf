//! Start page of the local stack: its state, a key, a call, an invitation and the last requests; and the pages of requests and tables.

mod calls;
mod item_json;
mod item_kinds;
mod overview;
mod requests;
mod tables;

use std::sync::Arc;

use aws_sdk_dynamodb::Client;
use aws_types::SdkConfig;
use axum::Router;
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use http::HeaderMap;
use http::header::ACCEPT;
use presence_store::Database;
use serde_json::{Value, json};

use crate::gateway::not_found;
use crate::history::RequestHistory;
use crate::host::ApiHost;
use crate::local_only::same_origin_only;
use crate::page::{self, Page};
use crate::sample::DemoKeys;
pub(crate) use overview::escaped;
use tables::Tables;

pub use calls::{SAMPLE_CALLS, SampleCall};
pub(crate) use overview::Overview;

const PAGE: Page<'_> = Page {
    path: "/",
    title: "Local stack",
    body: include_str!("../../pages/home/page.html"),
    files: &[
        ("home/home.css", include_str!("../../pages/home/home.css")),
        ("home/key.js", include_str!("../../pages/home/key.js")),
        ("home/call.js", include_str!("../../pages/home/call.js")),
        ("home/invite.js", include_str!("../../pages/home/invite.js")),
        ("home/home.js", include_str!("../../pages/home/home.js")),
    ],
};

/// Words for the role of a key.
const ROLES: [(&str, &str); 3] = [
    ("PROVIDER", "sees every organisation"),
    ("ORG_ADMIN", "runs one organisation"),
    ("BUSINESS_MANAGER", "sees the reviews of some businesses"),
];

/// Parts of a stack that its start page shows.
pub(crate) struct Home<'a> {
    /// Settings of the stack.
    pub(crate) overview: Overview,
    /// Demo keys.
    pub(crate) keys: &'a DemoKeys,
    /// Requests to the API.
    pub(crate) history: Arc<RequestHistory>,
    /// Connection to DynamoDB without limits.
    pub(crate) config: &'a SdkConfig,
    /// Names of the tables.
    pub(crate) database: Database,
}

impl Home<'_> {
    /// Builds the routes of the page and of its data.
    pub(crate) fn router(self) -> Router {
        let Self { overview, keys, history, config, database } = self;
        let html = PAGE.html().replace("{{keys}}", &keys_html(keys)).replace("{{data}}", &data_json(keys));
        let page = move |headers: HeaderMap| async move { start_page(&html, &overview, &headers) };
        let tables = Tables { client: Client::new(config), database };
        let routes = Router::new()
            .route(PAGE.path, get(page).fallback(|| async { not_found() }))
            .merge(PAGE.files())
            .merge(requests::router(history, keys))
            .merge(tables::router(tables));
        same_origin_only(routes)
    }
}

/// Returns the page; the answer of the API for an unknown path to a client that asks for JSON only.
fn start_page(html: &str, overview: &Overview, headers: &HeaderMap) -> Response {
    let accept = headers.get(ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if accept.contains("application/json") && !accept.contains("text/html") {
        return not_found();
    }
    let host =
        ApiHost::from_headers(headers).map_or_else(|_| "localhost".to_owned(), |host| host.authority().to_owned());
    let state = overview.state_html(&format!("http://{host}"));
    let html = html.replace("{{state}}", &state).replace("{{overview}}", &overview.html());
    page::answer(html.replace("{{first_key}}", &overview.first_key_html())).into_response()
}

/// Returns the keys for readers without scripts: roles and their keys.
fn keys_html(keys: &DemoKeys) -> String {
    let rows = ROLES.iter().filter_map(|(role, words)| {
        let key = escaped(keys.get(role)?);
        Some(format!("<div><dt>{role}</dt><dd>{words}: <code>{key}</code></dd></div>\n"))
    });
    rows.collect()
}

/// Returns the data of the scripts: calls, keys and the words for their roles. No character of them ends the element.
fn data_json(keys: &DemoKeys) -> String {
    let calls: Vec<Value> = SAMPLE_CALLS.iter().map(SampleCall::json).collect();
    json!({"keys": keys, "roles": ROLES, "calls": calls}).to_string().replace('<', "\\u003c")
}
