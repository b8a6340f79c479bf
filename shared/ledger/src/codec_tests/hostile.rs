//! Bytes that nobody wrote: damaged ones are refused or give values that can be written again, and nothing panics.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use super::golden;
use crate::tree::{
    DecodeError, OldestPostings, RootSummary, decode_branch, decode_branch_matches, decode_leaf, decode_leaf_matches,
    decode_oldest, decode_root, encode_branch, encode_leaf, encode_oldest, encode_root,
};
use crate::{Directory, DirectoryBucket, PostingFilter, arbitrary, decode_changes, encode_changes};
use presence_domain::review::FacetMask;

const NO_FILTER: PostingFilter = PostingFilter { mask: FacetMask::ALL, from: None, to: None };

/// Kinds of binary forms.
const KINDS: [Kind; 7] =
    [Kind::Root, Kind::Oldest, Kind::Branch, Kind::Leaf, Kind::Changes, Kind::Directory, Kind::DirectoryBucket];

#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Root,
    Oldest,
    Branch,
    Leaf,
    Changes,
    Directory,
    DirectoryBucket,
}

/// Reads bytes by all decoders of a kind. Checks that all or none refuse them, for a reason each. Checks that what they return can be
/// written and read again.
fn assert_harmless(kind: Kind, bytes: &[u8]) -> Result<(), DecodeError> {
    match kind {
        Kind::Root => {
            let (root, summary) = (decode_root(bytes), RootSummary::decode(bytes, FacetMask::ALL));
            assert_eq!(root.is_err(), summary.is_err(), "{root:?} and {summary:?}");
            let (root, summary) = (root?, summary?);
            assert_eq!(decode_root(&encode_root(&root)).as_ref(), Ok(&root));
            let total: i64 = root.periods.iter().map(|period| period.counts.total()).sum();
            assert_eq!(i64::try_from(summary.total), Ok(total));
        }
        Kind::Oldest => {
            let oldest = decode_oldest(bytes)?;
            assert!(oldest.postings.is_sorted_by(|one, next| one.key < next.key));
            assert!(oldest.postings.last().is_none_or(|last| last.key < oldest.end));
            assert_eq!(OldestPostings::read(Some(bytes)), oldest);
            // Nobody writes copies that end before the first key.
            if let Some(bytes) = encode_oldest(&oldest) {
                assert_eq!(decode_oldest(&bytes), Ok(oldest));
            }
        }
        Kind::Branch => {
            let (entries, matches) = (decode_branch(bytes), decode_branch_matches(bytes, FacetMask::ALL));
            assert_eq!(entries.is_err(), matches.is_err(), "{entries:?} and {matches:?}");
            let entries = entries?;
            assert_eq!(decode_branch(&encode_branch(&entries)), Ok(entries));
        }
        Kind::Leaf => {
            let (postings, matches) = (decode_leaf(bytes), decode_leaf_matches(bytes, &NO_FILTER));
            assert_eq!(postings.as_ref().ok(), matches.as_ref().ok(), "{postings:?} and {matches:?}");
            let postings = postings?;
            assert!(postings.is_sorted_by_key(|posting| posting.key));
            assert_eq!(decode_leaf(&encode_leaf(&postings)), Ok(postings));
        }
        Kind::Changes => {
            let changes = decode_changes(bytes)?;
            assert_eq!(decode_changes(&encode_changes(&changes)), Ok(changes));
        }
        Kind::Directory => assert_eq!(Directory::decode(bytes)?.encode(), bytes, "a directory has one binary form"),
        Kind::DirectoryBucket => {
            assert_eq!(DirectoryBucket::decode(bytes)?.encode(), bytes, "a bucket has one binary form");
        }
    }
    Ok(())
}

/// Returns the bytes of an arbitrary value.
fn valid_bytes() -> impl Strategy<Value = (Kind, Vec<u8>)> {
    prop_oneof![
        arbitrary::roots().prop_map(|root| (Kind::Root, encode_root(&root))),
        arbitrary::oldest().prop_map(|oldest| (Kind::Oldest, encode_oldest(&oldest).expect("copies"))),
        arbitrary::branches().prop_map(|entries| (Kind::Branch, encode_branch(&entries))),
        arbitrary::postings().prop_map(|postings| (Kind::Leaf, encode_leaf(&postings))),
        arbitrary::changes().prop_map(|changes| (Kind::Changes, encode_changes(&changes))),
        arbitrary::directories().prop_map(|directory| (Kind::Directory, directory.encode())),
        arbitrary::directory_buckets().prop_map(|bucket| (Kind::DirectoryBucket, bucket.encode())),
    ]
}

#[test]
fn each_truncation_and_each_flipped_bit_of_small_values_is_harmless() {
    for (kind, mut bytes) in golden::examples() {
        assert_eq!(assert_harmless(kind, &bytes), Ok(()), "{kind:?}");
        for length in 0..bytes.len() {
            assert!(assert_harmless(kind, &bytes[..length]).is_err(), "{kind:?}, {length} bytes");
        }
        for bit in 0..bytes.len() * 8 {
            bytes[bit / 8] ^= 1_u8 << (bit % 8);
            let _ = assert_harmless(kind, &bytes);
            bytes[bit / 8] ^= 1_u8 << (bit % 8);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn arbitrary_bytes_are_harmless(mut bytes in vec(any::<u8>(), 0..300), has_version in any::<bool>()) {
        if let Some(first) = bytes.first_mut().filter(|_| has_version) {
            *first = 1;
        }
        for kind in KINDS {
            let _ = assert_harmless(kind, &bytes);
        }
    }

    /// Small bytes are short integers: more of the decoders is reached than by arbitrary ones.
    #[test]
    fn arbitrary_small_bytes_are_harmless(bytes in vec(0_u8..12, 0..120)) {
        for kind in KINDS {
            let _ = assert_harmless(kind, &[&[1], bytes.as_slice()].concat());
        }
    }

    #[test]
    fn bytes_of_one_kind_are_harmless_as_another((_, bytes) in valid_bytes()) {
        for kind in KINDS {
            let _ = assert_harmless(kind, &bytes);
        }
    }

    #[test]
    fn truncations_are_refused((kind, bytes) in valid_bytes(), lengths in vec(any::<Index>(), 16)) {
        prop_assert_eq!(assert_harmless(kind, &bytes), Ok(()));
        for length in lengths {
            let length = length.index(bytes.len());
            prop_assert!(assert_harmless(kind, &bytes[..length]).is_err(), "{:?}, {} bytes", kind, length);
        }
    }

    #[test]
    fn bytes_behind_the_end_are_refused((kind, bytes) in valid_bytes(), more in vec(any::<u8>(), 1..20)) {
        prop_assert!(assert_harmless(kind, &[bytes, more].concat()).is_err());
    }

    #[test]
    fn flipped_bits_are_harmless((kind, mut bytes) in valid_bytes(), bits in vec((any::<Index>(), 0_u32..8), 16)) {
        for (place, bit) in bits {
            // Half of the bits are in the first bytes, which hold lengths.
            let place = if bit % 2 == 0 { place.index(bytes.len().min(40)) } else { place.index(bytes.len()) };
            bytes[place] ^= 1_u8 << bit;
            let _ = assert_harmless(kind, &bytes);
            bytes[place] ^= 1_u8 << bit;
        }
    }

    #[test]
    fn other_versions_are_refused((kind, mut bytes) in valid_bytes(), version in any::<u8>()) {
        prop_assume!(version != 1);
        bytes[0] = version;
        prop_assert!(assert_harmless(kind, &bytes).is_err());
    }
}
