//! Suggestion of the parameter or field that a client probably meant by a name that the operation does not have.
//!
//! A name is compared by its letters and digits: `perPage`, `per-page` and `PER_PAGE` are `per_page`. Then come the forms of a list, what
//! other APIs call it, and typing errors.

/// Names of this API, most fitting first, and what other APIs call them, in small letters and digits only.
///
/// A name is suggested only if the operation has it. So one row may hold names of several operations.
pub const OTHER_NAMES: [(&[&str], &[&str]); 24] = [
    (
        &["per_page", "limit"],
        &["limit", "perpage", "size", "pagesize", "pagelimit", "maxresults", "maxitems", "itemsperpage", "top"],
    ),
    (&["after"], &["page", "cursor", "next", "pagetoken", "nextpagetoken", "startingafter"]),
    (&["page", "after"], &["offset", "start", "skip", "pagenumber", "pageno", "pageindex"]),
    (&["order_by"], &["sort", "sortby", "sortorder", "order", "ordering"]),
    (&["group_by"], &["group", "interval", "granularity"]),
    (&["query", "name"], &["q", "search", "searchquery", "query", "name", "keyword", "keywords", "term"]),
    (&["partner__in"], &["partner", "partners", "source", "platform"]),
    (&["rating__in", "rating"], &["ratings", "stars", "score"]),
    (&["content__isnull"], &["content"]),
    (&["business__in", "business_ids"], &["business", "businesses", "businessid", "businessids"]),
    (&["business_city", "city"], &["city", "town", "businesscity"]),
    (
        &["update_date__gte"],
        &["from", "since", "datefrom", "fromdate", "startdate", "updatedate", "updatedsince", "updatedafter"],
    ),
    (&["update_date__lte"], &["to", "until", "dateto", "todate", "enddate", "updatedbefore"]),
    (&["org_id"], &["org", "organisation", "organization", "organisationid", "organizationid"]),
    (&["lang"], &["language", "languagecode", "locale", "country", "countrycode"]),
    (&["type__in", "types"], &["type", "types", "eventtype", "eventtypes", "events"]),
    (&["url"], &["uri", "endpoint", "target", "targeturl", "callback", "callbackurl"]),
    (&["api_key"], &["key", "token", "accesstoken", "apitoken"]),
    (&["first_name"], &["givenname", "forename"]),
    (&["last_name"], &["surname", "familyname"]),
    (&["email"], &["mail", "emailaddress"]),
    (&["phone"], &["phonenumber", "tel", "telephone", "mobile"]),
    (&["password"], &["pwd", "pass", "passwd"]),
    (&["send_invitation"], &["invite", "sendinvite", "sendemail", "sendmail"]),
];

/// Maximum length in bytes of a name that gets a suggestion. The longest name of the API has 20; what is far longer is no typing error.
const MAX_NAME_BYTES: usize = 64;
/// Maximum number of typing errors. An error is a letter added, removed or replaced, or two neighbours swapped.
const MAX_EDITS: usize = 2;

