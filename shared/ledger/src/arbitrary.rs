//! Arbitrary values of the ledger, for property tests of its binary forms.

use std::collections::BTreeMap;

use proptest::collection::{btree_map, btree_set, vec};
use proptest::option;
use proptest::prelude::*;

use super::tree::{BranchEntry, BranchRef, MonthSpan, NodeRef, OldestPostings, Period, PeriodNodes, TreeRoot};
use super::{Directory, DirectoryBucket, LANES, LogChange, LogPosition, Place, Posting, PostingKey, ReviewNumber};
use presence_domain::calendar::Month;
use presence_domain::ids::BusinessId;
use presence_domain::instant::{FIRST_SECOND, LAST_SECOND};
use presence_domain::review::{FACET_KEY_COUNT, FacetCounts, FacetKey, FacetMask};

/// Environment variable with the factor of the cases of long properties. A nightly run has a large one.
const ROUNDS: &str = "PRESENCE_ROUNDS";

/// Returns the configuration of a property with this number of cases, times the environment variable `PRESENCE_ROUNDS`.
#[expect(clippy::disallowed_methods, reason = "a test's own setting")]
pub(super) fn cases(number: u32) -> ProptestConfig {
    let rounds: u32 = std::env::var(ROUNDS).map_or(1, |text| text.parse().expect("a whole number"));
    ProptestConfig::with_cases(number * rounds)
}

/// Returns numbers, most of them small: those whose encodings have the fewest bytes.
pub(super) fn numbers() -> impl Strategy<Value = u64> {
    // Without `prop_oneof!`, which seeds a generator for each kind that it does not choose.
    (0_u8..8, any::<u64>()).prop_map(|(kind, number)| match kind {
        0..4 => number % 200,
        4..6 => number % 3_000_000,
        6 => number,
        _ => u64::MAX,
    })
}

fn seconds() -> impl Strategy<Value = i64> {
    (0_u8..11, any::<i64>()).prop_map(|(kind, number)| match kind {
        0..4 => 1_700_000_000 + number.rem_euclid(100),
        4..8 => 1_500_000_000 + number.rem_euclid(300_000_000),
        8..10 => FIRST_SECOND + number.rem_euclid(LAST_SECOND - FIRST_SECOND + 1),
        _ => number,
    })
}

pub(super) fn posting_keys() -> impl Strategy<Value = PostingKey> {
    let ids = (0_u8..6, any::<u64>()).prop_map(|(kind, number)| match kind {
        0 => number % 3,
        1..5 => number,
        _ => u64::MAX,
    });
    (seconds(), ids).prop_map(|(effective_at, id)| PostingKey { effective_at, id: ReviewNumber::new(id) })
}

pub(super) fn facet_keys() -> impl Strategy<Value = FacetKey> {
    (0..u8::try_from(FACET_KEY_COUNT).expect("few")).prop_map(|number| FacetKey::from_number(number).expect("a key"))
}

pub(super) fn masks() -> impl Strategy<Value = FacetMask> {
    let some = btree_set(0..FACET_KEY_COUNT, 0..20).prop_map(|numbers| {
        FacetMask::from_predicate(|state, rating, partner, has_content| {
            numbers.contains(&usize::from(FacetKey::new(state, rating, partner, has_content).number()))
        })
    });
    prop_oneof![1 => Just(FacetMask::ALL), 1 => Just(FacetMask::NONE), 4 => some]
}

/// Returns counts of few reviews, of many, and of any numbers that can be stored.
pub(super) fn counts() -> impl Strategy<Value = FacetCounts> {
    let largest = (1_i64 << 31) - 1;
    // Of six counts, five are 0.
    let few = (-14_i64..4).prop_map(|count| count.max(0));
    let extreme = (0_usize..4, 0..=largest).prop_map(move |(kind, count)| [0, 1, largest, count][kind]);
    let one = prop_oneof![
        3 => vec(few, FACET_KEY_COUNT),
        2 => vec(0_i64..50_000, FACET_KEY_COUNT),
        1 => vec(extreme, FACET_KEY_COUNT),
    ];
    one.prop_map(|counts| FacetCounts::from_array(&counts.try_into().expect("a count for each key")))
}

pub(super) fn node_refs() -> impl Strategy<Value = NodeRef> {
    (any::<u32>(), prop_oneof![3 => 0_u32..3, 1 => any::<u32>()]).prop_map(|(slot, stamp)| NodeRef { slot, stamp })
}

/// Returns postings in their order.
pub(super) fn postings() -> impl Strategy<Value = Vec<Posting>> {
    btree_map(posting_keys(), (facet_keys(), numbers()), 0..40).prop_map(|postings| {
        let posting = |(key, (facet_key, version))| Posting { key, facet_key, version };
        postings.into_iter().map(posting).collect()
    })
}

pub(super) fn branches() -> impl Strategy<Value = Vec<BranchEntry>> {
    btree_map(posting_keys(), (counts(), node_refs()), 0..8).prop_map(|entries| {
        entries.into_iter().map(|(start, (counts, node))| BranchEntry { start, counts, node }).collect()
    })
}

fn spans() -> impl Strategy<Value = Vec<MonthSpan>> {
    let month = prop_oneof![4 => 2_015_i64 * 12..2_026 * 12, 1 => 12_i64..120_000];
    btree_map(month, 0_usize..4, 0..12).prop_map(|months| {
        let spans = months
            .into_iter()
            .map(|(month, length)| MonthSpan::containing(Month::from_number(month), MonthSpan::LENGTHS[length]));
        let mut kept = BTreeMap::<i64, MonthSpan>::new();
        for span in spans {
            let is_free = kept.values().all(|one| one.end() <= span.start() || span.end() <= one.start());
            if is_free {
                kept.insert(span.first.number(), span);
            }
        }
        kept.into_values().collect()
    })
}

