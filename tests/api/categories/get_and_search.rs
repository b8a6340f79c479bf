//! Both operations and all their parameters.

use super::case::{Case, get, run};

/// Lower bound of the number of cases, so that no table is lost.
const MIN_CASES: usize = 80;

const CHOICES: &str = r#"{"explanation":"is not one of the choices","choices":["DE","FR","GB","JP","PT"]}"#;
const BAKERY: &str = r#"{"id":"c-bakery","code":"shop_bakery","name":"Boulangerie","ancestors":["Commerce"],"partners":{"partner_1":["gcid:bakery"],"partner_2":[],"partner_3":[],"partner_4":[{"id":"a1","name":"Bakery"}],"partner_5":[],"partner_6":[],"partner_7":[],"partner_8":[],"partner_9":["x","y"],"partner_10":[],"partner_11":[],"partner_12":[]}}"#;
const BANK: &str = r#"{"id":"c-bank","code":"bank","name":"Banque","ancestors":["Finance","Money"],"partners":{"partner_1":[],"partner_2":[],"partner_3":[],"partner_4":[],"partner_5":[],"partner_6":[],"partner_7":[],"partner_8":[],"partner_9":[],"partner_10":[],"partner_11":[],"partner_12":[]}}"#;
const ALL_GB: &str = "c-bakery c-bank c-cafe-1 c-cafe-2 c-ice c-kita c-school gcid:zoo_1.b-2";
const ALL_FR: &str = "c-bank c-bakery c-cafe-1 c-cafe-2 c-school c-kita c-ice gcid:zoo_1.b-2";
const ALL_DE: &str = "c-bakery c-bank c-cafe-1 c-cafe-2 c-ice c-kita c-school gcid:zoo_1.b-2";
const ALL_PT: &str = "c-bakery c-bank c-cafe-1 c-cafe-2 c-school c-ice c-kita gcid:zoo_1.b-2";
const ALL_JP: &str = "c-bank c-cafe-1 c-cafe-2 c-ice c-kita c-school gcid:zoo_1.b-2 c-bakery";

