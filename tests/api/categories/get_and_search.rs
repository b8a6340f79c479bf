//! Both operations and all their parameters.

use super::case::{Case, get, run};

/// Lower bound of the number of cases, so that no table is lost.
const MIN_CASES: usize = 60;

const CHOICES: &str = r#"{"explanation":"is not one of the choices","choices":["DE","FR","GB","JP","PT"]}"#;
const BAKERY: &str = r#"{"id":"c-bakery","code":"shop_bakery","name":"Boulangerie","ancestors":["Commerce"],"partners":{"partner_1":["gcid:bakery"],"partner_2":[],"partner_3":[],"partner_4":[{"id":"a1","name":"Bakery"}],"partner_5":[],"partner_6":[],"partner_7":[],"partner_8":[],"partner_9":["x","y"],"partner_10":[],"partner_11":[],"partner_12":[]}}"#;
const BANK: &str = r#"{"id":"c-bank","code":"bank","name":"Banque","ancestors":["Finance","Money"],"partners":{"partner_1":[],"partner_2":[],"partner_3":[],"partner_4":[],"partner_5":[],"partner_6":[],"partner_7":[],"partner_8":[],"partner_9":[],"partner_10":[],"partner_11":[],"partner_12":[]}}"#;
const ALL_GB: &str = "c-bakery c-bank c-cafe-1 c-cafe-2 c-ice c-kita c-school gcid:zoo_1.b-2";
const ALL_FR: &str = "c-bank c-bakery c-cafe-1 c-cafe-2 c-school c-kita c-ice gcid:zoo_1.b-2";
const ALL_DE: &str = "c-bakery c-bank c-cafe-1 c-cafe-2 c-ice c-kita c-school gcid:zoo_1.b-2";
const ALL_PT: &str = "c-bakery c-bank c-cafe-1 c-cafe-2 c-school c-ice c-kita gcid:zoo_1.b-2";
const ALL_JP: &str = "c-bank c-cafe-1 c-cafe-2 c-ice c-kita c-school gcid:zoo_1.b-2 c-bakery";

#[tokio::test(flavor = "multi_thread")]
async fn every_case_of_get_and_search_gets_its_answer() {
    let tables = [paths(), get_one(), languages(), orders(), names(), pages(), every_error()];
    let cases: Vec<Case> = tables.into_iter().flatten().collect();
    assert!(cases.len() >= MIN_CASES, "{} cases", cases.len());
    run(&cases).await;
}

