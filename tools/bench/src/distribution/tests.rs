use std::collections::BTreeMap;

use presence_domain::review::FacetMask;
use presence_ledger::tree::FACETS_FROM;
use presence_store::bulk_review_items;

use super::*;

const TOTAL: u64 = 200_000;

fn all_headers(total: u64) -> Vec<ReviewHeader> {
    Distribution::new(total).headers().flatten().collect()
}

fn share_of(headers: &[ReviewHeader], predicate: impl Fn(&ReviewHeader) -> bool) -> f64 {
    headers.iter().filter(|header| predicate(header)).count() as f64 / headers.len() as f64
}

/// True if a share is within five standard deviations of the expected one.
fn is_about(share: f64, expected: f64) -> bool {
    (share - expected).abs() < 5.0 * (expected / 200_000.0).sqrt()
}

#[test]
fn generated_reviews_have_the_requested_number_and_order_and_are_always_the_same() {
    for total in [0, 1, 999, 20_000] {
        let headers = all_headers(total);
        assert_eq!(headers.len() as u64, total);
        assert!(headers.is_sorted_by_key(|header| (header.at, header.id.clone())));
        assert_eq!(headers, all_headers(total));
        let mut numbers: Vec<u64> = headers.iter().map(|header| header.number).collect();
        numbers.sort_unstable();
        assert!(numbers.into_iter().eq(0..total), "each number is used once");
    }
}

#[test]
fn cities_and_facets_have_the_shares_that_are_documented() {
    let (distribution, headers) = (Distribution::new(TOTAL), all_headers(TOTAL));
    let businesses = distribution.businesses();
    for (city, expected) in CITIES_BY_SIZE.iter().zip([0.3, 0.03, 0.003, 0.000_3, 0.000_03]) {
        let share = share_of(&headers, |header| businesses[usize::from(header.business)].city == *city);
        assert!(is_about(share, expected), "{city} has {share}");
    }
    let rare = FacetMask::from_predicate(|state, rating, partner, _| {
        (state, rating.get(), partner) == (ReviewState::Deleted, 5, Partner::Partner9)
    });
    assert!(is_about(share_of(&headers, |header| rare.contains(header.facet_key)), 0.001_5));
    let rarest = FacetKey::new(ReviewState::Deleted, Rating::ALL[1], Partner::Partner9, false);
    let share = share_of(&headers, |header| header.facet_key == rarest);
    assert!(share > 0.0 && is_about(share, 0.000_06), "{share}");
}

#[test]
fn reviews_grow_over_time_with_a_weekly_wave_and_a_dense_day() {
    let headers = all_headers(TOTAL);
    let mut days: BTreeMap<Day, u32> = BTreeMap::new();
    for header in &headers {
        *days.entry(Day::of(header.at)).or_default() += 1;
    }
    let on = |day: &str| days[&Day::parse(day).expect("a day")];
    assert_eq!(
        (days.len(), days.first_key_value().map(|(day, _)| day.to_string())),
        (1_826, Some(FIRST_DAY.to_owned()))
    );
    assert!(on(DENSE_DAY) > 4 * on("2022-06-20") && on(DENSE_DAY) > 4 * on("2022-06-22"));
    assert!(on("2025-12-27") * 10 > 17 * on("2025-12-31"), "Saturday against Wednesday");
    assert!(on("2025-12-26") * 10 > 24 * on("2021-01-01"), "a Friday of the last week against one of the first");
    let same = headers.windows(2).filter(|pair| pair[0].at == pair[1].at).count() as u64;
    assert!(same > TOTAL / 20, "{same} share a second");
}

#[test]
fn reviews_match_their_headers_and_have_some_500_bytes() {
    let distribution = Distribution::new(5_000);
    let (reviews, headers): (Vec<Review>, Vec<ReviewHeader>) =
        (distribution.months().flatten().collect(), distribution.headers().flatten().collect());
    for (review, header) in reviews.iter().zip(&headers) {
        assert_eq!(
            (review.effective_at(), FacetKey::of(review), &review.id),
            (header.at, header.facet_key, &header.id)
        );
        assert!(review.update_date.is_none_or(|changed| review.date < changed));
    }
    assert!(reviews.iter().filter(|review| review.update_date.is_some()).count() > 400);
    let of_small = |review: &&Review| review.business_id == distribution.small_business().id;
    assert_eq!(reviews.iter().filter(of_small).count(), 50);
    let items = bulk_review_items(&reviews, FACETS_FROM).expect("items");
    let bytes = |item: &std::collections::HashMap<String, _>| format!("{item:?}").len();
    assert!(items.iter().filter(|item| item.contains_key("effective_listing")).all(|item| bytes(item) < 4_000));
    let texts: usize = reviews.iter().map(Review::text_bytes).sum::<usize>() / reviews.len();
    assert!((250..400).contains(&texts), "{texts} bytes of texts");
}
