//! Directory of categories in memory: found, filtered and ordered without a read.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use super::{Category, CategoryId, Country, lang};
use crate::page::{Page, PageRequest};
use crate::text::fold;

/// Filter of a search of categories. It admits a category with this id, this code, or this text in its name.
#[derive(Clone, Debug)]
pub struct NameFilter {
    /// Id or code, spelled exactly.
    pub exact: String,
    /// Part of the name, folded.
    pub folded: String,
}

/// Categories of one version of the directory, ordered for each language.
#[derive(Debug)]
pub struct CategoryDirectory {
    version: u64,
    /// Categories in the order of their ids.
    categories: Vec<Category>,
    /// Orders by name, for each language in which a category has a name. The first search in a language builds its order.
    orders: BTreeMap<Country, OnceLock<Vec<NamedPosition>>>,
}

/// Category in the order of one language.
#[derive(Debug)]
struct NamedPosition {
    folded_name: String,
    /// Index of the category in the order of ids.
    position: usize,
}

impl CategoryDirectory {
    /// Builds the directory of a version. No two categories have the same id.
    pub fn new(version: u64, mut categories: Vec<Category>) -> Self {
        categories.sort_unstable_by(|one, other| one.id.cmp(&other.id));
        let languages: BTreeSet<Country> =
            categories.iter().flat_map(|category| category.names.keys().copied()).collect();
        let orders = languages.into_iter().map(|lang| (lang, OnceLock::new())).collect();
        Self { version, categories, orders }
    }

    /// Returns the version of the directory.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Returns the number of categories.
    pub fn len(&self) -> usize {
        self.categories.len()
    }

    /// Returns the categories in the order of their ids.
    pub fn categories(&self) -> &[Category] {
        &self.categories
    }

    /// True if there are no categories.
    pub fn is_empty(&self) -> bool {
        self.categories.is_empty()
    }

    /// Iterates over the languages of the directory, in the order of their codes.
    pub fn languages(&self) -> impl Iterator<Item = Country> {
        self.orders.keys().copied()
    }

    /// Returns the language that a client's text means; `None` if the directory does not have it. The text may be a language, a
    /// country or both, in any case, with `-` or `_`.
    pub fn language(&self, text: &str) -> Option<Country> {
        lang::resolve(text, |country| self.orders.contains_key(&country))
    }

    /// Returns a category by its id.
    pub fn get(&self, id: &CategoryId) -> Option<&Category> {
        let position = self.categories.binary_search_by(|category| category.id.cmp(id)).ok()?;
        self.categories.get(position)
    }

    /// Returns one page of the categories that the filter admits, by folded name in the language, then by id. The page is empty for a
    /// language that the directory does not have.
    pub fn search(&self, lang: Country, filter: Option<&NameFilter>, request: PageRequest) -> Page<&Category> {
        let order = self.orders.get(&lang).map_or(&[][..], |order| order.get_or_init(|| self.build_order(lang)));
        let admitted: Vec<&Category> = match filter {
            None => order.iter().map(|named| &self.categories[named.position]).collect(),
            Some(filter) => order.iter().filter_map(|named| self.admitted(named, filter)).collect(),
        };
        let count = admitted.len() as u64;
        let range = request.range(count);
        let page = usize::try_from(range.end - range.start).unwrap_or_default();
        let start = usize::try_from(range.start).unwrap_or(usize::MAX);
        Page { request, count, items: admitted.into_iter().skip(start).take(page).collect() }
    }

    /// Returns the category if the filter admits it.
    fn admitted(&self, named: &NamedPosition, filter: &NameFilter) -> Option<&Category> {
        let category = &self.categories[named.position];
        let is_admitted = named.folded_name.contains(&filter.folded)
            || category.code == filter.exact
            || category.id.as_str() == filter.exact;
        is_admitted.then_some(category)
    }

    fn build_order(&self, lang: Country) -> Vec<NamedPosition> {
        let categories = self.categories.iter().enumerate();
        let mut order: Vec<_> = categories
            .map(|(position, category)| NamedPosition { folded_name: fold(category.name(lang)), position })
            .collect();
        // Positions are in the order of ids, so that categories with the same name are ordered by id.
        order
            .sort_unstable_by(|one, other| (&one.folded_name, one.position).cmp(&(&other.folded_name, other.position)));
        order
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
    fn categories_are_ordered_by_the_shown_name_then_by_id() {
        assert_eq!(found("GB", None), ["c3", "c0", "c2", "c4", "c1"]);
        assert_eq!(
            found("FR", None),
            ["c0", "c2", "c3", "c1", "c4"],
            "accents are ignored, and missing names are English"
        );
    }

    #[test]
    fn filter_matches_a_part_of_the_name_or_an_exact_id_or_code() {
        assert_eq!(found("FR", Some("ECOL")), ["c1"]);
        assert_eq!(found("GB", Some("ecol")), Vec::<String>::new(), "names of other languages are not searched");
        assert_eq!(found("FR", Some("bank")), ["c0", "c2"], "names that stand in for missing ones, and codes");
        assert_eq!(found("GB", Some("c2")), ["c2"]);
        assert_eq!(found("GB", Some("shop_bakery")), ["c3"]);
        assert_eq!(found("GB", Some("SHOP_BAKERY")), Vec::<String>::new(), "a code has one spelling");
        assert_eq!(found("GB", Some("shop_bak")), Vec::<String>::new(), "a part of a code is no match");
    }

    #[test]
    fn category_is_found_by_its_id() {
        let directory = directory();
        let id = |text| CategoryId::parse(text).expect("an id");
        assert_eq!(directory.get(&id("c4")).map(|category| category.code.as_str()), Some("nameless"));
        assert_eq!(directory.get(&id("c5")), None);
        assert_eq!((directory.version(), directory.len(), directory.is_empty()), (7, 5, false));
        let ids: Vec<_> = directory.categories().iter().map(|category| category.id.as_str()).collect();
        assert_eq!(ids, ["c0", "c1", "c2", "c3", "c4"]);
        assert!(CategoryDirectory::new(1, Vec::new()).is_empty());
        let second = PageRequest { page: 2, size: 2 };
        let page = directory.search(Country::FALLBACK, None, second);
        assert_eq!((page.count, page.items.len()), (5, 2));
        assert_eq!(directory.languages().map(|lang| lang.to_string()).collect::<Vec<_>>(), ["DE", "FR", "GB"]);
    }
}
