//! All categories in memory: found, filtered and ordered without a read.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use super::{Category, CategoryId, Country, lang};
use crate::page::{Page, PageRequest};
use crate::text::fold;

/// What a name must be like.
#[derive(Clone, Debug)]
pub struct NameFilter {
    /// Exactly the id or the code, as typed.
    pub exact: String,
    /// Or this in the name, folded.
    pub folded: String,
}

/// The categories of one version of the directory, in the order of answers in each language.
#[derive(Debug)]
pub struct CategoryDirectory {
    version: u64,
    /// By id.
    categories: Vec<Category>,
    /// The languages in which at least one category has a name; made when first asked for.
    listings: BTreeMap<Country, OnceLock<Vec<Listed>>>,
}

/// A category in one language.
#[derive(Debug)]
struct Listed {
    folded_name: String,
    position: usize,
}

impl CategoryDirectory {
    /// Orders the categories, of which no two have one id.
    #[must_use]
    pub fn new(version: u64, mut categories: Vec<Category>) -> Self {
        categories.sort_unstable_by(|one, other| one.id.cmp(&other.id));
        let languages: BTreeSet<Country> =
            categories.iter().flat_map(|category| category.names.keys().copied()).collect();
        let listings = languages.into_iter().map(|lang| (lang, OnceLock::new())).collect();
        Self { version, categories, listings }
    }

    /// The version that it was read at.
    #[must_use]
    pub fn version(&self) -> u64 {
        self.version
    }

    /// How many categories there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.categories.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.categories.is_empty()
    }

    /// The languages that it is kept in, in the order of their codes.
    pub fn languages(&self) -> impl Iterator<Item = Country> {
        self.listings.keys().copied()
    }

    /// The language that a client means; none when it is not kept in it. Any case, `-` or `_`; a language stands for its
    /// country and the other way round.
    #[must_use]
    pub fn language(&self, text: &str) -> Option<Country> {
        lang::resolve(text, |country| self.listings.contains_key(&country))
    }

    /// One category.
    #[must_use]
    pub fn get(&self, id: &CategoryId) -> Option<&Category> {
        let position = self.categories.binary_search_by(|category| category.id.cmp(id)).ok()?;
        self.categories.get(position)
    }

    /// One page of the categories that the filter admits, by name in the language (folded), then by id. Empty for a
    /// language that the directory is not kept in.
    #[must_use]
    pub fn search(&self, lang: Country, filter: Option<&NameFilter>, request: PageRequest) -> Page<&Category> {
        let listing = self.listing(lang);
        let admitted: Vec<&Category> = match filter {
            None => listing.iter().map(|listed| &self.categories[listed.position]).collect(),
            Some(filter) => listing.iter().filter_map(|listed| self.admitted(listed, filter)).collect(),
        };
        let count = admitted.len() as u64;
        let range = request.range(count);
        let page = usize::try_from(range.end - range.start).unwrap_or_default();
        let start = usize::try_from(range.start).unwrap_or(usize::MAX);
        Page { request, count, items: admitted.into_iter().skip(start).take(page).collect() }
    }

    fn admitted(&self, listed: &Listed, filter: &NameFilter) -> Option<&Category> {
        let category = &self.categories[listed.position];
        let is_admitted = listed.folded_name.contains(&filter.folded)
            || category.code == filter.exact
            || category.id.as_str() == filter.exact;
        is_admitted.then_some(category)
    }

    fn listing(&self, lang: Country) -> &[Listed] {
        let Some(listing) = self.listings.get(&lang) else { return &[] };
        listing.get_or_init(|| {
            let listed = self.categories.iter().enumerate();
            let listed = listed.map(|(position, category)| Listed { folded_name: fold(category.name(lang)), position });
            let mut listing: Vec<_> = listed.collect();
            // Positions are in the order of ids.
            listing.sort_unstable_by(|one, other| {
                (&one.folded_name, one.position).cmp(&(&other.folded_name, other.position))
            });
            listing
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::CategoryRow;
    use super::*;

    fn directory() -> CategoryDirectory {
        let rows = [
            r#"{"id":"c3","code":"shop_bakery","names":{"GB":"Bakery","FR":"Boulangerie"},"ancestors":{},"partners":{}}"#,
            r#"{"id":"c1","code":"education","names":{"GB":"School","FR":"École"},"ancestors":{},"partners":{}}"#,
            r#"{"id":"c2","code":"bank","names":{"GB":"Bank"},"ancestors":{},"partners":{}}"#,
            r#"{"id":"c4","code":"nameless","names":{"DE":"Namenlos"},"ancestors":{},"partners":{}}"#,
            r#"{"id":"c0","code":"bank_two","names":{"GB":"bank"},"ancestors":{},"partners":{}}"#,
        ];
        let read = |row: &&str| serde_json::from_str::<CategoryRow>(row).expect("a row").read().expect("a category");
        CategoryDirectory::new(7, rows.iter().map(read).collect())
    }

    fn found(lang: &str, name: Option<&str>) -> Vec<String> {
        let directory = directory();
        let filter = name.map(|name| NameFilter { exact: name.to_owned(), folded: fold(name) });
        let lang = directory.language(lang).expect("a language");
        let page = directory.search(lang, filter.as_ref(), PageRequest::default());
        page.items.iter().map(|category| category.id.as_str().to_owned()).collect()
    }

    #[test]
    fn categories_are_ordered_by_the_name_that_is_shown_then_by_id() {
        assert_eq!(found("GB", None), ["c3", "c0", "c2", "c4", "c1"]);
        assert_eq!(found("FR", None), ["c0", "c2", "c3", "c1", "c4"], "without accents, with English where none is");
    }

    #[test]
    fn a_filter_looks_into_names_or_matches_an_id_or_a_code_exactly() {
        assert_eq!(found("FR", Some("ECOL")), ["c1"]);
        assert_eq!(found("GB", Some("ecol")), Vec::<String>::new(), "only names of the language");
        assert_eq!(found("FR", Some("bank")), ["c0", "c2"], "names that stand in for missing ones, and codes");
        assert_eq!(found("GB", Some("c2")), ["c2"]);
        assert_eq!(found("GB", Some("shop_bakery")), ["c3"]);
        assert_eq!(found("GB", Some("SHOP_BAKERY")), Vec::<String>::new(), "a code is one spelling");
        assert_eq!(found("GB", Some("shop_bak")), Vec::<String>::new(), "and not a part of it");
    }

    #[test]
    fn one_category_is_found_by_its_id() {
        let directory = directory();
        let id = |text| CategoryId::parse(text).expect("an id");
        assert_eq!(directory.get(&id("c4")).map(|category| category.code.as_str()), Some("nameless"));
        assert_eq!(directory.get(&id("c5")), None);
        assert_eq!((directory.version(), directory.len(), directory.is_empty()), (7, 5, false));
        assert_eq!(directory.languages().map(|lang| lang.to_string()).collect::<Vec<_>>(), ["DE", "FR", "GB"]);
    }
}
