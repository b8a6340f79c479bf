use std::collections::BTreeMap;

use presence::domain::ledger::CellMask;
use presence::store::items_of_reviews;

use super::*;

const TOTAL: u64 = 200_000;

fn all(total: u64) -> Vec<ReviewHeader> {
    Distribution::new(total).entries().flatten().collect()
}

#[expect(clippy::cast_precision_loss, reason = "shares are approximate")]
fn share_of(entries: &[ReviewHeader], is: impl Fn(&ReviewHeader) -> bool) -> f64 {
    entries.iter().filter(|entry| is(entry)).count() as f64 / entries.len() as f64
}

/// Within a few standard deviations of what is expected of so many.
fn about(share: f64, expected: f64) -> bool {
    (share - expected).abs() < 5.0 * (expected / 200_000.0).sqrt()
}

#[test]
fn there_are_exactly_as_many_reviews_as_asked_for_in_order_and_always_the_same() {
    for total in [0, 1, 999, 20_000] {
        let entries = all(total);
        assert_eq!(entries.len() as u64, total);
        assert!(entries.is_sorted_by_key(|entry| (entry.at, entry.id.clone())));
        assert_eq!(entries, all(total));
        let mut numbers: Vec<u64> = entries.iter().map(|entry| entry.number).collect();
        numbers.sort_unstable();
        assert!(numbers.into_iter().eq(0..total), "numbers are given once");
    }
}

#[test]
fn cities_and_cells_have_the_shares_that_are_documented() {
    let (distribution, entries) = (Distribution::new(TOTAL), all(TOTAL));
    let businesses = distribution.businesses();
    for (city, expected) in CITIES_BY_SIZE.iter().zip([0.3, 0.03, 0.003, 0.000_3, 0.000_03]) {
        let share = share_of(&entries, |entry| businesses[usize::from(entry.business)].city == *city);
        assert!(about(share, expected), "{city} has {share}");
    }
    let seldom = CellMask::of(|state, rating, partner, _| {
        (state, rating.get(), partner) == (ReviewState::Deleted, 5, Partner::Partner9)
    });
    assert!(about(share_of(&entries, |entry| seldom.contains(entry.cell)), 0.001_5));
    let rarest = Cell::new(ReviewState::Deleted, Rating::ALL[1], Partner::Partner9, false);
    let share = share_of(&entries, |entry| entry.cell == rarest);
    assert!(share > 0.0 && about(share, 0.000_06), "{share}");
}

#[test]
fn time_grows_waves_and_has_a_dense_day() {
    let entries = all(TOTAL);
    let mut days: BTreeMap<Day, u32> = BTreeMap::new();
    for entry in &entries {
        *days.entry(Day::of(entry.at)).or_default() += 1;
    }
    let on = |day: &str| days[&Day::parse(day).expect("a day")];
    assert_eq!(
        (days.len(), days.first_key_value().map(|(day, _)| day.to_string())),
        (1_826, Some(FIRST_DAY.to_owned()))
    );
    assert!(on(DENSE_DAY) > 4 * on("2022-06-20") && on(DENSE_DAY) > 4 * on("2022-06-22"));
    assert!(on("2025-12-27") * 10 > 17 * on("2025-12-31"), "Saturday against Wednesday");
    assert!(on("2025-12-26") * 10 > 24 * on("2021-01-01"), "a Friday of the last week against one of the first");
    let same = entries.windows(2).filter(|pair| pair[0].at == pair[1].at).count() as u64;
    assert!(same > TOTAL / 20, "{same} share a second");
}

#[test]
fn reviews_are_what_their_entries_say_and_have_500_bytes() {
    let distribution = Distribution::new(5_000);
    let (reviews, entries): (Vec<Review>, Vec<ReviewHeader>) =
        (distribution.months().flatten().collect(), distribution.entries().flatten().collect());
    for (review, entry) in reviews.iter().zip(&entries) {
        assert_eq!((review.effective_at(), review.cell(), &review.id), (entry.at, entry.cell, &entry.id));
        assert!(review.update_date.is_none_or(|changed| review.date < changed));
    }
    assert!(reviews.iter().filter(|review| review.update_date.is_some()).count() > 400);
    let of_small = |review: &&Review| review.business_id == distribution.small_business().id;
    assert_eq!(reviews.iter().filter(of_small).count(), 50);
    let items = items_of_reviews(&reviews).expect("items");
    let bytes = |item: &std::collections::HashMap<String, _>| format!("{item:?}").len();
    assert!(items.iter().filter(|item| item.contains_key("effective_listing")).all(|item| bytes(item) < 4_000));
    let texts: usize = reviews.iter().map(Review::text_bytes).sum::<usize>() / reviews.len();
    assert!((250..400).contains(&texts), "{texts} bytes of texts");
}
