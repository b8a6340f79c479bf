//! Filter of a search of businesses.

use std::collections::HashSet;

use super::ListedBusiness;
use crate::fuzzy::{FuzzyQueryError, MAX_WORDS};
use crate::ids::OrgId;
use crate::text::city_key;
use crate::work::{TooCostlyError, Work};

/// Bytes of a name or city that are searched in a unit of work.
const SEARCHED_BYTES: usize = 16;

/// Filter of businesses. Every part must admit a business.
#[derive(Clone, Debug, Default)]
pub struct BusinessFilter {
    /// Organisation whose businesses match; `None` for every one.
    pub org_id: Option<OrgId>,
    /// Words in the name or the city.
    pub query: Option<BusinessQuery>,
    /// City, as a [`city_key`].
    pub city_key: Option<String>,
    /// Work of the search so far.
    pub work: Work,
}

/// Words that all must be a part of the name or the city of a business, folded as names of cities.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BusinessQuery(Vec<String>);

impl BusinessQuery {
    /// Reads the words of a text, split at white space. Nothing may be left of a word, as of a hyphen. Repeated words are dropped.
    pub fn parse(text: &str) -> Result<Self, FuzzyQueryError> {
        let mut seen = HashSet::new();
        let words = text.split_whitespace().map(city_key).filter(|word| !word.is_empty() && seen.insert(word.clone()));
        let words: Vec<String> = words.collect();
        match words.len() {
            0 => Err(FuzzyQueryError::NoWords),
            1..=MAX_WORDS => Ok(Self(words)),
            _ => Err(FuzzyQueryError::TooManyWords),
        }
    }

    fn admits(&self, business: &ListedBusiness, work: &Work) -> Result<bool, TooCostlyError> {
        let (name, city) = (&business.name_key, &business.city_key);
        for word in &self.0 {
            work.add("query", 1 + (name.len() + city.len()) / SEARCHED_BYTES)?;
            if !name.contains(word) && !city.contains(word) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

impl BusinessFilter {
    /// Returns true if every part of the filter admits the business.
    pub(super) fn admits(&self, business: &ListedBusiness) -> Result<bool, TooCostlyError> {
        let is_candidate = self.org_id.is_none_or(|org_id| business.org_id == org_id)
            && self.city_key.as_ref().is_none_or(|city| business.city_key == *city);
        match &self.query {
            Some(query) if is_candidate => query.admits(business, &self.work),
            _ => Ok(is_candidate),
        }
    }
}
