//! Generated rows of the import: the export of a partner over five years.

use std::fmt::Write as _;

use fastrand::Rng;
use jiff::Span;
use jiff::civil::{Date, date};
use serde_json::{Value, json};

/// Description of the rows in the report.
pub(super) const DESCRIPTION: &str = "The rows are reviews of five organisations, with 50, 25, 15, 8 and 2 % of them. Their \
    dates lie in five years, and the number of reviews a day grows. Each organisation has 8 cities with 3 shops each. Contents \
    have some 250 bytes.";

const FIRST_DAY: Date = date(2021, 1, 1);
/// Number of days: five years.
const DAYS: u32 = 1_826;
/// Percentages of the reviews by organisation.
const ORGS: [u32; 5] = [50, 25, 15, 8, 2];
const CITIES: [&str; 8] =
    ["Lyon", "Paris", "Saint-Étienne", "Évora", "Münster", "Sevilla", "L’Haÿ-les-Roses", "Bad Homburg"];
/// Number of shops in a city.
const SHOPS_OF_A_CITY: usize = 3;
/// Seed of the generator.
const SEED: u64 = 0x696d_706f_7274;
/// Words of the contents.
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

/// Returns the rows of the organisations.
pub(super) fn orgs() -> String {
    lines((1..=ORGS.len()).map(|org| json!({"id": org, "name": format!("Organisation {org}")})))
}

/// Returns the rows of the businesses.
pub(super) fn businesses() -> String {
    let all = (1..=ORGS.len()).flat_map(|org| (0..CITIES.len() * SHOPS_OF_A_CITY).map(move |shop| (org, shop)));
    lines(all.map(|(org, shop)| {
        let city = CITIES[shop % CITIES.len()];
        json!({"id": business_id(org, shop), "org_id": org, "name": format!("Shop {shop}"), "city": city})
    }))
}

/// Rows of reviews, ordered by date.
pub(super) struct ImportRows(Vec<Value>);

impl ImportRows {
    /// Generates rows.
    pub(super) fn new(count: usize) -> Self {
        let mut rng = Rng::with_seed(SEED);
        let mut days: Vec<u32> = (0..count).map(|_| pick_day(&mut rng)).collect();
        days.sort_unstable();
        Self(days.into_iter().enumerate().map(|(number, day)| review(&mut rng, number, day)).collect())
    }

    /// Returns the rows ordered by date.
    pub(super) fn ordered(&self) -> String {
        lines(&self.0)
    }

    /// Returns the same rows in random order.
    pub(super) fn shuffled(&self) -> String {
        let mut rows: Vec<&Value> = self.0.iter().collect();
        Rng::with_seed(SEED).shuffle(&mut rows);
        lines(rows)
    }

    /// Returns the rows after an update. Every second row has another state and a reply. One in ten of these has a date in
    /// another month.
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

/// Picks a day by rejection sampling. The last day is 2.5 times as likely as the first one.
fn pick_day(rng: &mut Rng) -> u32 {
    loop {
        let day = rng.u32(..DAYS);
        if rng.u32(..DAYS * 5) < DAYS * 2 + day * 3 {
            return day;
        }
    }
}

fn review(rng: &mut Rng, number: usize, day: u32) -> Value {
    let org = pick_org(rng);
    let date = |day: u32| FIRST_DAY.saturating_add(Span::new().days(i64::from(day))).strftime("%Y-%m-%d").to_string();
    let time = format!("T{:02}:{:02}:{:02}Z", rng.u8(..24), rng.u8(..60), rng.u8(..60));
    let word_count = rng.usize(..80);
    let content = (0..word_count).map(|_| WORDS[rng.usize(..WORDS.len())]).collect::<Vec<_>>().join(" ");
    let rating = [1, 2, 3, 4, 4, 5, 5, 5, 5, 5][rng.usize(..10)];
    json!({
        "business_id": business_id(org, rng.usize(..CITIES.len() * SHOPS_OF_A_CITY)),
        "partner": (["partner_8", "partner_8", "partner_1", "partner_9"][rng.usize(..4)]),
        "partner_id": format!("ChZDSUhNMG9nS0VJQ0FnSUR{number:08}"),
        "author_name": "Zoë Martin",
        "date": date(day) + &time,
        "later": date(day + 31) + &time,
        "rating": rating,
        "content": (word_count > 20).then_some(content),
        "state": (["treated", "treated", "not_treated", "deleted"][rng.usize(..4)]),
        "link": format!("https://partner.example/reviews/{number}"),
    })
}

/// Picks an organisation by its percentage. Returns its id.
fn pick_org(rng: &mut Rng) -> usize {
    let mut remainder = rng.u32(..100);
    for (position, percentage) in ORGS.iter().enumerate() {
        if remainder < *percentage {
            return position + 1;
        }
        remainder -= percentage;
    }
    1
}

/// Returns the id of a business.
fn business_id(org: usize, shop: usize) -> String {
    format!("{org:04}5a97bbc544d8e267{shop:04}")
}

/// Writes one JSON object per line, without the field `later`: it is only for updates.
fn lines(rows: impl IntoIterator<Item = impl std::borrow::Borrow<Value>>) -> String {
    let mut text = String::new();
    for row in rows {
        let mut row: Value = row.borrow().clone();
        row.as_object_mut().map(|fields| fields.remove("later"));
        let _ = writeln!(text, "{row}");
    }
    text
}
