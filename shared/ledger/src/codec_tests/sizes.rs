//! Sizes that the units of reads rest on.

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use crate::tree::{
    BranchEntry, FREE_MAX, MonthSpan, NodeRef, OldestPostings, Period, PeriodNodes, TreeLimits, TreeRoot, build_tree,
    encode_branch, encode_leaf, encode_root,
};
use crate::{LogPosition, Posting, PostingKey, ReviewNumber, ReviewSet, TreeKey};
use presence_domain::calendar::Month;
use presence_domain::ids::{BusinessId, OrgId};
use presence_domain::review::{FacetCounts, FacetKey};

/// Bytes of 4 KB that an eventual read takes for half a unit, less those of the names and keys of an item.
const ITEM_BYTES: usize = 4_050;

fn random() -> TestRng {
    TestRunner::new_with_rng(Config::default(), TestRng::deterministic_rng(RngAlgorithm::default())).new_rng()
}

/// Returns a facet key, as reviews have them: most are of the first state, have five stars, and are of few partners.
fn facet_key(random: &mut impl Rng) -> FacetKey {
    let one_of = |values: &[u8], number: u32| values[number as usize % values.len()];
    let state = one_of(&[0, 0, 0, 0, 0, 0, 1, 1, 1, 2], random.next_u32());
    let rating = one_of(&[4, 4, 4, 4, 4, 4, 3, 3, 3, 2, 1, 0], random.next_u32());
    let partner = one_of(&[0, 0, 0, 0, 1, 1, 2], random.next_u32());
    let has_content = one_of(&[0, 1], random.next_u32());
    FacetKey::from_number(((state * 5 + rating) * 3 + partner) * 2 + has_content).expect("a key")
}

fn counts_of(reviews: usize) -> FacetCounts {
    let (mut random, mut counts) = (random(), FacetCounts::default());
    for _ in 0..reviews {
        counts.add(facet_key(&mut random), 1);
    }
    counts
}

/// Returns the number of bytes of counts, by the difference that an entry of a branch makes.
fn counts_bytes(counts: FacetCounts) -> usize {
    let entry = |counts| BranchEntry { start: PostingKey::at(0), counts, node: NodeRef { slot: 0, stamp: 0 } };
    // Version, length, first second, start, name of the node.
    encode_branch(&[entry(counts)]).len() - 9
}

#[test]
fn counts_take_few_bytes() {
    assert_eq!(counts_bytes(FacetCounts::default()), 12);
    let most = [(28, 20), (280, 45), (2_800, 80), (28_000, 120), (170_000, 150)];
    for (reviews, bytes) in most {
        let taken = counts_bytes(counts_of(reviews));
        assert!(taken <= bytes, "{taken} bytes of {reviews} reviews");
    }
}

/// Returns postings of one month.
fn postings(number: usize) -> Vec<Posting> {
    let mut random = random();
    let mut postings: Vec<_> = (0..number)
        .map(|_| Posting {
            key: PostingKey {
                effective_at: 1_700_000_000 + i64::from(random.next_u32() % 2_592_000),
                id: ReviewNumber::new(random.next_u64() >> 1),
            },
            facet_key: facet_key(&mut random),
            version: 1 + u64::from(random.next_u32() % 4),
        })
        .collect();
    postings.sort();
    postings
}

#[test]
fn full_leaf_is_one_unit_of_a_read() {
    let taken = encode_leaf(&postings(280)).len();
    assert!(taken <= ITEM_BYTES, "{taken} bytes of a dense leaf");
    // Postings that lie a day to a year apart take two bytes more each.
    let sparse: Vec<_> = (0..)
        .zip(postings(280))
        .map(|(number, posting)| {
            let key = PostingKey { effective_at: posting.key.effective_at + number * 86_400 * 100, ..posting.key };
            Posting { key, ..posting }
        })
        .collect();
    let taken = encode_leaf(&sparse).len();
    assert!(taken <= ITEM_BYTES, "{taken} bytes of a sparse leaf");
}

