//! Filter of a search of businesses.

use super::ListedBusiness;
use crate::ids::OrgId;
use crate::text::city_key;

/// Filter of businesses. Every part must admit a business.
#[derive(Clone, Debug, Default)]
pub struct BusinessFilter {
    /// Organisation whose businesses match; `None` for every one.
    pub org_id: Option<OrgId>,
    /// Words in the name or the city.
    pub query: Option<BusinessQuery>,
    /// City, as a [`city_key`].
    pub city_key: Option<String>,
}

/// Words that all must be a part of the name or the city of a business, folded as names of cities.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BusinessQuery(Vec<String>);

impl BusinessQuery {
    /// Reads the words of a text, split at white space. `None` if nothing is left of them, as of a hyphen.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let words = text.split_whitespace().map(city_key).filter(|word| !word.is_empty());
        let words: Vec<String> = words.collect();
        (!words.is_empty()).then_some(Self(words))
    }

    fn admits(&self, business: &ListedBusiness) -> bool {
        self.0.iter().all(|word| business.name_key.contains(word) || business.city_key.contains(word))
    }
}

impl BusinessFilter {
    /// True if every part of the filter admits the business.
    #[must_use]
    pub fn admits(&self, business: &ListedBusiness) -> bool {
        self.org_id.is_none_or(|org_id| business.org_id == org_id)
            && self.city_key.as_ref().is_none_or(|city| business.city_key == *city)
            && self.query.as_ref().is_none_or(|query| query.admits(business))
    }
}
