//! Random requests, and the answers that a brute-force search expects.

use fastrand::Rng;
use presence_domain::instant::format_second;
use presence_domain::review::{Partner, Rating, Review, ReviewState};
use presence_tests::reviews::{DAY, pick, random_second};
use serde_json::{Value, json};

/// Keys of cities, with spellings of their names. No shop is in the last one.
const SPELLINGS: [(&str, &str); 7] = [
    ("evora", "%C3%89vora"),
    ("evora", "EVORA"),
    ("saint etienne", "Saint-%C3%89tienne"),
    ("saint etienne", "saint++etienne"),
    ("saint etienne", "SAINT%E2%80%99ETIENNE"),
    ("besancon", "besan%C3%A7on"),
    ("braga", "Braga"),
];

/// Predicate of a parameter on a review.
type Predicate = Box<dyn Fn(&Review) -> bool>;

/// Request with its expected answer.
pub(super) struct RandomQuery {
    pub(super) path: String,
    /// Envelope without the reviews.
    pub(super) envelope: Value,
    pub(super) ids: Vec<String>,
    /// Body of the first review on the page, or null on an empty page.
    pub(super) first: Value,
}

/// Random filters, as parameters and as predicates.
#[derive(Default)]
pub(super) struct Filter {
    pub(super) query: Vec<String>,
    /// Businesses that are named, if any are.
    pub(super) businesses: Option<Vec<&'static str>>,
    tests: Vec<Predicate>,
}

impl RandomQuery {
    /// Returns a random request of a caller that sees these reviews, given with the oldest first.
    pub(super) fn random(rng: &mut Rng, seen: &[&Review]) -> Self {
        let filter = Filter::random(rng);
        let mut found: Vec<&Review> = filter.admitted(seen);
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
    pub(super) fn random(rng: &mut Rng) -> Self {
        let mut filter = Self::default();
        filter.add_facets(rng);
        filter.add_dates(rng);
        filter.add_businesses_and_city(rng);
        filter
    }

    /// Returns the reviews that all predicates admit.
    pub(super) fn admitted<'a>(&self, seen: &[&'a Review]) -> Vec<&'a Review> {
        seen.iter().copied().filter(|review| self.tests.iter().all(|test| test(review))).collect()
    }

    fn add(&mut self, parameter: String, test: impl Fn(&Review) -> bool + 'static) {
        self.query.push(parameter);
        self.tests.push(Box::new(test));
    }

    fn add_facets(&mut self, rng: &mut Rng) {
        if rng.u8(..3) == 0 {
            let states = random_subset(rng, &ReviewState::ALL);
            let parameter = list_parameter(rng, "state", &states, |state| state.as_str().to_owned());
            self.add(parameter, move |review| states.contains(&review.state));
        }
        if rng.u8(..3) == 0 {
            let ratings = random_subset(rng, &Rating::ALL);
            let parameter = list_parameter(rng, "rating__in", &ratings, |rating| rating.get().to_string());
            self.add(parameter, move |review| ratings.contains(&review.rating));
        }
        if rng.u8(..6) == 0 {
            let rating = pick(rng, &Rating::ALL);
            self.add(format!("rating={}", rating.get()), move |review| review.rating == rating);
        }
        if rng.u8(..4) == 0 {
            let partners = random_subset(rng, &Partner::ALL);
            let parameter = list_parameter(rng, "partner__in", &partners, |partner| partner.as_str().to_owned());
            self.add(parameter, move |review| partners.contains(&review.partner));
        }
        if rng.u8(..4) == 0 {
            let without = rng.bool();
            let blank = |review: &Review| review.content.as_deref().is_none_or(|text| text.trim().is_empty());
            self.add(format!("content__isnull={without}"), move |review| blank(review) == without);
        }
    }

    fn add_dates(&mut self, rng: &mut Rng) {
        let effective = |review: &Review| review.update_date.unwrap_or(review.date);
        if rng.u8(..3) == 0 {
            let (text, first, _) = random_date(rng);
            self.add(format!("update_date__gte={text}"), move |review| effective(review) >= first);
        }
        if rng.u8(..3) == 0 {
            let (text, _, last) = random_date(rng);
            self.add(format!("update_date__lte={text}"), move |review| effective(review) <= last);
        }
    }

    fn add_businesses_and_city(&mut self, rng: &mut Rng) {
        if rng.u8(..8) == 0 {
            let ids = random_subset(rng, &["b1", "b2", "b3", "b4", "b5", "nobody"]);
            let parameter = list_parameter(rng, "business__in", &ids, |id| (*id).to_owned());
            self.businesses = Some(ids.clone());
            self.add(parameter, move |review| ids.contains(&review.business_id.as_str()));
        }
        if rng.u8(..3) == 0 {
            let (name, spelling) = pick(rng, &SPELLINGS);
            self.add(format!("business_city={spelling}"), move |review| review.city_key == name);
        }
    }
}

/// Returns the body of a review in the interface.
fn body(review: &Review) -> Value {
    let content = review.content.as_deref().filter(|content| !content.trim().is_empty());
    // A review without updates has the date of its creation as that of the last update.
    let update_date = format_second(review.update_date.unwrap_or(review.date));
    json!({
        "id": review.id.as_str(), "org_id": review.org_id.to_string(), "business_id": review.business_id.as_str(),
        "partner": review.partner.as_str(), "partner_id": review.partner_id, "key": review.key,
        "author_name": review.author_name, "date": format_second(review.date), "update_date": update_date,
        "rating": review.rating.get(),
        "title": null, "content": content, "reply_comment": null, "state": review.state.as_str(), "link": null,
    })
}

/// Returns a random subset with at least one element.
fn random_subset<T: Copy>(rng: &mut Rng, of: &[T]) -> Vec<T> {
    let mut chosen: Vec<T> = of.iter().copied().filter(|_| rng.bool()).collect();
    if chosen.is_empty() {
        chosen.push(pick(rng, of));
    }
    chosen
}

/// Returns a list parameter in a random one of its two forms.
fn list_parameter<T>(rng: &mut Rng, name: &str, items: &[T], spelling: fn(&T) -> String) -> String {
    let items: Vec<_> = items.iter().map(spelling).collect();
    if rng.bool() {
        return format!("{name}={}", items.join(","));
    }
    items.iter().map(|item| format!("{name}={item}")).collect::<Vec<_>>().join("&")
}

/// Returns a date in a random form, with its first and its last second.
fn random_date(rng: &mut Rng) -> (String, i64, i64) {
    let at = random_second(rng);
    let text = |second: i64| format_second(second)[..19].to_owned();
    match rng.u8(..5) {
        0 => (text(at)[..10].to_owned(), at - at.rem_euclid(DAY), at - at.rem_euclid(DAY) + DAY - 1),
        // An unescaped plus arrives as a blank, which the search reads as a plus.
        1 => (format!("{}+05:30", text(at + 19_800)), at, at),
        2 => (format!("{}-0800", text(at - 28_800)), at, at),
        3 => (format!("{}Z", text(at)), at, at),
        _ => (text(at), at, at),
    }
}