fn paths() -> Vec<Case> {
    vec![
        get("search is an operation, not an id", "/category/search?lang=GB").finds(ALL_GB),
        get("and stays one when it is wrong", "/category/search").bad_fields(r#"{"lang":"is required"}"#),
        get("a path that is none", "/category").not_found(),
        get("a path that is none", "/category/c-bank/more?lang=GB").not_found(),
        get("a path that is none", "/category/search/more?lang=GB").not_found(),
        get("another case is another id", "/category/Search?lang=GB").not_found(),
    ]
}

fn get_one() -> Vec<Case> {
    let mut cases = vec![
        get("five keys and twelve partners, in order", "/category/c-bakery?lang=FR").answers(200, BAKERY),
        get("groups in English where there are none; no partner known", "/category/c-bank?lang=FR").answers(200, BANK),
        get("an id with every character that ids may have", "/category/gcid:zoo_1.b-2?lang=FR").named("Zoo"),
        get("the id may be percent-encoded", "/category/gcid%3Azoo%5F1%2Eb%2D2?lang=GB").named("Zoo & Park 100%"),
        get("a name of its own language", "/category/c-kita?lang=DE").named("Kita"),
        get("a name in English where there is none", "/category/c-ice?lang=DE").named("Ice rink"),
        get("the code where there is none in English either", "/category/c-kita?lang=FR").named("kita"),
        get("lang is required", "/category/c-bank").bad_fields(r#"{"lang":"is required"}"#),
        get("everything wrong at once", "/category/c-bank?language=GB").bad_fields(
            r#"{"lang":"is required","language":"is not a parameter of this operation; did you mean \"lang\"?"}"#,
        ),
        get("the category comes before the parameters", "/category/nowhere?lang=XX&page=1").not_found(),
    ];
    let (longest, too_long) = ("a".repeat(64), "a".repeat(65));
    let ids = [
        "nowhere",
        "C-BANK",
        "bank",
        "shop_bakery",
        "c-bank%20",
        "a%2Fb",
        "%C3%A9",
        "%00",
        "%25",
        "a,b",
        &longest,
        &too_long,
    ];
    let case = |id| get("unknown and malformed ids are not found alike", format!("/category/{id}?lang=GB")).not_found();
    cases.extend(ids.map(case));
    cases
}

fn languages() -> Vec<Case> {
    let spellings = [
        ("School", "GB gb Gb %20GB%20 EN en US UK en-US en_GB EN-AU IE JP ja ja_JP"),
        ("École", "FR fr FR-FR fr_BE fr-CA MC"),
        ("Schule", "DE de-AT DE_CH AT"),
        ("Escola", "PT PT-BR BR"),
    ];
    let case = |name, lang| get("a language has many spellings", format!("/category/c-school?lang={lang}")).named(name);
    spellings.into_iter().flat_map(|(name, langs)| langs.split(' ').map(move |lang| case(name, lang))).collect()
}

fn orders() -> Vec<Case> {
    let reason = "by the name that is shown, without case and accents, then by id";
    [("GB", ALL_GB), ("FR", ALL_FR), ("DE", ALL_DE), ("PT", ALL_PT), ("JP", ALL_JP)]
        .map(|(lang, ids)| get(reason, format!("/category/search?lang={lang}")).finds(ids))
        .into()
}

fn search_name(reason: &'static str, lang: &str, name: &str) -> Case {
    get(reason, format!("/category/search?lang={lang}&name={name}"))
}

/// Returns a search in English with more parameters.
fn search(reason: &'static str, parameters: &str) -> Case {
    get(reason, format!("/category/search?lang=GB{parameters}"))
}

fn names() -> Vec<Case> {
    vec![
        search_name("a part of the name", "GB", "ak").finds("c-bakery"),
        search_name("in any case", "GB", "BAN").finds("c-bank"),
        search_name("without accents", "FR", "ecole").finds("c-school"),
        search_name("with accents that the name does not have", "GB", "b%C3%A4nk").finds("c-bank"),
        search_name("with accents in both", "DE", "%C3%A4ck").finds("c-bakery"),
        search_name("in full width", "GB", "%EF%BC%A2%EF%BC%A1%EF%BC%AE%EF%BC%AB").finds("c-bank"),
        search_name("in another script", "JP", "%E3%83%91%E3%83%B3").finds("c-bakery"),
        search_name("names that are equal but for accents", "GB", "caf%C3%A9").finds("c-cafe-1 c-cafe-2"),
        search_name("a name with a blank", "GB", "ice+rink").finds("c-ice"),
        search_name("blanks around it do not count", "GB", "+ice%20").finds("c-ice"),
        search_name("a blank inside does", "GB", "icerink").finds(""),
        search_name("only names in the language", "FR", "bakery").finds(""),
        search_name("and those that stand in for missing ones", "FR", "caf").finds("c-cafe-1 c-cafe-2"),
        search_name("a code that stands in for a name", "GB", "kit").finds("c-kita"),
        search_name("exactly an id", "GB", "c-ice").finds("c-ice"),
        search_name("exactly an id with every character", "FR", "gcid:zoo_1.b-2").finds("gcid:zoo_1.b-2"),
        search_name("not a part of an id", "GB", "c-ic").finds(""),
        search_name("an id in another case", "GB", "C-ICE").finds(""),
        search_name("exactly a code", "JP", "ice_rink").finds("c-ice"),
        search_name("not a part of a code", "JP", "ice_rin").finds(""),
        search_name("a code in another case", "JP", "ICE_RINK").finds(""),
        search_name("what is a wildcard elsewhere", "GB", "%25").finds("gcid:zoo_1.b-2"),
        search_name("what is a wildcard elsewhere", "GB", "*").finds(""),
        search_name("what divides parameters, encoded", "GB", "%26").finds("gcid:zoo_1.b-2"),
        search_name("a blank name is not given", "GB", "%20").finds(ALL_GB),
        search_name("an empty name is not given", "GB", "").finds(ALL_GB),
    ]
}

fn pages() -> Vec<Case> {
    vec![
        search("three a page", "&per_page=3").page(1, 3, 8, "c-bakery c-bank c-cafe-1"),
        search("the second page", "&per_page=3&page=2").page(2, 3, 8, "c-cafe-2 c-ice c-kita"),
        search("the last page", "&page=3&per_page=3").page(3, 3, 8, "c-school gcid:zoo_1.b-2"),
        search("past the last page", "&page=4&per_page=3").page(4, 3, 8, ""),
        search("far past the last page", "&page=9007199254740991").page(9_007_199_254_740_991, 1, 8, ""),
        search("pages begin at 1", "&page=0").finds(ALL_GB),
        search("pages begin at 1", "&page=-5").finds(ALL_GB),
        search("however long", &format!("&page=-{}", "9".repeat(60))).finds(ALL_GB),
        search("a blank page is not given", "&page=").finds(ALL_GB),
        search("pages of what the filter admits", "&name=ca&per_page=1&page=2").page(2, 2, 2, "c-cafe-2"),
        search("nothing found has one page", "&name=zzz").page(1, 1, 0, ""),
        search("one a page", "&per_page=1&page=8").page(8, 8, 8, "gcid:zoo_1.b-2"),
        search("a hundred a page", "&per_page=100").finds(ALL_GB),
    ]
}

fn every_error() -> Vec<Case> {
    vec![
        get("everything wrong at once", "/category/search?lang=XX&page=x&per_page=0&name=%07&x=y").bad_fields(&format!(
            r#"{{"lang":{CHOICES},"name":"must not contain control characters","page":"must be an integer","per_page":"must be an integer from 1 to 100","x":"is not a parameter of this operation"}}"#
        )),
    ]
}
