//! The budget of a search by book: at most 151 read units and four waves after the key, whatever the size, filter or page.
//!
//! Page 1, the last page and the pages in the middle cost within a factor of two of each other and of those of the smallest
//! size. Two kinds of search leave that factor at ten million reviews, where a day has some thousands: those whose range
//! cuts a day, and a page on the dense day (2.6 times for 400 days, 4.1 for 10, and 3.2). What grows is the slips, 16 bytes
//! for each matching review on a day that is cut or shown; the rest does not.

use std::collections::BTreeMap;

use super::*;

/// The last is the largest that keeps this below half a minute on two cores that do other things, too.
const SIZES: [u64; 3] = [10_000, 100_000, 300_000];
const READ_UNITS: f64 = 151.0;
const WAVES: u32 = 4;
/// Random searches at each size, each for page 1 and another.
const SEARCHES: usize = 40;
const SEED: u64 = 20_240_229;

fn within(what: &str, search: &Search, found: &SearchOutcome) {
    let cost = found.cost;
    assert!(cost.read_units <= READ_UNITS && cost.waves <= WAVES, "{what}: {cost:?} for {search:?}");
}

/// By search and position, the units of every size at which that page is full.
type Units = BTreeMap<(String, PagePosition), Vec<(u64, f64)>>;

async fn measure(size: u64, units: &mut Units) {
    let distribution = Distribution::new(size);
    let searches = named(&distribution);
    let store = store(distribution).expect("a store");
    for search in searches {
        let mut count = 0;
        for position in PagePosition::ALL {
            let found = run_search(&store, &search.filter, position.page(count)).await.expect("a page");
            count = found.page.count;
            within(&format!("{size}, {position:?}"), &search, &found);
            if found.page.items.len() as u64 == PER_PAGE {
                units.entry((search.name.clone(), position)).or_default().push((size, found.cost.read_units));
            }
        }
    }
    let mut rng = fastrand::Rng::with_seed(SEED ^ size);
    for number in 0..SEARCHES {
        let search = random(&mut rng);
        let first = run_search(&store, &search.filter, PagePosition::First.page(0)).await.expect("a page");
        within(&format!("{size}, random {number}"), &search, &first);
        let position = PagePosition::ALL[rng.usize(0..3)].page(first.page.count);
        let found = run_search(&store, &search.filter, position).await.expect("a page");
        within(&format!("{size}, random {number}, {position:?}"), &search, &found);
    }
}

#[tokio::test]
async fn a_search_by_book_costs_at_most_151_units_and_four_waves_at_any_size_and_page() {
    let mut units = Units::new();
    for size in SIZES {
        measure(size, &mut units).await;
    }
    let mut by_search: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for ((search, _), sizes) in &units {
        by_search.entry(search).or_default().extend(sizes.iter().map(|(_, units)| units));
    }
    // Full pages only: a page of fewer reviews is cheaper by each body that it lacks.
    for (search, units) in by_search {
        let (least, most) =
            units.iter().fold((f64::MAX, 0.0_f64), |(least, most), one| (least.min(*one), most.max(*one)));
        assert!(most <= 2.0 * least, "{search}: a page costs {least} here and {most} there");
    }
}