/// Returns the one of the known names that was probably meant; `None` if none is near. Never returns the name that was sent.
pub fn suggest(sent: &str, known: &[&'static str]) -> Option<&'static str> {
    let letters = letters_of(sent);
    if sent.len() > MAX_NAME_BYTES || letters.is_empty() {
        return None;
    }
    let found = list_of(sent, &letters, known)
        .or_else(|| find(&letters, known))
        .or_else(|| single_or_list(&letters, known))
        .or_else(|| called_otherwise(&letters, known))
        .or_else(|| mistyped(&letters, known));
    found.filter(|name| *name != sent)
}

/// Returns the letters and digits of a name, in small letters.
fn letters_of(name: &str) -> String {
    name.chars().filter(|character| character.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn find(letters: &str, known: &[&'static str]) -> Option<&'static str> {
    known.iter().copied().find(|name| letters_of(name) == letters)
}

/// Returns the list that `name[]` or `name[0]` means: `name__in` before `name`, which may take one value only.
fn list_of(sent: &str, letters: &str, known: &[&'static str]) -> Option<&'static str> {
    let (base, index) = sent.strip_suffix(']')?.rsplit_once('[')?;
    if !index.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let base = if index.is_empty() { letters.to_owned() } else { letters_of(base) };
    find(&format!("{base}in"), known)
        .or_else(|| called_otherwise(&base, known))
        .or_else(|| find(&base, known))
        .or_else(|| single_or_list(&base, known))
}

/// Returns `name__in` for `name`, and `name` for `name__in`.
fn single_or_list(letters: &str, known: &[&'static str]) -> Option<&'static str> {
    find(&format!("{letters}in"), known).or_else(|| find(letters.strip_suffix("in")?, known))
}

fn called_otherwise(letters: &str, known: &[&'static str]) -> Option<&'static str> {
    let rows = OTHER_NAMES.iter().filter(|(_, others)| others.contains(&letters));
    rows.flat_map(|(ours, _)| *ours).copied().find(|ours| known.contains(ours))
}

/// Returns the nearest name within [`MAX_EDITS`], the first of equally near ones. The edits must be fewer than half of the letters:
/// names of two letters would match each other otherwise.
fn mistyped(letters: &str, known: &[&'static str]) -> Option<&'static str> {
    let edits_of = |name: &'static str| {
        let other = letters_of(name);
        let shorter = letters.chars().count().min(other.len());
        let edits = strsim::osa_distance(letters, &other);
        (edits <= MAX_EDITS && edits * 2 < shorter).then_some((edits, name))
    };
    known.iter().filter_map(|name| edits_of(name)).min_by_key(|(edits, _)| *edits).map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    const REVIEWS: &[&str] = &[
        "page",
        "per_page",
        "order_by",
        "state",
        "rating",
        "rating__in",
        "content__isnull",
        "partner__in",
        "update_date__gte",
        "update_date__lte",
        "business__in",
        "business_city",
        "api_key",
    ];
    const STATS: &[&str] = &["group_by", "state", "rating", "rating__in", "update_date__gte", "api_key"];
    const USERS: &[&str] =
        &["org_id", "last_name", "email", "status", "page", "per_page", "display_business_ids", "query", "api_key"];
    const NEW_USER: &[&str] = &[
        "email",
        "first_name",
        "last_name",
        "lang",
        "status",
        "role",
        "org_id",
        "password",
        "send_invitation",
        "business_ids",
        "phone",
        "api_key",
    ];
    const CATEGORIES: &[&str] = &["lang", "name", "page", "per_page", "api_key"];
    const BUSINESSES: &[&str] = &["query", "city", "org_id", "page", "per_page", "api_key"];
    const EVENTS: &[&str] = &["org_id", "after", "limit", "type__in", "api_key"];
    const NEW_WEBHOOK: &[&str] = &["org_id", "url", "types", "label", "api_key"];

    #[test]
    fn names_of_other_apis_are_known() {
        let rows: [(&[&str], &str, &str); 65] = [
            (REVIEWS, "limit", "per_page"),
            (REVIEWS, "size", "per_page"),
            (REVIEWS, "page_size", "per_page"),
            (REVIEWS, "pageSize", "per_page"),
            (REVIEWS, "page[size]", "per_page"),
            (REVIEWS, "perPage", "per_page"),
            (REVIEWS, "PER-PAGE", "per_page"),
            (REVIEWS, "offset", "page"),
            (REVIEWS, "start", "page"),
            (REVIEWS, "skip", "page"),
            (REVIEWS, "page[number]", "page"),
            (REVIEWS, "sort", "order_by"),
            (REVIEWS, "sort_by", "order_by"),
            (REVIEWS, "order", "order_by"),
            (REVIEWS, "orderBy", "order_by"),
            (REVIEWS, "rating__in[]", "rating__in"),
            (REVIEWS, "rating[]", "rating__in"),
            (REVIEWS, "rating[0]", "rating__in"),
            (REVIEWS, "rating_in", "rating__in"),
            (REVIEWS, "ratingIn", "rating__in"),
            (REVIEWS, "stars", "rating__in"),
            (REVIEWS, "state[]", "state"),
            (REVIEWS, "state[12]", "state"),
            (REVIEWS, "state__in", "state"),
            (REVIEWS, "state__in[]", "state"),
            (REVIEWS, "partner", "partner__in"),
            (REVIEWS, "partners[]", "partner__in"),
            (REVIEWS, "city", "business_city"),
            (REVIEWS, "business", "business__in"),
            (REVIEWS, "business_id", "business__in"),
            (REVIEWS, "business_ids", "business__in"),
            (REVIEWS, "businessIds[]", "business__in"),
            (REVIEWS, "from", "update_date__gte"),
            (REVIEWS, "since", "update_date__gte"),
            (REVIEWS, "date_from", "update_date__gte"),
            (REVIEWS, "start_date", "update_date__gte"),
            (REVIEWS, "update_date[gte]", "update_date__gte"),
            (REVIEWS, "to", "update_date__lte"),
            (REVIEWS, "until", "update_date__lte"),
            (STATS, "groupBy", "group_by"),
            (USERS, "q", "query"),
            (USERS, "search", "query"),
            (USERS, "organisation", "org_id"),
            (USERS, "organization", "org_id"),
            (USERS, "orgId", "org_id"),
            (USERS, "org", "org_id"),
            (USERS, "apiKey", "api_key"),
            (NEW_USER, "firstName", "first_name"),
            (NEW_USER, "businessIds", "business_ids"),
            (NEW_USER, "business", "business_ids"),
            (NEW_USER, "language", "lang"),
            (CATEGORIES, "query", "name"),
            (BUSINESSES, "business_city", "city"),
            (BUSINESSES, "city__in", "city"),
            (EVENTS, "per_page", "limit"),
            (EVENTS, "pageSize", "limit"),
            (EVENTS, "page", "after"),
            (EVENTS, "offset", "after"),
            (EVENTS, "cursor", "after"),
            (EVENTS, "next", "after"),
            (EVENTS, "type", "type__in"),
            (EVENTS, "types", "type__in"),
            (NEW_WEBHOOK, "type__in", "types"),
            (NEW_WEBHOOK, "events", "types"),
            (NEW_WEBHOOK, "endpoint", "url"),
        ];
        for (known, sent, meant) in rows {
            assert_eq!(suggest(sent, known), Some(meant), "{sent}");
        }
    }

    #[test]
    fn up_to_two_typing_errors_are_forgiven() {
        let rows: [(&[&str], &str, &str); 10] = [
            (REVIEWS, "per_pgae", "per_page"),
            (REVIEWS, "raiting", "rating"),
            (REVIEWS, "status", "state"),
            (REVIEWS, "update_date__gt", "update_date__gte"),
            (REVIEWS, "update_date__lt", "update_date__lte"),
            (REVIEWS, "upadte_date_lte", "update_date__lte"),
            (USERS, "lastname", "last_name"),
            (USERS, "Emial", "email"),
            (NEW_USER, "pasword", "password"),
            (CATEGORIES, "nme", "name"),
        ];
        for (known, sent, meant) in rows {
            assert_eq!(suggest(sent, known), Some(meant), "{sent}");
        }
    }

    #[test]
    fn a_name_that_is_not_near_gets_no_suggestion() {
        let rows: [(&[&str], &str); 20] = [
            (REVIEWS, "org_id"),
            (REVIEWS, "lang"),
            (REVIEWS, "date"),
            (REVIEWS, "colour"),
            (REVIEWS, "id"),
            (REVIEWS, "in"),
            (REVIEWS, "[]"),
            (REVIEWS, "rat"),
            (REVIEWS, "pagination"),
            (REVIEWS, "page"),
            (REVIEWS, ""),
            (REVIEWS, "__"),
            (REVIEWS, "ページ"),
            (USERS, "id"),
            (USERS, "ab"),
            (USERS, "force"),
            (NEW_USER, "foo"),
            (NEW_USER, "nickname"),
            (NEW_USER, "limit"),
            (&[], "limit"),
        ];
        for (known, sent) in rows {
            assert_eq!(suggest(sent, known), None, "{sent}");
        }
        let long = format!("page{}", "_".repeat(MAX_NAME_BYTES));
        assert_eq!(suggest(&long, REVIEWS), None, "a name that is too long");
        assert_eq!(suggest(&long[..MAX_NAME_BYTES], REVIEWS), Some("page"), "a name that is just short enough");
    }

    #[test]
    fn every_camel_case_and_upper_case_spelling_finds_its_name() {
        for name in [REVIEWS, STATS, USERS, NEW_USER, CATEGORIES, BUSINESSES, EVENTS, NEW_WEBHOOK].concat() {
            let capitalised = |word: &str| format!("{}{}", word[..1].to_uppercase(), &word[1..]);
            let camel: String = name.split('_').filter(|word| !word.is_empty()).map(capitalised).collect();
            for sent in [camel, name.to_uppercase(), name.replace('_', "-")].into_iter().filter(|sent| sent != name) {
                assert_eq!(suggest(&sent, &[name]), Some(name), "{sent}");
            }
        }
    }

    #[test]
    fn the_table_of_other_names_is_in_the_form_that_is_compared_and_has_no_name_twice() {
        let mut seen = BTreeSet::new();
        for other in OTHER_NAMES.iter().flat_map(|(_, others)| *others) {
            assert_eq!(&letters_of(other), other);
            assert!(seen.insert(other), "{other} is there twice");
        }
    }

    proptest! {
        #[test]
        fn only_a_known_name_is_ever_suggested(sent in any::<String>()) {
            for known in [REVIEWS, USERS, NEW_USER] {
                let suggested = suggest(&sent, known);
                prop_assert!(suggested.is_none_or(|name| known.contains(&name) && name != sent));
            }
        }

        #[test]
        fn a_suggestion_for_names_and_brackets_of_any_kind_is_known(sent in "[a-zA-Z_\\[\\]0-9.éİß-]{0,30}") {
            prop_assert!(suggest(&sent, REVIEWS).is_none_or(|name| REVIEWS.contains(&name) && name != sent));
        }

        #[test]
        fn a_short_name_is_never_a_typing_error(sent in "[a-z]{1,2}", known in prop::sample::select(REVIEWS.to_vec())) {
            prop_assert_eq!(mistyped(&sent, &[known]), None);
        }
    }
}
