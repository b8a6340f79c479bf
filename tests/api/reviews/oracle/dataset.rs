//! Dataset of the oracle: shops of two organisations with their reviews, random changes, and the rows that import them.

use std::collections::BTreeMap;

use fastrand::Rng;
use presence_domain::ids::{BusinessId, OrgId};
use presence_domain::instant::format_second;
use presence_domain::review::{Partner, Rating, Review, ReviewId, ReviewState};
use presence_domain::text::city_key;
use serde_json::{Value, json};

/// Start of 2024-02-01. The range of dates has a leap day, ends of months and a new year.
const FIRST_SECOND: i64 = 1_706_745_600;
const DAY: i64 = 86_400;
const DAYS: i64 = 400;
/// Days of February, which has most reviews: too many for a month that is read as a whole.
const CROWDED_DAYS: i64 = 29;
/// Leap day, which has a fifth of all reviews.
const DENSE_DAY: i64 = 28;

/// Business with reviews.
struct Shop {
    id: &'static str,
    org: u64,
    /// Cities before and after a move.
    cities: [&'static str; 2],
    /// Share of the reviews. Organisation 2 has few.
    share: usize,
    /// True if the shop writes its city in capital letters.
    shouts: bool,
}

const SHOPS: [Shop; 5] = [
    Shop { id: "b1", org: 1, cities: ["Saint-Étienne", "Saint-Étienne"], share: 10, shouts: false },
    Shop { id: "b2", org: 1, cities: ["Évora", "Évora"], share: 8, shouts: false },
    Shop { id: "b3", org: 1, cities: ["Évora", "Besançon"], share: 2, shouts: false },
    Shop { id: "b4", org: 2, cities: ["Évora", "Saint-Étienne"], share: 1, shouts: true },
    Shop { id: "b5", org: 2, cities: ["Saint-Étienne", "Saint-Étienne"], share: 1, shouts: false },
];

/// Shops, with the reviews that the tables should have.
pub(crate) struct Dataset {
    moved: bool,
    reviews: BTreeMap<ReviewId, Review>,
}

impl Dataset {
    /// Builds a dataset with so many reviews.
    pub(crate) fn build(rng: &mut Rng, count: usize) -> Self {
        let reviews = (0..count).map(|number| random_review(rng, number)).map(|review| (review.id.clone(), review));
        Self { moved: false, reviews: reviews.collect() }
    }

    /// Returns all reviews with their cities, the oldest first.
    pub(super) fn sorted(&self) -> Vec<(&Review, &'static str)> {
        let city = |review: &Review| self.city(shop(review));
        let mut sorted: Vec<_> = self.reviews.values().map(|review| (review, city(review))).collect();
        sorted.sort_by_key(|(review, _)| (review.update_date.unwrap_or(review.date), &review.id));
        sorted
    }

    pub(crate) fn reviews(&self) -> Vec<Review> {
        self.reviews.values().cloned().collect()
    }

    /// Returns the number of reviews of organisation 1 in its largest month.
    pub(super) fn reviews_in_crowded_month(&self) -> usize {
        let in_crowd = |review: &&Review| {
            let at = review.effective_at() - FIRST_SECOND;
            review.org_id.get() == 1 && (0..CROWDED_DAYS * DAY).contains(&at)
        };
        self.reviews.values().filter(in_crowd).count()
    }

    /// Returns the shops of an organisation, or all, in the order of their ids: id, key of the city, and its name as the shop writes it.
    pub(super) fn city_names(&self, org: Option<u64>) -> Vec<(&'static str, String, String)> {
        // The fixtures have businesses without reviews, and they give their city a name, too.
        let others = [("b1-1", 1), ("b2-1", 2)].map(|(id, org)| (org, id, "Saint-Étienne".to_owned()));
        let shops = SHOPS.iter().map(|shop| (shop.org, shop.id, self.written_city(shop)));
        let seen = shops.chain(others).filter(|(other, ..)| org.is_none_or(|org| org == *other));
        let mut names: Vec<_> = seen.map(|(_, id, name)| (id, city_key(&name), name)).collect();
        names.sort_unstable();
        names
    }

    /// Returns the city of a shop as its row has it.
    fn written_city(&self, shop: &Shop) -> String {
        if shop.shouts { self.city(shop).to_uppercase() } else { self.city(shop).to_owned() }
    }

    fn city(&self, shop: &Shop) -> &'static str {
        shop.cities[usize::from(self.moved)]
    }

    /// Returns the rows of the organisations, and those of the shops in their present cities.
    pub(crate) fn org_and_shop_rows(&self) -> (String, String) {
        let orgs = [1, 2].map(|org| json!({"id": org, "name": format!("Org {org}")}));
        let shops = SHOPS
            .iter()
            .map(|shop| json!({"id": shop.id, "org_id": shop.org, "name": "Shop", "city": self.written_city(shop)}));
        (lines(orgs), lines(shops))
    }

    /// Moves the shops to their other cities. A second call moves them back.
    pub(super) fn move_shops(&mut self) {
        self.moved = !self.moved;
    }

