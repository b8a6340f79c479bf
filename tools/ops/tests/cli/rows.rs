//! Rows of import files, and the summary that an import prints.

use serde_json::{Value, json};

/// Rows of the organisations 42 and 43.
pub(super) const ORGS: &str = "{\"id\": 42, \"name\": \"Fast Retailer\"}\n{\"id\": 43, \"name\": \"Slow Retailer\"}\n";

/// Returns the line of a business.
pub(super) fn business_row(id: &str, org_id: u64, city: &str) -> String {
    format!("{}\n", json!({ "id": id, "org_id": org_id, "name": "Corner shop", "city": city }))
}

/// Returns the line of a review.
pub(super) fn review_row(business_id: &str, number: u64) -> String {
    let row = json!({ "business_id": business_id, "partner": "partner_8", "partner_id": format!("id-{number}"),
        "date": "2024-03-01", "rating": 5, "state": "treated" });
    format!("{row}\n")
}

/// Returns the summary of an import with `--json`.
pub(super) fn summary(created: u64, updated: u64, unchanged: u64, rejected: u64) -> Value {
    json!({ "created": created, "updated": updated, "unchanged": unchanged, "rejected": rejected })
}
