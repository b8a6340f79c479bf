//! Shops of two organisations and their reviews: the data of the oracle, how it changes, and the rows that tell so.

use std::collections::BTreeMap;

use fastrand::Rng;
use presence_domain::ids::{BusinessId, OrgId};
use presence_domain::instant::format_second;
use presence_domain::review::{Partner, Rating, Review, ReviewId, ReviewState};
use presence_domain::text::city_key;
use serde_json::{Value, json};

/// 2024-02-01: a leap day, month ends and a new year lie in the range of dates.
const FIRST_SECOND: i64 = 1_706_745_600;
const DAY: i64 = 86_400;
const DAYS: i64 = 400;
/// February, in which most reviews lie: too many for a month that is read whole.
const CROWDED_DAYS: i64 = 29;
/// Its leap day, on which a fifth of all lies.
const DENSE_DAY: i64 = 28;

/// A business.
struct Shop {
    id: &'static str,
    org: u64,
    /// Where it is, and where it is after it moved.
    cities: [&'static str; 2],
    /// Its share of the reviews: organisation 2 is sparse.
    share: usize,
}

const SHOPS: [Shop; 5] = [
    Shop { id: "b1", org: 1, cities: ["Saint-Étienne", "Saint-Étienne"], share: 10 },
    Shop { id: "b2", org: 1, cities: ["Évora", "Évora"], share: 8 },
    Shop { id: "b3", org: 1, cities: ["Évora", "Besançon"], share: 2 },
    Shop { id: "b4", org: 2, cities: ["Évora", "Saint-Étienne"], share: 1 },
    Shop { id: "b5", org: 2, cities: ["Saint-Étienne", "Saint-Étienne"], share: 1 },
];

/// The shops, and their reviews as they should be.
pub(crate) struct Dataset {
    moved: bool,
    reviews: BTreeMap<ReviewId, Review>,
}

impl Dataset {
    /// A dataset with so many reviews.
    pub(crate) fn build(rng: &mut Rng, count: usize) -> Self {
        let reviews = (0..count).map(|number| review(rng, number)).map(|review| (review.id.clone(), review));
        Self { moved: false, reviews: reviews.collect() }
    }

    /// Every review, the oldest first, each with its city.
    pub(super) fn sorted(&self) -> Vec<(&Review, &'static str)> {
        let city = |review: &Review| self.city(shop(review));
        let mut sorted: Vec<_> = self.reviews.values().map(|review| (review, city(review))).collect();
        sorted.sort_by_key(|(review, _)| (review.update_date.unwrap_or(review.date), &review.id));
        sorted
    }

    pub(crate) fn reviews(&self) -> Vec<Review> {
        self.reviews.values().cloned().collect()
    }

    /// The largest number of reviews of organisation 1 in one month.
    pub(super) fn crowd(&self) -> usize {
        let in_crowd = |review: &&Review| {
            let at = review.effective_at() - FIRST_SECOND;
            review.org_id.get() == 1 && (0..CROWDED_DAYS * DAY).contains(&at)
        };
        self.reviews.values().filter(in_crowd).count()
    }

    fn city(&self, shop: &Shop) -> &'static str {
        shop.cities[usize::from(self.moved)]
    }

    /// Rows of the organisations and, where they are now, of the shops.
    pub(crate) fn places(&self) -> (String, String) {
        let orgs = [1, 2].map(|org| json!({"id": org, "name": format!("Org {org}")}));
        let shops = SHOPS
            .iter()
            .map(|shop| json!({"id": shop.id, "org_id": shop.org, "name": "Shop", "city": self.city(shop)}));
        (lines(orgs), lines(shops))
    }

    /// Shops move: there, and the next time back.
    pub(super) fn move_shops(&mut self) {
        self.moved = !self.moved;
    }

    /// So many reviews change, and so many come. The rows of those.
    pub(crate) fn change(&mut self, rng: &mut Rng, changes: usize, newcomers: usize) -> String {
        let ids: Vec<_> = self.reviews.keys().cloned().collect();
        let mut touched = BTreeMap::new();
        for _ in 0..changes {
            let id = &ids[rng.usize(..ids.len())];
            touched.insert(id.clone(), changed(rng, &self.reviews[id]));
        }
        let known = self.reviews.len();
        touched.extend((known..known + newcomers).map(|number| {
            let review = review(rng, number);
            (review.id.clone(), review)
        }));
        self.put(rng, touched)
    }

    /// What is deleted comes back. The rows of that.
    pub(super) fn restore(&mut self, rng: &mut Rng) -> String {
        let deleted = self.reviews.values().filter(|review| review.state == ReviewState::Deleted).take(150);
        let back = deleted.map(|review| (review.id.clone(), Review { state: ReviewState::Treated, ..review.clone() }));
        let back = back.collect();
        self.put(rng, back)
    }

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

/// One of them.
pub(super) fn pick<T: Copy>(rng: &mut Rng, of: &[T]) -> T {
    of[rng.usize(..of.len())]
}

/// A second on which a review may have been written: often one that others have too.
pub(super) fn second(rng: &mut Rng) -> i64 {
    let day = match rng.u8(..20) {
        0..4 => DENSE_DAY,
        4..15 => rng.i64(0..CROWDED_DAYS),
        _ => rng.i64(0..DAYS),
    };
    let of_day = if rng.bool() { pick(rng, &[0, 1, DAY / 2, DAY - 1]) } else { rng.i64(0..DAY) };
    FIRST_SECOND + day * DAY + of_day
}

/// A random review.
fn review(rng: &mut Rng, number: usize) -> Review {
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
        date: second(rng),
        update_date: (rng.u8(..3) == 0).then(|| second(rng)),
        delete_date: None,
        rating: pick(rng, &Rating::ALL),
        title: None,
        content: pick(rng, &[None, Some(""), Some("  "), Some("Très bon accueil")]).map(str::to_owned),
        reply_comment: None,
        state: pick(rng, &ReviewState::ALL),
        link: None,
    }
}

/// The review with some of what decides its place changed.
fn changed(rng: &mut Rng, old: &Review) -> Review {
    let mut new = old.clone();
    match rng.u8(..5) {
        0 => new.state = ReviewState::Deleted,
        1 => new.state = pick(rng, &ReviewState::ALL),
        2 => new.rating = pick(rng, &Rating::ALL),
        3 => new.content = pick(rng, &[None, Some(" "), Some("Nul")]).map(str::to_owned),
        _ => new.update_date = (rng.u8(..3) > 0).then(|| second(rng)),
    }
    new
}

fn row(rng: &mut Rng, review: &Review) -> Value {
    json!({
        "business_id": review.business_id.as_str(), "partner": review.partner.as_str(),
        "partner_id": review.partner_id, "author_name": review.author_name, "rating": review.rating.get(),
        "content": review.content, "state": review.state.as_str(),
        "date": spelled(rng, review.date), "update_date": review.update_date.map(|at| spelled(rng, at)),
    })
}

/// A second in one of the forms that a row may have it in.
fn spelled(rng: &mut Rng, at: i64) -> String {
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
