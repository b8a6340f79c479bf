use super::*;
use crate::fuzzy::{FuzzyQueryError, MAX_WORDS};
use crate::work::MAX_WORK;

fn business(id: &str, org: u64, name: &str, city: &str, revision: u64) -> ListedBusiness {
    let (id, org_id) = (BusinessId::parse(id).expect("an id"), OrgId::new(org).expect("an id"));
    ListedBusiness::new(id, org_id, name.to_owned(), city.to_owned(), revision)
}

fn directory() -> BusinessDirectory {
    BusinessDirectory::new(vec![
        business("b3", 1, "Éclair", "Lyon", 0),
        business("b2", 2, "boutique d’Or", "Saint-Étienne", 4),
        business("b1", 2, "Boutique d'or", "L’Haÿ-les-Roses", 1),
        business("b4", 1, "Zoo", "", 1),
    ])
}

fn ids(directory: &BusinessDirectory, filter: &BusinessFilter) -> String {
    let page = directory.search(filter, PageRequest::default()).expect("it is cheap");
    assert_eq!(page.count, page.items.len() as u64);
    page.items.iter().map(|business| business.id.as_str()).collect::<Vec<_>>().join(" ")
}

fn by_query(text: &str) -> BusinessFilter {
    BusinessFilter { query: Some(BusinessQuery::parse(text).expect("words")), ..BusinessFilter::default() }
}

#[test]
fn businesses_come_by_folded_name_and_then_by_id_over_all_organisations() {
    assert_eq!(ids(&directory(), &BusinessFilter::default()), "b1 b2 b3 b4");
    let one = BusinessFilter { org_id: OrgId::new(1), ..BusinessFilter::default() };
    assert_eq!(ids(&directory(), &one), "b3 b4");
}

#[test]
fn every_word_is_a_part_of_name_or_city() {
    for (query, expected) in [
        ("BOUTIQUE", "b1 b2"),
        ("outi etienne", "b2"),
        ("d'or", "b1 b2"),
        ("saint-etienne", "b2"),
        ("hay-les", "b1"),
        ("eclair lyon", "b3"),
        ("eclair paris", ""),
        ("- zoo", "b4"),
    ] {
        assert_eq!(ids(&directory(), &by_query(query)), expected, "{query}");
    }
    let of_two = |query| BusinessFilter { org_id: OrgId::new(2), ..by_query(query) };
    assert_eq!(
        (ids(&directory(), &of_two("zoo")), ids(&directory(), &of_two("or"))),
        (String::new(), "b1 b2".to_owned())
    );
    for nothing in ["", " ", "-", "' -"] {
        assert_eq!(BusinessQuery::parse(nothing), Err(FuzzyQueryError::NoWords), "{nothing:?}");
    }
}

/// Returns a text of so many words that are a part of one word.
fn parts_of_a_word(count: usize) -> (String, String) {
    let word: String = ('a'..='z').cycle().take(2 * count).collect();
    let parts: Vec<&str> = (0..count).map(|at| &word[at..=at + at / 26]).collect();
    (parts.join(" "), word)
}

#[test]
fn words_of_a_query_are_bounded_and_so_is_the_work_that_they_make() {
    let (words, name) = parts_of_a_word(MAX_WORDS);
    assert!(BusinessQuery::parse(&format!("{words} a b")).is_ok(), "repeated words count once");
    assert_eq!(BusinessQuery::parse(&format!("{words} zab")), Err(FuzzyQueryError::TooManyWords));
    let one = |number| business(&format!("b{number}"), 1, &name, "", 0);
    let alike = BusinessDirectory::new((0..500).map(one).collect());
    let work_of_500 = |text: &str| {
        let filter = by_query(text);
        let page = alike.search(&filter, PageRequest::default());
        assert_eq!(page.map(|page| page.count), Ok(500));
        filter.work.units()
    };
    let many = work_of_500(&words);
    assert!(400 * work_of_500("abc bcd") < MAX_WORK, "an ordinary query in a directory of 200,000");
    assert!((100 * many..400 * many).contains(&MAX_WORK), "50,000 businesses are searched, and 200,000 refused");
    let filter = by_query(&words);
    filter.work.exhaust();
    assert!(alike.search(&filter, PageRequest::default()).is_err());
}

#[test]
fn a_city_is_compared_as_a_whole() {
    for (city, expected) in [("SAINT ETIENNE", "b2"), ("saint", ""), ("l'hay les roses", "b1"), ("Lyon", "b3")] {
        let filter = BusinessFilter { city_key: Some(city_key(city)), ..BusinessFilter::default() };
        assert_eq!(ids(&directory(), &filter), expected, "{city}");
    }
}

#[test]
fn pages_split_the_order_and_count_all() {
    let mut seen = Vec::new();
    for page in 1..=3 {
        let page = directory().search(&BusinessFilter::default(), PageRequest { page, size: 3 });
        let page = page.expect("it is cheap");
        assert_eq!(page.count, 4);
        seen.extend(page.items.iter().map(|business| business.id.as_str().to_owned()));
    }
    assert_eq!(seen, ["b1", "b2", "b3", "b4"]);
}

#[test]
fn the_size_is_that_of_the_businesses_also_after_changes() {
    let businesses = || vec![business("b1", 1, "Bar of the station", "Lyon", 2), business("b2", 1, "Shop", "Nice", 1)];
    let built = BusinessDirectory::new(businesses());
    let mut changed = BusinessDirectory::new(vec![business("b1", 1, "Bar", "Lyon", 1)]);
    let before = changed.bytes();
    changed.update(businesses());
    assert_eq!(changed.bytes(), built.bytes());
    assert!(before > "b1BarLyon".len() && built.bytes() > before + "b2ShopNice".len(), "{before}, {}", built.bytes());
}

#[test]
fn an_announced_business_is_pending_until_its_item_has_the_revision() {
    let id = |text: &str| BusinessId::parse(text).expect("an id");
    let mut directory = directory();
    directory.announce([(id("b2"), 4), (id("b1"), 2), (id("b1"), 1), (id("b5"), 1)]);
    let pending = |directory: &BusinessDirectory| {
        directory.pending().map(|id| id.as_str().to_owned()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(pending(&directory), "b1 b5", "b2 has revision 4 already");
    directory.update(vec![business("b1", 2, "Boutique d'or", "Nantes", 1)]);
    assert_eq!(pending(&directory), "b1 b5", "the item is as old as the one here");
    directory.update(vec![business("b1", 1, "Aux roses", "Nantes", 2), business("b5", 2, "Bar", "", 1)]);
    assert_eq!(
        (pending(&directory).as_str(), ids(&directory, &BusinessFilter::default()).as_str()),
        ("", "b1 b5 b2 b3 b4")
    );
    directory.update(vec![business("b1", 2, "Old", "Old", 1)]);
    assert_eq!(ids(&directory, &by_query("roses nantes")), "b1", "an older item is skipped");
    let moved = BusinessFilter { org_id: OrgId::new(2), ..BusinessFilter::default() };
    assert_eq!(ids(&directory, &moved), "b5 b2");
    assert_eq!(
        directory.bytes(),
        BusinessDirectory::new(directory.businesses.iter().map(|one| (**one).clone()).collect()).bytes()
    );
}
