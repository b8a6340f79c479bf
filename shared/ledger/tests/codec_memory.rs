//! Compares the memory that the decoders of the ledger take with the length of what they read. It is a test program of its own, because
//! the allocator counts the memory of the whole program.

use peak_alloc::PeakAlloc;
use presence_domain::calendar::Month;
use presence_domain::review::{FacetCounts, FacetKey, FacetMask};
use presence_ledger::tree::{
    BranchEntry, MonthSpan, NodeRef, OldestPostings, Period, PeriodNodes, RootSummary, TreeRoot, decode_branch,
    decode_branch_matches, decode_leaf, decode_leaf_matches, decode_oldest, decode_root, encode_branch, encode_leaf,
    encode_oldest, encode_root,
};
use presence_ledger::{
    Directory, DirectoryBucket, LogChange, Place, Posting, PostingFilter, PostingKey, ReviewNumber, decode_changes,
    encode_changes,
};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

#[global_allocator]
static ALLOCATED: PeakAlloc = PeakAlloc;

const NO_FILTER: PostingFilter = PostingFilter { mask: FacetMask::ALL, from: None, to: None };

/// Decoder, with the most bytes of memory that it takes for each byte that it reads.
struct Decoder {
    name: &'static str,
    bytes_of_byte: usize,
    decode: fn(&[u8]) -> bool,
}

/// Counts by facet key take 720 bytes in memory and 12 or more in storage: for these, a byte takes the most.
const DECODERS: [Decoder; 9] = [
    Decoder { name: "root", bytes_of_byte: 48, decode: |bytes| decode_root(bytes).is_ok() },
    Decoder { name: "summary", bytes_of_byte: 12, decode: |bytes| RootSummary::decode(bytes, FacetMask::ALL).is_ok() },
    Decoder { name: "copies", bytes_of_byte: 4, decode: |bytes| decode_oldest(bytes).is_ok() },
    Decoder { name: "branch", bytes_of_byte: 48, decode: |bytes| decode_branch(bytes).is_ok() },
    Decoder { name: "matches", bytes_of_byte: 8, decode: |bytes| decode_branch_matches(bytes, FacetMask::ALL).is_ok() },
    Decoder { name: "leaf", bytes_of_byte: 4, decode: |bytes| decode_leaf(bytes).is_ok() },
    Decoder { name: "postings", bytes_of_byte: 8, decode: |bytes| decode_leaf_matches(bytes, &NO_FILTER).is_ok() },
    Decoder { name: "changes", bytes_of_byte: 32, decode: |bytes| decode_changes(bytes).is_ok() },
    Decoder {
        name: "directory",
        bytes_of_byte: 8,
        decode: |bytes| Directory::decode(bytes).is_ok() | DirectoryBucket::decode(bytes).is_ok(),
    },
];

/// Checks the memory of each decoder. Returns the number of those that could read the bytes.
fn assert_bounded(bytes: &[u8]) -> usize {
    let mut read = 0;
    for decoder in DECODERS {
        ALLOCATED.reset_peak_usage();
        let before = ALLOCATED.current_usage();
        read += usize::from((decoder.decode)(bytes));
        let taken = ALLOCATED.peak_usage().saturating_sub(before);
        let most = decoder.bytes_of_byte * bytes.len() + 1_024;
        assert!(taken <= most, "{}: {taken} bytes of memory for {} bytes", decoder.name, bytes.len());
    }
    read
}

fn node(slot: u32) -> NodeRef {
    NodeRef { slot, stamp: 0 }
}

/// Returns the largest values for their length: thousands of the smallest elements.
fn dense_values() -> Vec<Vec<u8>> {
    let counts = FacetCounts::default;
    let keys = || (0..5_000).map(PostingKey::at);
    let entries: Vec<_> = keys().map(|start| BranchEntry { start, counts: counts(), node: node(1) }).collect();
    let facet_key = FacetKey::from_number(0).expect("a key");
    let postings: Vec<_> = keys().map(|key| Posting { key, facet_key, version: 0 }).collect();
    let periods = (12..10_000).map(|number| {
        let span = MonthSpan { first: Month::from_number(number), months: 1 };
        Period { span, counts: counts(), nodes: PeriodNodes::Leaves(vec![(span.start(), node(1))]) }
    });
    let root = TreeRoot { periods: periods.collect(), recent_start: PostingKey::END, ..TreeRoot::empty() };
    let oldest = OldestPostings { end: PostingKey::END, postings: postings.clone() };
    let free = TreeRoot { free: vec![node(1); 5_000], ..TreeRoot::empty() };
    let editions = (0..5_000).map(|hash| (hash, 0)).collect();
    vec![
        encode_root(&root),
        encode_root(&free),
        encode_oldest(&oldest).expect("copies"),
        encode_branch(&entries),
        encode_leaf(&postings),
        encode_changes(&changes()),
        DirectoryBucket { edition: 0, editions }.encode(),
    ]
}

/// Returns changes whose places all have the longest texts that are stored once.
fn changes() -> Vec<LogChange> {
    let place = Place {
        effective_at: 0,
        facet_key: FacetKey::from_number(0).expect("a key"),
        city_key: "c".repeat(64),
        business_id: presence_domain::ids::BusinessId::parse(&"b".repeat(64)).expect("an id"),
    };
    let change = |number: u64| {
        let (old, new) = (Some(place.clone()), Some(place.clone()));
        LogChange { id: ReviewNumber::new(number * 8), version: 0, old_version: 0, old, new }
    };
    (0..5_000).map(change).collect()
}

/// Returns bytes that begin like a value and go on with a length that no value has.
fn huge_lengths() -> Vec<Vec<u8>> {
    let length = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f];
    (0..40).map(|zeros| [&[1], vec![0; zeros].as_slice(), &length, &[0; 200]].concat()).collect()
}

#[test]
fn decoders_take_memory_in_proportion_to_what_they_read() {
    let values = dense_values();
    for bytes in &values {
        assert!(assert_bounded(bytes) > 0, "a decoder reads it");
    }
    for bytes in huge_lengths() {
        assert_bounded(&bytes);
    }
    let mut random =
        TestRunner::new_with_rng(Config::default(), TestRng::deterministic_rng(RngAlgorithm::default())).new_rng();
    for mut bytes in values {
        bytes.truncate(2_000);
        for _ in 0..500 {
            let place = random.next_u32() as usize % bytes.len();
            let before = std::mem::replace(&mut bytes[place], random.next_u32().to_le_bytes()[0]);
            assert_bounded(&bytes);
            bytes[place] = before;
        }
    }
}