/// Returns the nodes of a period before the starts are known: where each starts within the span, and what it is.
type RawNodes = (bool, BTreeMap<(u64, u64), (FacetCounts, NodeRef)>, FacetCounts);

fn raw_nodes() -> impl Strategy<Value = RawNodes> {
    let ids = prop_oneof![2 => Just(0_u64), 1 => any::<u64>()];
    let places = (prop_oneof![1 => Just(0_u64), 3 => any::<u64>()], ids);
    (any::<bool>(), btree_map(places, (counts(), node_refs()), 1..6), counts())
}

fn period(span: MonthSpan, (has_branches, nodes, counts): RawNodes) -> Period {
    let seconds = span.end().effective_at.abs_diff(span.start().effective_at);
    let nodes: BTreeMap<PostingKey, (FacetCounts, NodeRef)> = nodes
        .into_iter()
        .map(|((place, id), node)| {
            let effective_at = span.start().effective_at.saturating_add_unsigned(place % seconds);
            (PostingKey { effective_at, id: ReviewNumber::new(id) }, node)
        })
        .collect();
    if !has_branches {
        let leaves = nodes.into_iter().map(|(start, (_, node))| (start, node)).collect();
        return Period { span, counts, nodes: PeriodNodes::Leaves(leaves) };
    }
    let mut counts = FacetCounts::default();
    let branches = nodes.into_iter().map(|(start, (own, node))| {
        counts.add_all(&own);
        BranchRef { start, counts: own, node }
    });
    let nodes = PeriodNodes::Branches(branches.collect());
    Period { span, counts, nodes }
}

fn periods() -> impl Strategy<Value = Vec<Period>> {
    (spans(), vec(raw_nodes(), 12))
        .prop_map(|(spans, nodes)| spans.into_iter().zip(nodes).map(|(span, nodes)| period(span, nodes)).collect())
}

pub(super) fn positions() -> impl Strategy<Value = LogPosition> {
    vec(numbers(), LANES).prop_map(|lanes| LogPosition(lanes.try_into().expect("a number for each lane")))
}

/// Returns copies of oldest postings, up to a key that may be behind the last of them.
pub(super) fn oldest() -> impl Strategy<Value = OldestPostings> {
    (postings(), 0_usize..40, posting_keys()).prop_map(|(mut postings, copied, end)| {
        let next = postings.get(copied).map(|posting| posting.key);
        postings.truncate(copied);
        let end =
            next.unwrap_or(if postings.last().is_some_and(|last| end <= last.key) { PostingKey::END } else { end });
        OldestPostings { end, postings }
    })
}

/// Returns roots that trees can have: all postings of the root are behind the start of its last period. They have no copies of their
/// oldest postings.
pub(super) fn roots() -> impl Strategy<Value = TreeRoot> {
    let editions = option::of(vec(numbers(), FACET_KEY_COUNT));
    let recent = (any::<u64>(), postings());
    (numbers(), positions(), editions, periods(), recent, vec(node_refs(), 0..10)).prop_map(
        |(edition, position, facet_editions, periods, (place, recent), free)| {
            let last = periods.last().map(|period: &Period| period.span.start().effective_at);
            let recent_start = last
                .map_or(PostingKey::FIRST, |last| PostingKey::at(last.saturating_add_unsigned(1 + place % 10_000_000)));
            let recent = recent.into_iter().filter(|posting| posting.key >= recent_start).collect();
            let oldest = OldestPostings::NONE;
            TreeRoot { edition, position, facet_editions, periods, recent_start, recent, oldest, free }
        },
    )
}

fn places() -> impl Strategy<Value = Place> {
    let city = prop_oneof![3 => "[a-c]", 1 => "\\PC{0,90}"];
    let business = prop_oneof![3 => "[a-c]", 1 => "[a-zA-Z0-9:_.-]{1,64}"];
    (seconds(), facet_keys(), city, business).prop_map(|(effective_at, facet_key, city_key, business)| {
        let business_id = BusinessId::parse(&business).expect("an id");
        Place { effective_at, facet_key, city_key, business_id }
    })
}

/// Returns changes of one lane.
pub(super) fn changes() -> impl Strategy<Value = Vec<LogChange>> {
    let change = (0..u64::MAX / 2, numbers(), numbers(), option::of(places()), option::of(places()));
    (0..LANES, vec(change, 0..20)).prop_map(|(lane, changes)| {
        let change = |(id, version, old_version, old, new)| LogChange {
            id: (id..u64::MAX).map(ReviewNumber::new).find(|id| id.lane() == lane).expect("one of the next numbers"),
            version,
            old_version,
            old,
            new,
        };
        changes.into_iter().map(change).collect()
    })
}

pub(super) fn directories() -> impl Strategy<Value = Directory> {
    let editions = vec(numbers(), super::DIRECTORY_BUCKETS);
    (numbers(), positions(), numbers(), editions).prop_map(|(edition, trimmed_to, org_edition, editions)| {
        let bucket_editions = editions.try_into().expect("an edition for each bucket");
        Directory { edition, trimmed_to, org_edition, bucket_editions }
    })
}

pub(super) fn directory_buckets() -> impl Strategy<Value = DirectoryBucket> {
    (numbers(), btree_map(any::<u64>(), numbers(), 0..40))
        .prop_map(|(edition, editions)| DirectoryBucket { edition, editions })
}
