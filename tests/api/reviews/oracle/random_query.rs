//! Random requests, and what a look at each review says that they find.

use fastrand::Rng;
use presence_domain::instant::format_second;
use presence_domain::review::{Partner, Rating, Review, ReviewState};
use serde_json::{Value, json};

use super::dataset::{pick, second};

const DAY: i64 = 86_400;

/// The ways in which a city may be spelled; nobody is in the last one.
const SPELLINGS: [(&str, &str); 7] = [
    ("Évora", "%C3%89vora"),
    ("Évora", "EVORA"),
    ("Saint-Étienne", "Saint-%C3%89tienne"),
    ("Saint-Étienne", "saint++etienne"),
    ("Saint-Étienne", "SAINT%E2%80%99ETIENNE"),
    ("Besançon", "besan%C3%A7on"),
    ("", "Braga"),
];

/// What a parameter asks of a review and its city.
type Test = Box<dyn Fn(&Review, &str) -> bool>;

/// A request, and what must be answered.
pub(super) struct RandomQuery {
    pub(super) path: String,
    /// The envelope, without the reviews.
    pub(super) envelope: Value,
    pub(super) ids: Vec<String>,
    /// The body of the first review on the page; null on an empty one.
    pub(super) first: Value,
}

#[derive(Default)]
struct Filter {
    query: Vec<String>,
    tests: Vec<Test>,
}

impl RandomQuery {
    /// A random request of a caller that sees these reviews, the oldest first.
    pub(super) fn make(rng: &mut Rng, seen: &[(&Review, &str)]) -> Self {
        let mut filter = Filter::default();
        filter.cells(rng);
        filter.dates(rng);
        filter.places(rng);
        let fits = |(review, city): &&(&Review, &str)| filter.tests.iter().all(|test| test(review, city));
        let mut found: Vec<&Review> = seen.iter().filter(fits).map(|(review, _)| *review).collect();
        let mut query = filter.query;
        match rng.u8(..4) {
            0 => {}
            1 => query.push("order_by=-update_date".to_owned()),
            _ => query.push("order_by=update_date".to_owned()),
        }
        if query.last().is_none_or(|last| last != "order_by=update_date") {
            found.reverse();
        }
        let size = pick(rng, &[1, 7, 30, 30, 100]);
        if size != 30 {
            query.push(format!("per_page={size}"));
        }
        let pages = found.len().div_ceil(size).max(1);
        let page = match rng.u8(..8) {
            0..3 => 1,
            3 => pages,
            4 => pages + 1 + rng.usize(..3),
            _ => 1 + rng.usize(..pages),
        };
        if page > 1 {
            query.push(format!("page={page}"));
        }
        rng.shuffle(&mut query);
        let on_page: Vec<&Review> = found.iter().copied().skip((page - 1) * size).take(size).collect();
        Self {
            path: format!("/reviews?{}", query.join("&")),
            envelope: json!({"page": page, "max_page": pages, "count": found.len()}),
            ids: on_page.iter().map(|review| review.id.as_str().to_owned()).collect(),
            first: on_page.first().map_or(Value::Null, |review| body(review)),
        }
    }
}

impl Filter {
    fn add(&mut self, parameter: String, test: impl Fn(&Review, &str) -> bool + 'static) {
        self.query.push(parameter);
        self.tests.push(Box::new(test));
    }

