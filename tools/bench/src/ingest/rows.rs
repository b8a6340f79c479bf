//! Rows of the benchmark: reviews of many organisations, in random order.

use std::io::{self, Write};

use fastrand::Rng;
use serde_json::json;

/// Number of shops of an organisation, in eight cities.
const SHOPS: usize = 24;
const CITIES: [&str; 8] = ["Lyon", "Paris", "Saint-Étienne", "Évora", "Münster", "Sevilla", "Bordeaux", "Bad Homburg"];
/// Seed of the generator.
const SEED: u64 = 0x0069_6e67_6573_7400;

/// Returns the rows of the organisations.
pub(super) fn orgs(orgs: usize) -> String {
    let rows = (1..=orgs).map(|org| json!({ "id": org, "name": format!("Organisation {org}") }).to_string() + "\n");
    rows.collect()
}

/// Returns the rows of the businesses.
pub(super) fn businesses(orgs: usize) -> String {
    let all = (1..=orgs).flat_map(|org| (0..SHOPS).map(move |shop| (org, shop)));
    let row = |(org, shop): (usize, usize)| {
        let city = CITIES[shop % CITIES.len()];
        format!(
            "{}\n",
            json!({ "id": business_id(org, shop), "org_id": org, "name": format!("Shop {shop}"), "city": city })
        )
    };
    all.map(row).collect()
}

/// Writes rows of reviews. Of several organisations, the first one has half of them.
pub(super) fn write_reviews(rows: usize, orgs: usize, output: &mut impl Write) -> io::Result<()> {
    let mut rng = Rng::with_seed(SEED);
    for number in 0..rows {
        let org = if orgs == 1 || rng.bool() { 1 } else { rng.usize(2..=orgs) };
        let (year, month, day) = (rng.u8(20..26), rng.u8(1..13), rng.u8(1..29));
        let text = "très bon accueil et personnel souriant ".repeat(rng.usize(0..13));
        let row = json!({
            "business_id": business_id(org, rng.usize(..SHOPS)),
            "partner": (["partner_8", "partner_8", "partner_1", "partner_9"][rng.usize(..4)]),
            "partner_id": format!("ChZDSUhNMG9nS0VJQ0FnSUR{number:08}"),
            "author_name": "Zoë Martin",
            "date": format!("20{year}-{month:02}-{day:02}T{:02}:{:02}:00Z", rng.u8(..24), rng.u8(..60)),
            "rating": ([1, 2, 3, 4, 4, 5, 5, 5, 5, 5][rng.usize(..10)]),
            "content": text,
            "state": (["treated", "treated", "not_treated", "deleted"][rng.usize(..4)]),
            "link": format!("https://partner.example/reviews/{number}"),
        });
        writeln!(output, "{row}")?;
    }
    Ok(())
}

fn business_id(org: usize, shop: usize) -> String {
    format!("{org:04}5a97bbc544d8e267{shop:04}")
}
