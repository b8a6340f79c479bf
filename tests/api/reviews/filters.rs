//! Filters by rating, content and city, the order, and combinations of them. `robustness` has the values that are refused.

use super::fixtures::{Case, bad, finds};

/// All reviews of organisation 1, newest first.
pub(super) const ALL: &str = "h g f d e c b a";
pub(super) fn cases() -> Vec<Case> {
    [rating(), content(), city(), order(), together()].concat()
}

fn rating() -> Vec<Case> {
    vec![
        finds("without filters everything of the organisation, in all three states", "", ALL),
        finds("one rating", "rating=5", "f a"),
        finds("the lowest", "rating=1", "e"),
        finds("with blanks around", "rating=%204%20", "g b"),
        finds("blank is not given", "rating=", ALL),
    ]
}

fn finds_content(reason: &'static str, is_null: &str, names: &'static str) -> Case {
    finds(reason, &format!("content__isnull={is_null}"), names)
}

fn content() -> Vec<Case> {
    vec![
        finds_content("true: missing, empty or blank content", "true", "d c b"),
        finds_content("false: with a message", "false", "h g f e a"),
        finds_content("any case", "TRUE", "d c b"),
        finds_content("1", "1", "d c b"),
        finds_content("0", "0", "h g f e a"),
    ]
}

fn finds_city(reason: &'static str, city: &str, names: &'static str) -> Case {
    finds(reason, &format!("business_city={city}"), names)
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
        finds("a name that folding makes longer than a key", &format!("business_city={}", "%EF%B7%BA".repeat(255)), ""),
    ]
}

fn order() -> Vec<Case> {
    vec![
        finds("newest first, said", "order_by=-update_date", ALL),
        finds("oldest first: the exact reverse", "order_by=update_date", "a b c e d f g h"),
        finds("blank is not given", "order_by=", ALL),
        finds("the order of businesses' reviews", "order_by=update_date&business__in=lyon-1,paris,etienne", "a b e f"),
    ]
}

fn together() -> Vec<Case> {
    vec![
        finds("rating and rating__in: the intersection", "rating=5&rating__in=4,5", "f a"),
        finds("an empty intersection", "rating=5&rating__in=4", ""),
        finds("business and city: the intersection", "business__in=lyon-1,paris&business_city=lyon", "b a"),
        finds("a business that is not in the city", "business__in=paris&business_city=lyon", ""),
        finds("state and rating", "state=treated&rating__in=2,4", "g d"),
        finds("[] after the name of a list", "state[]=treated&rating__in[]=2&rating__in[]=4", "g d"),
        finds("the same, escaped", "state=treated&rating__in%5B%5D=2,4", "g d"),
        finds("__in after the name of a list", "state__in=treated&rating__in=2,4", "g d"),
        finds("several names of one list", "state__in[]=treated&rating__in=2&rating__in[]=4", "g d"),
        finds("city and content", "business_city=lyon&content__isnull=true", "d c b"),
        finds(
            "everything at once",
            "business__in=lyon-1,lyon-2&business_city=LYON&state=treated,deleted&rating__in=2,3&rating=2&partner__in=partner_8\
             &content__isnull=1&update_date__gte=2025-03-01&update_date__lte=2025-03-01&page=1&per_page=5&order_by=update_date",
            "d",
        ),
        bad(
            "__in twice is another name",
            "rating__in__in=5",
            r#"{"rating__in__in":"is not a parameter of this operation; did you mean \"rating__in\"?"}"#,
        ),
        bad(
            "all bad fields at once",
            "rating=9&state=open&bogus=1",
            r#"{"bogus":"is not a parameter of this operation","rating":"must be an integer from 1 to 5","state":{"explanation":"is not one of the choices","choices":["treated","not_treated","deleted"]}}"#,
        ),
    ]
}
