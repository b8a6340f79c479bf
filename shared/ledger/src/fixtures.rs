//! Values for tests that do not depend on them.

use presence_domain::ids::{BusinessId, OrgId};
use presence_domain::review::{FacetKey, FacetMask};

use crate::{Place, Posting, PostingFilter, PostingKey};

/// Filter that admits every posting.
pub(crate) const EVERYTHING: PostingFilter = PostingFilter { mask: FacetMask::ALL, from: None, to: None };

pub(crate) fn org_id() -> OrgId {
    OrgId::new(1).expect("an id")
}

pub(crate) fn facet_key() -> FacetKey {
    FacetKey::from_number(7).expect("a key")
}

/// Returns a posting whose key is the first one of a second since 1970.
pub(crate) fn posting_at(second: i64) -> Posting {
    Posting { key: PostingKey::at(second), facet_key: facet_key(), version: 1 }
}

pub(crate) fn place() -> Place {
    let business_id = BusinessId::parse("b1").expect("an id");
    Place { effective_at: 100, facet_key: facet_key(), city_key: "1".to_owned(), business_id }
}