    fn cells(&mut self, rng: &mut Rng) {
        if rng.u8(..3) == 0 {
            let states = some(rng, &ReviewState::ALL);
            let parameter = list(rng, "state", &states, |state| state.as_str().to_owned());
            self.add(parameter, move |review, _| states.contains(&review.state));
        }
        if rng.u8(..3) == 0 {
            let ratings = some(rng, &Rating::ALL);
            let parameter = list(rng, "rating__in", &ratings, |rating| rating.get().to_string());
            self.add(parameter, move |review, _| ratings.contains(&review.rating));
        }
        if rng.u8(..6) == 0 {
            let rating = pick(rng, &Rating::ALL);
            self.add(format!("rating={}", rating.get()), move |review, _| review.rating == rating);
        }
        if rng.u8(..4) == 0 {
            let partners = some(rng, &Partner::ALL);
            let parameter = list(rng, "partner__in", &partners, |partner| partner.as_str().to_owned());
            self.add(parameter, move |review, _| partners.contains(&review.partner));
        }
        if rng.u8(..4) == 0 {
            let without = rng.bool();
            let blank = |review: &Review| review.content.as_deref().is_none_or(|text| text.trim().is_empty());
            self.add(format!("content__isnull={without}"), move |review, _| blank(review) == without);
        }
    }

    fn dates(&mut self, rng: &mut Rng) {
        let effective = |review: &Review| review.update_date.unwrap_or(review.date);
        if rng.u8(..3) == 0 {
            let (text, first, _) = moment(rng);
            self.add(format!("update_date__gte={text}"), move |review, _| effective(review) >= first);
        }
        if rng.u8(..3) == 0 {
            let (text, _, last) = moment(rng);
            self.add(format!("update_date__lte={text}"), move |review, _| effective(review) <= last);
        }
    }

    fn places(&mut self, rng: &mut Rng) {
        if rng.u8(..8) == 0 {
            let ids = some(rng, &["b1", "b2", "b3", "b4", "b5", "nobody"]);
            let parameter = list(rng, "business__in", &ids, |id| (*id).to_owned());
            self.add(parameter, move |review, _| ids.contains(&review.business_id.as_str()));
        }
        if rng.u8(..3) == 0 {
            let (name, spelling) = pick(rng, &SPELLINGS);
            self.add(format!("business_city={spelling}"), move |_, city| city == name);
        }
    }
}

/// The review as the interface shows it.
fn body(review: &Review) -> Value {
    let content = review.content.as_deref().filter(|content| !content.trim().is_empty());
    // A review that was never updated was last updated when it was written.
    let update_date = format_second(review.update_date.unwrap_or(review.date));
    json!({
        "id": review.id.as_str(), "org_id": review.org_id.to_string(), "business_id": review.business_id.as_str(),
        "partner": review.partner.as_str(), "partner_id": review.partner_id, "key": review.key,
        "author_name": review.author_name, "date": format_second(review.date), "update_date": update_date,
        "rating": review.rating.get(),
        "title": null, "content": content, "reply_comment": null, "state": review.state.as_str(), "link": null,
    })
}

/// At least one of them.
fn some<T: Copy>(rng: &mut Rng, of: &[T]) -> Vec<T> {
    let mut chosen: Vec<T> = of.iter().copied().filter(|_| rng.bool()).collect();
    if chosen.is_empty() {
        chosen.push(pick(rng, of));
    }
    chosen
}

/// A list in one of its two forms.
fn list<T>(rng: &mut Rng, name: &str, items: &[T], spelling: fn(&T) -> String) -> String {
    let items: Vec<_> = items.iter().map(spelling).collect();
    if rng.bool() {
        return format!("{name}={}", items.join(","));
    }
    items.iter().map(|item| format!("{name}={item}")).collect::<Vec<_>>().join("&")
}

/// A date in some form, its first and its last second.
fn moment(rng: &mut Rng) -> (String, i64, i64) {
    let at = second(rng);
    let text = |second: i64| format_second(second)[..19].to_owned();
    match rng.u8(..5) {
        0 => (text(at)[..10].to_owned(), at - at.rem_euclid(DAY), at - at.rem_euclid(DAY) + DAY - 1),
        // A plus that is not escaped arrives as a blank, and is repaired.
        1 => (format!("{}+05:30", text(at + 19_800)), at, at),
        2 => (format!("{}-0800", text(at - 28_800)), at, at),
        3 => (format!("{}Z", text(at)), at, at),
        _ => (text(at), at, at),
    }
}
