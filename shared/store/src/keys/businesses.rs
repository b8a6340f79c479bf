//! Keys of the businesses table.

use presence_domain::ids::{BusinessId, OrgId};

/// Key of the head of the log of changes, in the businesses table.
pub const BUSINESS_CHANGES_HEAD_PK: &str = "CHANGES";
/// Prefix of the keys of its slots.
pub const BUSINESS_CHANGES_PK_PREFIX: &str = "CHANGES#";

/// Key of the register of unfinished moves, in the businesses table.
pub const MOVES_PK: &str = "MOVES";

/// Returns the key of an organisation in the businesses table.
pub fn org_pk(org_id: OrgId) -> String {
    format!("ORG#{org_id}")
}

/// Returns the key of a business in the businesses table.
pub fn business_pk(id: &BusinessId) -> String {
    format!("BUSINESS#{}", id.as_str())
}

/// Returns the sort key of `city-index`: the city key, then the business.
pub fn city_listing(city_key: &str, id: &BusinessId) -> String {
    format!("{city_key}#{}", id.as_str())
}

/// Returns the key of a slot of the log of changes in the businesses table.
pub fn business_changes_pk(slot: u64) -> String {
    format!("{BUSINESS_CHANGES_PK_PREFIX}{slot:04}")
}
