//! Sets of reviews that the ledger counts together.

use presence_domain::ids::{BusinessId, OrgId};

/// The reviews that are counted together: those of an organisation, of one of its cities, or of one of its businesses.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReviewSet {
    /// All reviews of an organisation.
    Org(OrgId),
    /// The reviews of an organisation's businesses in one city, named by its [`city_key`](presence_domain::text::city_key).
    City(OrgId, String),
    /// The reviews of one business.
    Business(OrgId, BusinessId),
}

impl ReviewSet {
    /// Returns the organisation that the reviews belong to.
    pub fn org_id(&self) -> OrgId {
        match self {
            Self::Org(org_id) | Self::City(org_id, _) | Self::Business(org_id, _) => *org_id,
        }
    }
}

impl std::fmt::Display for ReviewSet {
    /// Writes the form that storage keys contain.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Org(org_id) => write!(f, "o:{org_id}"),
            Self::City(org_id, city_key) => write!(f, "c:{org_id}:{city_key}"),
            Self::Business(org_id, business_id) => write!(f, "b:{org_id}:{}", business_id.as_str()),
        }
    }
}