#[test]
fn root_of_a_business_with_sixty_months_is_half_a_unit_of_a_read() {
    let periods: Vec<_> = (0..60)
        .map(|number| {
            let span = MonthSpan::containing(Month::from_number(2_020 * 12 + number), 1);
            let start = PostingKey { effective_at: span.start().effective_at + 86_400, id: ReviewNumber::MIN };
            let nodes = PeriodNodes::Leaves(vec![(start, NodeRef { slot: u32::MAX, stamp: 200 })]);
            Period { span, counts: counts_of(28), nodes }
        })
        .collect();
    let recent_start = periods.last().map_or(PostingKey::FIRST, |period| period.span.end());
    let recent = postings(64).into_iter().map(|posting| Posting {
        key: PostingKey { effective_at: posting.key.effective_at + 200_000_000, ..posting.key },
        ..posting
    });
    let root = TreeRoot {
        edition: 1_000,
        position: LogPosition([100_000; 8]),
        facet_editions: None,
        periods,
        recent_start,
        recent: recent.collect(),
        oldest: OldestPostings::NONE,
        free: vec![NodeRef { slot: u32::MAX, stamp: 200 }; 64],
    };
    let taken = encode_root(&root).len();
    assert!(taken <= ITEM_BYTES, "{taken} bytes");
}

/// Returns postings of five years, evenly.
fn postings_of_five_years(number: u32) -> Vec<Posting> {
    let mut random = random();
    let posting = |number_of: u32| Posting {
        key: PostingKey {
            effective_at: 1_609_459_200 + i64::from(number_of) * (5 * 365 * 86_400 / i64::from(number)),
            id: ReviewNumber::new(random.next_u64() >> 1),
        },
        facet_key: facet_key(&mut random),
        version: 1,
    };
    (0..number).map(posting).collect()
}

/// A fold puts the roots of hundreds of businesses, at one unit for each kilobyte.
#[test]
fn root_of_a_business_or_city_with_some_thousand_reviews_takes_few_write_units() {
    let org_id = OrgId::new(1).expect("an id");
    let business = ReviewSet::Business(org_id, BusinessId::parse("b1").expect("an id"));
    for (set, reviews, most) in [(business, 2_000, 1_024), (ReviewSet::City(org_id, "evora".to_owned()), 3_500, 2_048)]
    {
        let tree = TreeKey { set, facet_key: None };
        let limits = TreeLimits::of(&tree, i64::from(reviews));
        let mut built = build_tree(postings_of_five_years(reviews), LogPosition::default(), limits);
        let names = vec![NodeRef { slot: 4_000_000_000, stamp: 1 }; built.new_leaves().count()];
        built.name_leaves(&names);
        let bytes = encode_root(&built.into_root(1_000, Vec::new())).len()
            + "pkTREE#b:1:5409c35a97bbc544d8e26737skROOTe1000v".len();
        assert!(bytes <= most, "{bytes} bytes of {tree:?}");
    }
}

#[test]
fn root_of_a_business_with_three_hundred_reviews_a_month_takes_few_bytes() {
    // Two leaves a month. With ids in their starts, they would take 960 bytes more.
    let most = 4_500;
    let set = ReviewSet::Business(OrgId::new(1).expect("an id"), BusinessId::parse("b1").expect("an id"));
    let limits = TreeLimits::of(&TreeKey { set, facet_key: None }, 17_700);
    let mut tree = build_tree(postings_of_five_years(17_700), LogPosition([100_000; 8]), limits);
    let names = vec![NodeRef { slot: u32::MAX, stamp: 200 }; tree.new_leaves().count()];
    tree.name_leaves(&names);
    let root = tree.into_root(1_000, vec![NodeRef { slot: u32::MAX, stamp: 200 }; FREE_MAX]);
    let taken = encode_root(&root).len();
    assert!(taken <= most, "{taken} bytes");
}
