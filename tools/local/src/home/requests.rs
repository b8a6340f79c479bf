//! Requests to the API: their page, and the same as JSON. The requests of the pages are not among them.

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};

use super::data_json;
use crate::history::{Exchange, RequestHistory};
use crate::page::Page;
use crate::sample::DemoKeys;

const BODY: &str = include_str!("../../pages/requests/page.html");

#[derive(Deserialize)]
struct Wanted {
    /// Number of the newest request that the client knows.
    #[serde(default)]
    after: u64,
}

/// Builds the routes of the page; `/home/requests.json?after=N` lists newer requests, oldest first, and `/home/requests/N` has a whole one.
pub(super) fn router(history: Arc<RequestHistory>, keys: &DemoKeys) -> Router {
    let page = Page {
        path: "/requests",
        title: "Requests",
        body: &BODY.replace("{{data}}", &data_json(keys)),
        files: &[
            ("requests/row.js", include_str!("../../pages/requests/row.js")),
            ("requests/requests.js", include_str!("../../pages/requests/requests.js")),
        ],
    };
    Router::new()
        .route("/home/requests.json", get(list_requests))
        .route("/home/requests/{number}", get(get_request))
        .with_state(history)
        .merge(page.router())
}

async fn list_requests(State(history): State<Arc<RequestHistory>>, Query(wanted): Query<Wanted>) -> Json<Value> {
    let (newer, count) = history.after(wanted.after);
    let newer: Vec<Value> = newer.iter().map(|(number, exchange)| summary(*number, exchange)).collect();
    Json(json!({"count": count, "requests": newer}))
}

async fn get_request(State(history): State<Arc<RequestHistory>>, Path(number): Path<u64>) -> Response {
    match history.get(number) {
        Some(exchange) => Json(&*exchange).into_response(),
        None => (StatusCode::NOT_FOUND, "this request is no longer kept").into_response(),
    }
}

fn summary(number: u64, exchange: &Exchange) -> Value {
    json!({
        "number": number,
        "at": exchange.at,
        "method": exchange.method,
        "target": exchange.target,
        "status": exchange.status,
        "milliseconds": exchange.milliseconds,
        "facts": exchange.facts,
        "request_id": exchange.headers["x-request-id"],
    })
}
