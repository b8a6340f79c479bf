//! Random requests for statistics, and the answers that a count of a list expects.

use std::collections::BTreeMap;

use fastrand::Rng;
use presence_domain::instant::format_second;
use presence_domain::review::{Partner, Rating, Review, ReviewState};
use presence_tests::reviews::pick;
use serde_json::{Map, Value, json};

use super::random_query::Filter;

/// Properties by which reviews are grouped, and none twice as often.
const GROUPS: [&str; 10] = ["", "", "day", "month", "year", "business", "city", "partner", "state", "rating"];

/// Request for statistics with its expected answer.
pub(super) struct RandomStats {
    /// Filters, without a question mark.
    pub(super) filters: String,
    /// Parameter of the groups with its ampersand, or nothing.
    pub(super) group_by: String,
    pub(super) expected: Value,
}

impl RandomStats {
    /// Returns a random request of a caller that sees these reviews, and these shops: id, key of the city, and its name.
    pub(super) fn random(rng: &mut Rng, seen: &[&Review], shops: &[(&str, String, String)]) -> Self {
        let filter = Filter::random(rng);
        let group_by = pick(rng, &GROUPS);
        let found = filter.admitted(seen);
        let mut expected = totals(&found);
        if !group_by.is_empty() {
            // A city has the name that the lowest of the counted businesses gives it.
            let is_counted = |id: &str| filter.businesses.as_ref().is_none_or(|ids| ids.contains(&id));
            let counted = shops.iter().rev().filter(|(id, ..)| is_counted(id));
            let city_names = counted.map(|(_, key, name)| (key.clone(), name.clone())).collect();
            expected["groups"] = groups(&found, group_by, &city_names);
        }
        let mut query = filter.query;
        rng.shuffle(&mut query);
        let group_by = if group_by.is_empty() { String::new() } else { format!("&group_by={group_by}") };
        Self { filters: query.join("&"), group_by, expected }
    }
}

/// Returns the answer about reviews, without groups.
fn totals(found: &[&Review]) -> Value {
    let count = |fits: &dyn Fn(&Review) -> bool| found.iter().filter(|review| fits(review)).count();
    let states = ReviewState::ALL.map(|state| (state.as_str(), count(&|review| review.state == state)));
    let partners = Partner::ALL.map(|partner| (partner.as_str(), count(&|review| review.partner == partner)));
    let blank = |review: &Review| review.content.as_deref().is_none_or(|text| text.trim().is_empty());
    json!({
        "count": found.len(), "average_rating": average(found), "ratings": ratings(found),
        "states": object(states), "partners": object(partners),
        "with_content": count(&|review| !blank(review)), "without_content": count(&blank),
    })
}

fn object<const LENGTH: usize>(counts: [(&str, usize); LENGTH]) -> Value {
    counts.into_iter().map(|(name, count)| (name.to_owned(), json!(count))).collect::<Map<_, _>>().into()
}

fn ratings(found: &[&Review]) -> Value {
    let count = |rating: Rating| found.iter().filter(|review| review.rating == rating).count();
    Rating::ALL.iter().map(|rating| (rating.get().to_string(), json!(count(*rating)))).collect::<Map<_, _>>().into()
}

/// Returns the average, rounded half up to two decimals; null without a review.
fn average(found: &[&Review]) -> Value {
    if found.is_empty() {
        return Value::Null;
    }
    let hundreds = 100 * found.iter().map(|review| usize::from(review.rating.get())).sum::<usize>();
    let (whole, rest) = (hundreds / found.len(), hundreds % found.len());
    let rounded = whole + usize::from(2 * rest >= found.len());
    let text = format!("{}.{:02}", rounded / 100, rounded % 100);
    json!(text.parse::<f64>().expect("a number"))
}

fn groups(found: &[&Review], group_by: &str, city_names: &BTreeMap<String, String>) -> Value {
    let mut groups: BTreeMap<(usize, String), Vec<&Review>> = BTreeMap::new();
    for review in found {
        groups.entry(sort_key(group_by, review)).or_default().push(review);
    }
    let body = |((_, key), found): ((usize, String), Vec<&Review>)| {
        let mut body = json!({
            "key": key, "count": found.len(), "average_rating": average(&found), "ratings": ratings(&found),
        });
        if group_by == "city" {
            body["name"] = json!(city_names[&key]);
        }
        body
    };
    groups.into_iter().map(body).collect()
}

/// Returns the rank and the key of a review's group. Groups are sorted by both.
fn sort_key(group_by: &str, review: &Review) -> (usize, String) {
    let date = format_second(review.update_date.unwrap_or(review.date));
    let position = |found: Option<usize>| found.expect("one of all");
    match group_by {
        "day" => (0, date[..10].to_owned()),
        "month" => (0, date[..7].to_owned()),
        "year" => (0, date[..4].to_owned()),
        "business" => (0, review.business_id.as_str().to_owned()),
        "city" => (0, review.city_key.clone()),
        "partner" => {
            let order = ["partner_8", "partner_1", "partner_9"];
            let partner = review.partner.as_str();
            (position(order.iter().position(|other| *other == partner)), partner.to_owned())
        }
        "state" => {
            let order = ["treated", "not_treated", "deleted"];
            let state = review.state.as_str();
            (position(order.iter().position(|other| *other == state)), state.to_owned())
        }
        _ => (0, review.rating.get().to_string()),
    }
}
