//! The rows: a partner's export over five years.

use std::fmt::Write as _;

use fastrand::Rng;
use jiff::Span;
use jiff::civil::{Date, date};
use serde_json::{Value, json};

/// What the report says of them.
pub(super) const DESCRIPTION: &str = "The rows are those of five organisations with 50, 25, 15, 8 and 2 % of the reviews, \
    over five years with growing days; 8 cities, 3 shops in each, for each organisation; contents of some 250 bytes.";

const FIRST_DAY: Date = date(2021, 1, 1);
const DAYS: u32 = 1_826;
/// Percent of the reviews, by organisation.
const ORGS: [u32; 5] = [50, 25, 15, 8, 2];
const CITIES: [&str; 8] =
    ["Lyon", "Paris", "Saint-Étienne", "Évora", "Münster", "Sevilla", "L’Haÿ-les-Roses", "Bad Homburg"];
const SHOPS: usize = 3;
/// Makes these rows and no others.
const SEED: u64 = 0x696d_706f_7274;
/// Words of a content.
const WORDS: [&str; 12] = [
    "accueil",
    "très",
    "rapide",
    "personnel",
    "souriant",
    "attente",
    "caisse",
    "magasin",
    "propre",
    "merci",
    "déçu",
    "parking",
];

/// The organisations that they are of.
pub(super) fn orgs() -> String {
    lines((1..=ORGS.len()).map(|org| json!({"id": org, "name": format!("Organisation {org}")})))
}

/// Their businesses.
pub(super) fn businesses() -> String {
    let all = (1..=ORGS.len()).flat_map(|org| (0..CITIES.len() * SHOPS).map(move |shop| (org, shop)));
    lines(all.map(|(org, shop)| {
        let city = CITIES[shop % CITIES.len()];
        json!({"id": business(org, shop), "org_id": org, "name": format!("Shop {shop}"), "city": city})
    }))
}

/// Reviews, in the order of their dates.
pub(super) struct ImportRows(Vec<Value>);

impl ImportRows {
    pub(super) fn new(count: usize) -> Self {
        let mut rng = Rng::with_seed(SEED);
        let mut days: Vec<u32> = (0..count).map(|_| day(&mut rng)).collect();
        days.sort_unstable();
        Self(days.into_iter().enumerate().map(|(number, day)| review(&mut rng, number, day)).collect())
    }

    pub(super) fn first(&self) -> String {
        lines(&self.0)
    }

    /// The same reviews in no order.
    pub(super) fn shuffled(&self) -> String {
        let mut rows: Vec<&Value> = self.0.iter().collect();
        Rng::with_seed(SEED).shuffle(&mut rows);
        lines(rows)
    }

    /// Every second one was answered, or is to be looked at again; one in ten of these with a date in another month.
    pub(super) fn updated(&self) -> String {
        lines(self.0.iter().enumerate().map(|(number, row)| {
            let mut row = row.clone();
            if number % 2 == 0 {
                row["state"] = json!((if row["state"] == "treated" { "not_treated" } else { "treated" }));
                row["reply_comment"] = json!("Merci de votre visite, et à bientôt.");
            }
            if number % 20 == 0 {
                row["update_date"] = row["later"].clone();
            }
            row
        }))
    }
}

/// A day; the last one is 2.5 times as likely as the first.
fn day(rng: &mut Rng) -> u32 {
    loop {
        let day = rng.u32(..DAYS);
        if rng.u32(..DAYS * 5) < DAYS * 2 + day * 3 {
            return day;
        }
    }
}

fn review(rng: &mut Rng, number: usize, day: u32) -> Value {
    let mut share = rng.u32(..100);
    let org =
        ORGS.iter().position(|percent| share.checked_sub(*percent).map(|rest| share = rest).is_none()).unwrap_or(0) + 1;
    let on = |day: u32| FIRST_DAY.saturating_add(Span::new().days(i64::from(day))).strftime("%Y-%m-%d").to_string();
    let time = format!("T{:02}:{:02}:{:02}Z", rng.u8(..24), rng.u8(..60), rng.u8(..60));
    let words = rng.usize(..80);
    let content = (0..words).map(|_| WORDS[rng.usize(..WORDS.len())]).collect::<Vec<_>>().join(" ");
    let rating = [1, 2, 3, 4, 4, 5, 5, 5, 5, 5][rng.usize(..10)];
    json!({
        "business_id": business(org, rng.usize(..CITIES.len() * SHOPS)),
        "partner": (["partner_8", "partner_8", "partner_1", "partner_9"][rng.usize(..4)]),
        "partner_id": format!("ChZDSUhNMG9nS0VJQ0FnSUR{number:08}"),
        "author_name": "Zoë Martin",
        "date": on(day) + &time,
        "later": on(day + 31) + &time,
        "rating": rating,
        "content": (words > 20).then_some(content),
        "state": (["treated", "treated", "not_treated", "deleted"][rng.usize(..4)]),
        "link": format!("https://partner.example/reviews/{number}"),
    })
}

fn business(org: usize, shop: usize) -> String {
    format!("{org:04}5a97bbc544d8e267{shop:04}")
}

/// One JSON object a line; `later` is only a note of ours.
fn lines(rows: impl IntoIterator<Item = impl std::borrow::Borrow<Value>>) -> String {
    let mut text = String::new();
    for row in rows {
        let mut row: Value = row.borrow().clone();
        row.as_object_mut().map(|fields| fields.remove("later"));
        let _ = writeln!(text, "{row}");
    }
    text
}
