//! Books: the sets of reviews that are counted.

use crate::ids::OrgId;

/// The reviews of an organisation, or of one city of it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Book {
    /// All of an organisation.
    Org(OrgId),
    /// Those of its businesses in a city, by the city's folded name.
    City(OrgId, String),
}

impl Book {
    /// The organisation whose reviews they are.
    #[must_use]
    pub fn org_id(&self) -> OrgId {
        match self {
            Self::Org(org_id) | Self::City(org_id, _) => *org_id,
        }
    }
}

impl std::fmt::Display for Book {
    /// As it stands in keys.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Org(org_id) => write!(f, "o:{org_id}"),
            Self::City(org_id, city_key) => write!(f, "c:{org_id}:{city_key}"),
        }
    }
}
