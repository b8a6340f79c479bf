//! Filters by rating, content and city, the order, and combinations of them.

use super::fixtures::{Case, bad, finds};

/// All reviews of organisation 1, newest first.
pub(super) const ALL: &str = "h g f d e c b a";
const RATING: &str = "must be an integer from 1 to 5";
const BOOLEAN: &str = r#"{"content__isnull":{"explanation":"is not one of the choices","choices":["True","False"]}}"#;
const ORDERS: &str =
    r#"{"order_by":{"explanation":"is not one of the choices","choices":["update_date","-update_date"]}}"#;
const NOTHING: &str = r#"{"business_city":"has nothing to search for"}"#;

pub(super) fn cases() -> Vec<Case> {
    [rating(), content(), city(), order(), together()].concat()
}

/// Returns the bad fields of a parameter with another name.
fn did_you_mean(sent: &str, meant: &str) -> String {
    format!(r#"{{"{sent}":"is not a parameter of this operation; did you mean \"{meant}\"?"}}"#)
}

fn bad_rating(reason: &'static str, value: &str, text: &str) -> Case {
    bad(reason, &format!("rating={value}"), &format!(r#"{{"rating":"{text}"}}"#))
}

fn rating() -> Vec<Case> {
    vec![
        finds("without filters everything of the organisation, in all three states", "", ALL),
        finds("one rating", "rating=5", "f a"),
        finds("the lowest", "rating=1", "e"),
        finds("with blanks around", "rating=%204%20", "g b"),
        finds("blank is not given", "rating=", ALL),
        bad_rating("below the lowest", "0", RATING),
        bad_rating("above the highest", "6", RATING),
        bad_rating("negative", "-1", RATING),
        bad_rating("no integer", "4.5", "must be an integer"),
        bad_rating("no list", "4,5", "must be an integer"),
        bad("a scalar given twice", "rating=4&rating=5", r#"{"rating":"is given more than once"}"#),
    ]
}

fn finds_content(reason: &'static str, is_null: &str, names: &'static str) -> Case {
    finds(reason, &format!("content__isnull={is_null}"), names)
}

fn bad_content(reason: &'static str, is_null: &str) -> Case {
    bad(reason, &format!("content__isnull={is_null}"), BOOLEAN)
}

fn content() -> Vec<Case> {
    vec![
        finds_content("true: missing, empty or blank content", "true", "d c b"),
        finds_content("false: with a message", "false", "h g f e a"),
        finds_content("any case", "TRUE", "d c b"),
        finds_content("1", "1", "d c b"),
        finds_content("0", "0", "h g f e a"),
        bad_content("a blank boolean", ""),
        bad_content("another word", "yes"),
        bad_content("null", "null"),
    ]
}

fn finds_city(reason: &'static str, city: &str, names: &'static str) -> Case {
    finds(reason, &format!("business_city={city}"), names)
}

fn bad_city(reason: &'static str, city: &str) -> Case {
    bad(reason, &format!("business_city={city}"), NOTHING)
}

fn city() -> Vec<Case> {
    vec![
        finds_city("as written", "Lyon", "d c b a"),
        finds_city("in any case, of all businesses in the city", "lYON", "d c b a"),
        finds_city("without accents and hyphen", "saint+etienne", "e"),
        finds_city("with accents and repeated blanks", "%20SAINT%20%20%C3%89TIENNE", "e"),
        finds_city("with another apostrophe", "l'hay+les+roses", "h"),
        finds_city("the whole name: no part of another one", "Paris", "f"),
        finds_city("a part of a name is no city", "Parisis", ""),
        finds_city("a city of nobody", "Marseille", ""),
        finds_city("a comma is part of a name", "Lyon,Paris", ""),
        finds_city("blank is not given", "%20", ALL),
        bad_city("nothing but hyphens", "--"),
        bad_city("nothing but apostrophes", "'"),
        finds("255 characters", &format!("business_city={}", "x".repeat(255)), ""),
        bad(
            "256 characters",
            &format!("business_city={}", "x".repeat(256)),
            r#"{"business_city":"must have at most 255 characters"}"#,
        ),
        bad(
            "a control character",
            "business_city=Ly%00on",
            r#"{"business_city":"must not contain control characters"}"#,
        ),
        finds("a name that folding makes longer than a key", &format!("business_city={}", "%EF%B7%BA".repeat(255)), ""),
        bad("given twice", "business_city=Lyon&business_city=Paris", r#"{"business_city":"is given more than once"}"#),
    ]
}

fn order() -> Vec<Case> {
    vec![
        finds("newest first, said", "order_by=-update_date", ALL),
        finds("oldest first: the exact reverse", "order_by=update_date", "a b c e d f g h"),
        finds("blank is not given", "order_by=", ALL),
        finds("the order of businesses' reviews", "order_by=update_date&business__in=lyon-1,paris,etienne", "a b e f"),
        bad("another order", "order_by=date", ORDERS),
        bad("another case", "order_by=UPDATE_DATE", ORDERS),
    ]
}

fn together() -> Vec<Case> {
    vec![
        finds("rating and rating__in: the intersection", "rating=5&rating__in=4,5", "f a"),
        finds("an empty intersection", "rating=5&rating__in=4", ""),
        finds("business and city: the intersection", "business__in=lyon-1,paris&business_city=lyon", "b a"),
        finds("a business that is not in the city", "business__in=paris&business_city=lyon", ""),
        finds("state and rating", "state=treated&rating__in=2,4", "g d"),
        finds("city and content", "business_city=lyon&content__isnull=true", "d c b"),
        finds(
            "everything at once",
            "business__in=lyon-1,lyon-2&business_city=LYON&state=treated,deleted&rating__in=2,3&rating=2&partner__in=partner_8\
             &content__isnull=1&update_date__gte=2025-03-01&update_date__lte=2025-03-01&page=1&per_page=5&order_by=update_date",
            "d",
        ),
        bad(
            "all bad fields at once",
            "rating=9&state=open&bogus=1",
            r#"{"bogus":"is not a parameter of this operation","rating":"must be an integer from 1 to 5","state":{"explanation":"is not one of the choices","choices":["treated","not_treated","deleted"]}}"#,
        ),
        bad("no filter of another search", "org_id=1", r#"{"org_id":"is not a parameter of this operation"}"#),
        bad("a mistyped filter", "rating_in=5", &did_you_mean("rating_in", "rating__in")),
        bad("a list as other APIs write it", "rating__in[]=5", &did_you_mean("rating__in[]", "rating__in")),
        bad("a list of one parameter", "state[]=treated", &did_you_mean("state[]", "state")),
        bad("a list that is percent-encoded", "partner%5B%5D=partner_8", &did_you_mean("partner[]", "partner__in")),
        bad("a filter as other filters are called", "state__in=treated", &did_you_mean("state__in", "state")),
        bad("a name of other APIs", "limit=5", &did_you_mean("limit", "per_page")),
        bad("the order by another name", "sort=update_date", &did_you_mean("sort", "order_by")),
        bad("a city by another name", "city=lyon", &did_you_mean("city", "business_city")),
        bad("businesses by another name", "businessIds=paris", &did_you_mean("businessIds", "business__in")),
        bad("a date by another name", "since=2025-01-01", &did_you_mean("since", "update_date__gte")),
    ]
}
