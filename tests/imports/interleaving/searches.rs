//! Searches with their expected answers, found by looking at each review.

use std::collections::BTreeMap;

use presence_domain::instant::format_second;
use presence_domain::review::{Review, ReviewState};
use presence_tests::Reply;
use presence_tests::reviews::matching;
use serde_json::Value;

use super::super::large_dataset::second;

/// Reviews on a page.
const PER_PAGE: usize = 10;

/// Reviews by their partner ids.
pub(super) type ReviewsByName = BTreeMap<String, Review>;

/// Answer of a search: the count, and for each review on the page its name, rating, state and effective date.
pub(super) type Answer = (usize, Vec<String>);

/// Search with its filter as a predicate.
pub(super) struct SearchCase {
    pub(super) path: &'static str,
    /// True if the caller is a PROVIDER. Otherwise it is a user of organisation 1.
    pub(super) of_all: bool,
    admits: fn(&Review) -> bool,
    /// Seconds between which the effective dates must lie.
    between: [i64; 2],
    oldest_first: bool,
    page: usize,
}

const fn search_case(path: &'static str, admits: fn(&Review) -> bool) -> SearchCase {
    SearchCase { path, of_all: false, admits, between: [i64::MIN, i64::MAX], oldest_first: false, page: 1 }
}

const SUMMER: &str = "per_page=10&update_date__gte=2025-06-10T12:00:00&update_date__lte=2025-08-10T12:00:00";
const ODD_SUMMER: &str = "per_page=10&update_date__gte=2025-06-10T12:00:00&update_date__lte=2025-08-10T12:00:00&rating__in=1,3,5&order_by=update_date";
const ODD_DAYTIME: &str =
    "per_page=10&update_date__gte=2025-07-05T08:00:00&update_date__lte=2025-07-05T20:00:00&rating__in=1,3,5";
const LYON_SUMMER: &str =
    "per_page=10&update_date__gte=2025-06-10T12:00:00&update_date__lte=2025-08-10T12:00:00&business_city=lyon";

fn at(review: &Review) -> i64 {
    review.update_date.unwrap_or(review.date)
}

fn odd(review: &Review) -> bool {
    review.rating.get() % 2 == 1
}

pub(super) fn search_cases() -> Vec<SearchCase> {
    // From noon of a day in June to noon of one in August.
    let summer = [second("2025-06-10T12:00:00"), second("2025-08-10T12:00:00")];
    let (early, late) = ([i64::MIN, second("2025-06-21") - 1], [second("2025-08-01"), i64::MAX]);
    let daytime = [second("2025-07-05T08:00:00"), second("2025-07-05T20:00:00")];
    let second_page = |path, admits| SearchCase { page: 2, ..search_case(path, admits) };
    vec![
        second_page("per_page=10&page=2", |_| true),
        SearchCase { page: 209, ..search_case("per_page=10&page=209", |_| true) },
        SearchCase { oldest_first: true, ..second_page("per_page=10&page=2&order_by=update_date", |_| true) },
        second_page("per_page=10&page=2&business_city=lyon", |review| review.city_key == "lyon"),
        search_case("per_page=10&rating__in=1,3,5&state=not_treated", |review| {
            odd(review) && review.state == ReviewState::NotTreated
        }),
        SearchCase { between: summer, ..search_case(SUMMER, |_| true) },
        SearchCase { between: summer, oldest_first: true, ..search_case(ODD_SUMMER, odd) },
        SearchCase { between: daytime, ..search_case(ODD_DAYTIME, odd) },
        SearchCase { between: early, ..search_case("per_page=10&update_date__lte=2025-06-20", |_| true) },
        SearchCase {
            between: late,
            ..search_case("per_page=10&business__in=m1,m2&update_date__gte=2025-08-01", |_| true)
        },
        SearchCase { of_all: true, page: 3, ..search_case("per_page=10&page=3", |_| true) },
        SearchCase { of_all: true, between: summer, ..search_case(LYON_SUMMER, |review| review.city_key == "lyon") },
    ]
}

impl SearchCase {
    /// Returns the expected answer.
    pub(super) fn expected(&self, reviews: &ReviewsByName) -> Answer {
        let [from, to] = self.between;
        let found = matching(reviews.values(), !self.oldest_first, |review| {
            (self.of_all || review.org_id.get() == 1) && (from..=to).contains(&at(review)) && (self.admits)(review)
        });
        let page = found.iter().skip((self.page - 1) * PER_PAGE).take(PER_PAGE);
        let describe = |review: &&Review| {
            let (rating, state) = (review.rating.get(), review.state.as_str());
            format!("{} {rating} {state} {}", review.partner_id, format_second(at(review)))
        };
        (found.len(), page.map(describe).collect())
    }
}

/// Returns the answer in a reply.
pub(super) fn answer(reply: &Reply) -> Answer {
    let page = reply.json();
    let text = |value: &Value| value.as_str().unwrap_or("?").to_owned();
    let describe = |review: &Value| {
        let at = review.get("update_date").unwrap_or(&review["date"]);
        format!("{} {} {} {}", text(&review["partner_id"]), review["rating"], text(&review["state"]), text(at))
    };
    let reviews = page["reviews"].as_array().unwrap_or_else(|| panic!("no page: {}", reply.text));
    let count = page["count"].as_u64().and_then(|count| usize::try_from(count).ok()).expect("a count");
    (count, reviews.iter().map(describe).collect())
}