fn all_cases() -> Vec<Case> {
    let tables =
        [paths(), get_one(), languages(), refused_languages(), orders(), names(), pages(), invalid_parameters()];
    tables.into_iter().flatten().collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_case_of_get_and_search_gets_its_answer() {
    let cases = all_cases();
    assert!(cases.len() >= MIN_CASES, "{} cases", cases.len());
    run(&cases).await;
}

fn paths() -> Vec<Case> {
    let mut cases = vec![
        get("search is an operation, not an id", "/category/search?lang=GB").finds(ALL_GB),
        get("and stays one when it is wrong", "/category/search").bad_fields(r#"{"lang":"is required"}"#),
        get("a path that is none", "/category").not_found(),
        get("a path that is none", "/category/c-bank/more?lang=GB").not_found(),
        get("a path that is none", "/category/search/more?lang=GB").not_found(),
        get("another case is another id", "/category/Search?lang=GB").not_found(),
    ];
    for method in ["POST", "PUT", "PATCH", "DELETE"] {
        cases.push(get("categories are only read", "/category/search?lang=GB").method(method).not_allowed("GET, HEAD"));
        cases.push(get("categories are only read", "/category/c-bank?lang=GB").method(method).not_allowed("GET, HEAD"));
    }
    cases
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
        get("a blank lang is not given", "/category/c-bank?lang=%20").bad_fields(r#"{"lang":"is required"}"#),
        get("an unknown lang", "/category/c-bank?lang=XX").bad_fields(&format!(r#"{{"lang":{CHOICES}}}"#)),
        get("a parameter of search", "/category/c-bank?lang=GB&page=1")
            .bad_fields(r#"{"page":"is not a parameter of this operation"}"#),
        get("everything wrong at once", "/category/c-bank?language=GB").bad_fields(
            r#"{"lang":"is required","language":"is not a parameter of this operation; did you mean \"lang\"?"}"#,
        ),
        get("the category comes before the parameters", "/category/nowhere?lang=XX&page=1").not_found(),
    ];
    let longest = "a".repeat(64);
    let too_long = "a".repeat(65);
    for id in [
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
    ] {
        let path = format!("/category/{id}?lang=GB");
        cases.push(get("unknown and malformed ids are not found alike", path).not_found());
    }
    cases
}

fn languages() -> Vec<Case> {
    let spellings = [
        ("GB", "School"),
        ("gb", "School"),
        ("Gb", "School"),
        ("%20GB%20", "School"),
        ("EN", "School"),
        ("en", "School"),
        ("US", "School"),
        ("UK", "School"),
        ("en-US", "School"),
        ("en_GB", "School"),
        ("EN-AU", "School"),
        ("IE", "School"),
        ("FR", "École"),
        ("fr", "École"),
        ("FR-FR", "École"),
        ("fr_BE", "École"),
        ("fr-CA", "École"),
        ("MC", "École"),
        ("DE", "Schule"),
        ("de-AT", "Schule"),
        ("DE_CH", "Schule"),
        ("AT", "Schule"),
        ("PT", "Escola"),
        ("PT-BR", "Escola"),
        ("BR", "Escola"),
        ("JP", "School"),
        ("ja", "School"),
        ("ja_JP", "School"),
    ];
    let case =
        |(lang, name)| get("a language has many spellings", format!("/category/c-school?lang={lang}")).named(name);
    spellings.map(case).into()
}

fn refused_languages() -> Vec<Case> {
    let wrong = [
        "XX", "ZZ-GB", "ENG", "english", "E", "EN-", "-GB", "GB-EN", "EN%20US", "ES", "es-MX", "NL", "1", "%C3%89N",
        "GB,FR",
    ];
    let refused = format!(r#"{{"lang":{CHOICES}}}"#);
    let case =
        |lang| get("lang is one of the directory's", format!("/category/search?lang={lang}")).bad_fields(&refused);
    wrong.map(case).into()
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
        search_name("255 characters", "GB", &"x".repeat(255)).finds(""),
        search_name("256 characters", "GB", &"x".repeat(256))
            .bad_fields(r#"{"name":"must have at most 255 characters"}"#),
        search_name("a control character", "GB", "a%00")
            .bad_fields(r#"{"name":"must not contain control characters"}"#),
        search_name("nothing but an accent", "GB", "%CC%81").bad_fields(r#"{"name":"has nothing to search for"}"#),
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

fn invalid_parameters() -> Vec<Case> {
    let size = r#"{"per_page":"must be an integer from 1 to 100"}"#;
    vec![
        search("a page that is no number", "&page=one").bad_fields(r#"{"page":"must be an integer"}"#),
        search("a page that is no integer", "&page=1.5").bad_fields(r#"{"page":"must be an integer"}"#),
        search("past the largest page", "&page=9007199254740992").bad_fields(r#"{"page":"must be at most 9007199254740991"}"#),
        search("none a page", "&per_page=0").bad_fields(size),
        search("too many a page", "&per_page=101").bad_fields(size),
        search("an unknown parameter", "&nme=x").bad_fields(r#"{"nme":"is not a parameter of this operation; did you mean \"name\"?"}"#),
        search("a parameter of users", "&query=x").bad_fields(r#"{"query":"is not a parameter of this operation; did you mean \"name\"?"}"#),
        search("a parameter twice", "&name=a&name=b").bad_fields(r#"{"name":"is given more than once"}"#),
        search("lang twice", "&lang=FR").bad_fields(r#"{"lang":"is given more than once"}"#),
        search("a broken percent sequence", "&name=%4").bad_fields(r#"{"name":"is not valid percent-encoded UTF-8"}"#),
        get("a control character in lang", "/category/search?lang=GB%0A")
            .bad_fields(r#"{"lang":"must not contain control characters"}"#),
        get("everything wrong at once", "/category/search?lang=XX&page=x&per_page=0&name=%07&x=y").bad_fields(&format!(
            r#"{{"lang":{CHOICES},"name":"must not contain control characters","page":"must be an integer","per_page":"must be an integer from 1 to 100","x":"is not a parameter of this operation"}}"#
        )),
    ]
}