    /// Changes so many reviews, adds so many, and returns their rows.
    pub(crate) fn change(&mut self, rng: &mut Rng, changes: usize, newcomers: usize) -> String {
        let ids: Vec<_> = self.reviews.keys().cloned().collect();
        let mut touched = BTreeMap::new();
        for _ in 0..changes {
            let id = &ids[rng.usize(..ids.len())];
            touched.insert(id.clone(), changed(rng, &self.reviews[id]));
        }
        let known = self.reviews.len();
        touched.extend((known..known + newcomers).map(|number| {
            let review = random_review(rng, number);
            (review.id.clone(), review)
        }));
        self.put(rng, touched)
    }

    /// Restores deleted reviews, and returns their rows.
    pub(super) fn restore(&mut self, rng: &mut Rng) -> String {
        let deleted = self.reviews.values().filter(|review| review.state == ReviewState::Deleted).take(150);
        let back = deleted.map(|review| (review.id.clone(), Review { state: ReviewState::Treated, ..review.clone() }));
        let back = back.collect();
        self.put(rng, back)
    }

    /// Stores the reviews in the dataset, and returns their rows in random order.
    fn put(&mut self, rng: &mut Rng, reviews: BTreeMap<ReviewId, Review>) -> String {
        let mut rows: Vec<Value> = reviews.values().map(|review| row(rng, review)).collect();
        rng.shuffle(&mut rows);
        self.reviews.extend(reviews);
        lines(rows)
    }
}

fn lines(rows: impl IntoIterator<Item = Value>) -> String {
    rows.into_iter().fold(String::new(), |lines, row| lines + &row.to_string() + "\n")
}

fn shop(review: &Review) -> &'static Shop {
    SHOPS.iter().find(|shop| shop.id == review.business_id.as_str()).expect("a shop")
}

/// Returns a random element.
pub(super) fn pick<T: Copy>(rng: &mut Rng, of: &[T]) -> T {
    of[rng.usize(..of.len())]
}

/// Returns a random second in the range of dates, often the same one.
pub(super) fn random_second(rng: &mut Rng) -> i64 {
    let day = match rng.u8(..20) {
        0..4 => DENSE_DAY,
        4..15 => rng.i64(0..CROWDED_DAYS),
        _ => rng.i64(0..DAYS),
    };
    let of_day = if rng.bool() { pick(rng, &[0, 1, DAY / 2, DAY - 1]) } else { rng.i64(0..DAY) };
    FIRST_SECOND + day * DAY + of_day
}

/// Returns a random review.
fn random_review(rng: &mut Rng, number: usize) -> Review {
    let shares: Vec<&Shop> = SHOPS.iter().flat_map(|shop| std::iter::repeat_n(shop, shop.share)).collect();
    let shop = pick(rng, &shares);
    let business_id = BusinessId::parse(shop.id).expect("an id");
    let (partner, partner_id) = (pick(rng, &Partner::ALL), format!("review {number}"));
    Review {
        id: ReviewId::derive(&business_id, partner, &partner_id, 0),
        version: 1,
        org_id: OrgId::new(shop.org).expect("an id"),
        business_id,
        city_key: city_key(shop.cities[0]),
        partner,
        key: partner_id.clone(),
        partner_id,
        author_name: Some("Zoë".to_owned()),
        date: random_second(rng),
        update_date: (rng.u8(..3) == 0).then(|| random_second(rng)),
        delete_date: None,
        rating: pick(rng, &Rating::ALL),
        title: None,
        content: pick(rng, &[None, Some(""), Some("  "), Some("Très bon accueil")]).map(str::to_owned),
        reply_comment: None,
        state: pick(rng, &ReviewState::ALL),
        link: None,
        seen_at: None,
    }
}

/// Returns the review with a change of a field that searches depend on.
fn changed(rng: &mut Rng, old: &Review) -> Review {
    let mut new = old.clone();
    match rng.u8(..5) {
        0 => new.state = ReviewState::Deleted,
        1 => new.state = pick(rng, &ReviewState::ALL),
        2 => new.rating = pick(rng, &Rating::ALL),
        3 => new.content = pick(rng, &[None, Some(" "), Some("Nul")]).map(str::to_owned),
        _ => new.update_date = (rng.u8(..3) > 0).then(|| random_second(rng)),
    }
    new
}

fn row(rng: &mut Rng, review: &Review) -> Value {
    json!({
        "business_id": review.business_id.as_str(), "partner": review.partner.as_str(),
        "partner_id": review.partner_id, "author_name": review.author_name, "rating": review.rating.get(),
        "content": review.content, "state": review.state.as_str(),
        "date": random_form(rng, review.date), "update_date": review.update_date.map(|at| random_form(rng, at)),
    })
}

/// Returns a second in a random form that rows accept.
fn random_form(rng: &mut Rng, at: i64) -> String {
    let text = |at: i64| format_second(at)[..19].to_owned();
    match rng.u8(..6) {
        0 => text(at),
        1 => format!("{}Z", text(at)),
        2 => format!("{}.999Z", text(at)),
        3 => format!("{}+05:30", text(at + 19_800)),
        4 => format!("{}-0800", text(at - 28_800)),
        _ if at.rem_euclid(DAY) == 0 => text(at)[..10].to_owned(),
        _ => format!("{}+00:00", text(at)),
    }
}
