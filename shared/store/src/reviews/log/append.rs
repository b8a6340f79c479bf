//! Additions to lanes: the changes that go with a transaction's reviews.

use std::collections::BTreeMap;

use super::items::{FENCE, LAST, changes_attribute};
use super::lanes::LaneKey;
use crate::client::read::{binary, number, pk_sk};
use crate::client::tables::{Condition, ItemWrite};
use crate::keys::{LogItemKey, log_pk};
use crate::reviews::write::ReviewWrite;
use crate::schema;
use presence_domain::review::Review;
use presence_ledger::table::Changes;
use presence_ledger::{LaneState, LogChange, Place, ReviewNumber, decode_changes, encode_changes};

/// Maximum number of changes that a lane item holds unsealed. It bounds the attributes of a lane item and of an expression.
pub(crate) const MAX_UNSEALED: u64 = 16;
/// Maximum size of a lane item with unsealed changes: a write of it costs two units up to here.
const MAX_LANE_BYTES: usize = 1_024;
/// Bytes of a lane item beside its changes at most: the key, the last sequence number and the fence.
const LANE_KEY_BYTES: usize = 64;

/// Addition of changes to one lane.
#[derive(Debug)]
pub(crate) struct LaneAppend {
    /// Update of the lane item. Its condition is that the lane is as it was known.
    pub(crate) update: ItemWrite,
    /// Put of a sealed chunk, if the changes do not fit the lane item.
    pub(crate) chunk: Option<ItemWrite>,
    /// State of the lane after the transaction.
    pub(crate) after: LaneState,
}

/// Returns the lanes that the write of a review changes: one, or two if the review moves to another organisation.
pub(crate) fn lanes_of(write: &ReviewWrite) -> impl Iterator<Item = LaneKey> {
    let lane = ReviewNumber::of(&write.new.id).lane();
    let old_org = write.old.as_ref().map(|old| old.org_id).filter(|old| *old != write.new.org_id);
    [Some(write.new.org_id), old_org].into_iter().flatten().map(move |org_id| LaneKey { org_id, lane })
}

/// Returns the changes of writes by lane, in the order of the writes.
pub(crate) fn changes_by_lane(writes: &[ReviewWrite]) -> BTreeMap<LaneKey, Vec<LogChange>> {
    let mut changes: BTreeMap<LaneKey, Vec<LogChange>> = BTreeMap::new();
    for write in writes {
        for key in lanes_of(write) {
            let in_org = |review: &Review| (review.org_id == key.org_id).then(|| Place::of(review));
            let old_version = write.old.as_ref().map_or(0, |old| old.version);
            changes.entry(key).or_default().push(LogChange {
                id: ReviewNumber::of(&write.new.id),
                version: write.new_version(),
                old_version,
                old: write.old.as_ref().and_then(in_org),
                new: in_org(&write.new),
            });
        }
    }
    changes
}

impl LaneAppend {
    /// Returns the addition of changes, which must not be empty, to a lane as it is known.
    ///
    /// Few changes become an attribute of the lane item. Otherwise a new chunk takes them, and all unsealed changes: this
    /// writer knows them exactly, because its condition is that the lane is still the known one. `max_unsealed` changes are few.
    pub(crate) fn to(known: &LaneState, key: LaneKey, changes: &[LogChange], max_unsealed: u64) -> Self {
        let mut unsealed = known.unsealed.clone();
        unsealed.insert(known.last + 1, encode_changes(changes));
        let mut after = LaneState { last: known.last + changes.len() as u64, unsealed, ..*known };
        let chunk =
            (!fits_lane_item(&after, max_unsealed)).then(|| chunk_put(key, &seal(std::mem::take(&mut after.unsealed))));
        Self { update: Self::update(known, &after, key), chunk, after }
    }

    /// Returns the update of the lane item to the state after. It fails unless the item has the known state.
    fn update(known: &LaneState, after: &LaneState, key: LaneKey) -> ItemWrite {
        let (pk, sk) = key.keys();
        let added = after.unsealed.iter().filter(|(first, _)| **first > known.last);
        let added = added.map(|(first, bytes)| (changes_attribute(*first), binary(bytes.clone())));
        let set = std::iter::once((LAST.to_owned(), number(after.last))).chain(added).collect();
        let sealed = known.unsealed.keys().filter(|first| !after.unsealed.contains_key(first));
        let remove = sealed.map(|first| changes_attribute(*first)).collect();
        let known = [(LAST, known.last), (FENCE, known.fence)];
        let is_known = known.map(|(name, known)| match known {
            0 => Condition::Without(name),
            known => Condition::NumberIs(name, known),
        });
        ItemWrite::update(&schema::REVIEWS, pk_sk(pk, sk), set, remove, is_known)
    }
}

/// True if a lane item may hold the unsealed changes.
fn fits_lane_item(state: &LaneState, max_unsealed: u64) -> bool {
    let Some((first, _)) = state.unsealed.first_key_value() else { return true };
    let bytes = |(first, bytes): (&u64, &Vec<u8>)| changes_attribute(*first).len() + bytes.len();
    state.last - first < max_unsealed
        && LANE_KEY_BYTES + state.unsealed.iter().map(bytes).sum::<usize>() <= MAX_LANE_BYTES
}

/// Returns consecutive changes as one attribute, in which they name each city and business once. Changes that cannot be read, or that
/// are not consecutive, stay as they are: the reader of the log reports them.
fn seal(unsealed: Changes) -> Changes {
    let Some(first) = unsealed.keys().next().copied() else { return unsealed };
    let mut changes = Vec::new();
    for (number, bytes) in &unsealed {
        match decode_changes(bytes) {
            Ok(decoded) if *number == first + changes.len() as u64 => changes.extend(decoded),
            _ => return unsealed,
        }
    }
    Changes::from([(first, encode_changes(&changes))])
}

/// Returns the put of a sealed chunk with these changes.
fn chunk_put(key: LaneKey, changes: &Changes) -> ItemWrite {
    let first = changes.keys().next().copied().unwrap_or_default();
    let sort_key = LogItemKey::Chunk { lane: key.lane, first }.sort_key();
    let mut item = pk_sk(log_pk(key.org_id), sort_key);
    let attributes = changes.iter().map(|(first, bytes)| (changes_attribute(*first), binary(bytes.clone())));
    item.extend(attributes);
    ItemWrite::put(&schema::REVIEWS, item, [])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::read::Item;
    use crate::client::tables::Change;
    use crate::reviews::log::items::{changes_of, read_lane_item};
    use crate::simulation::applied;
    use aws_sdk_dynamodb::types::AttributeValue;
    use presence_domain::ids::{BusinessId, OrgId};
    use presence_domain::review::FacetKey;
    use presence_ledger::{LogEntry, read_entries};

    fn key() -> LaneKey {
        LaneKey { org_id: OrgId::new(42).expect("an id"), lane: 3 }
    }

    /// Returns changes of new reviews in lane 3, whose city names have this length.
    fn changes(count: usize, city_bytes: usize) -> Vec<LogChange> {
        let place = Place {
            effective_at: 1_700_000_000,
            facet_key: FacetKey::from_number(7).expect("a facet key"),
            city_key: "x".repeat(city_bytes),
            business_id: BusinessId::parse("b1").expect("an id"),
        };
        let change = |number: u64| LogChange {
            id: ReviewNumber::new(number * 8 + 3),
            version: 1,
            old_version: 0,
            old: None,
            new: Some(place.clone()),
        };
        (1..=count as u64).map(change).collect()
    }

    /// Returns the unsealed attributes of a lane after single changes, and the number of changes in each chunk.
    fn append_one_by_one(count: usize, city_bytes: usize) -> (usize, Vec<usize>) {
        let (mut state, mut chunks) = (LaneState::default(), Vec::new());
        for _ in 0..count {
            let append = LaneAppend::to(&state, key(), &changes(1, city_bytes), MAX_UNSEALED);
            chunks.extend(append.chunk.map(|chunk| entries_of(&chunk.item).len()));
            state = append.after;
        }
        (state.unsealed.len(), chunks)
    }

    /// Returns the changes of an item of lane 3.
    fn entries_of(item: &Item) -> Vec<LogEntry> {
        let entries = |(first, bytes): (&u64, &Vec<u8>)| read_entries(key().lane, *first, bytes).expect("changes");
        changes_of(item).iter().flat_map(entries).collect()
    }

    #[test]
    fn single_changes_are_sealed_when_there_are_more_than_16_or_more_than_a_kilobyte() {
        assert_eq!(append_one_by_one(16, 5), (16, vec![]));
        assert_eq!(append_one_by_one(17, 5), (0, vec![17]));
        assert_eq!(append_one_by_one(35, 5), (1, vec![17, 17]));
        assert_eq!(append_one_by_one(4, 200), (4, vec![]));
        assert_eq!(append_one_by_one(5, 200), (0, vec![5]));
        assert_eq!(append_one_by_one(1, 1_000), (0, vec![1]));
    }

    #[test]
    fn sealed_changes_name_each_city_and_business_once() {
        let mut state = LaneState::default();
        let mut append = || {
            let append = LaneAppend::to(&state, key(), &changes(1, 5), MAX_UNSEALED);
            state = append.after.clone();
            append.chunk
        };
        let chunk = (0..17).find_map(|_| append()).expect("17 changes are sealed");
        assert_eq!(changes_of(&chunk.item).keys().copied().collect::<Vec<_>>(), [1]);
        assert!(entries_of(&chunk.item).iter().map(|entry| entry.sequence).eq(1..=17));
        let bytes = changes_of(&chunk.item)[&1].len();
        // Number, versions, parts, second, facet key, city and business: 15 bytes. A change by itself takes 33.
        assert!(bytes <= 17 * 15 + 20, "{bytes} bytes");
    }

    #[test]
    fn changes_that_cannot_be_read_are_sealed_as_they_are() {
        let later_version = vec![255, 1, 2, 3];
        let unsealed = Changes::from([(5, later_version), (6, encode_changes(&changes(16, 5)))]);
        let state = LaneState { last: 21, unsealed: unsealed.clone(), ..LaneState::default() };
        let chunk = LaneAppend::to(&state, key(), &changes(1, 5), MAX_UNSEALED).chunk.expect("17 changes are sealed");
        let sealed = changes_of(&chunk.item);
        assert_eq!(sealed.keys().copied().collect::<Vec<_>>(), [5, 6, 22]);
        assert!(unsealed.iter().all(|(first, bytes)| sealed[first] == *bytes));
    }

    #[test]
    fn a_change_needs_the_known_sequence_number_and_the_known_fence() {
        let number_is =
            |name, known| if known == 0 { Condition::Without(name) } else { Condition::NumberIs(name, known) };
        for (last, fence) in [(0, 0), (98, 0), (0, 7), (98, 7)] {
            let known = LaneState { last, fence, ..LaneState::default() };
            let append = LaneAppend::to(&known, key(), &changes(1, 5), MAX_UNSEALED);
            assert_eq!(append.update.conditions, [number_is(LAST, last), number_is(FENCE, fence)]);
            let unsealed = append.after.unsealed.clone();
            assert_eq!(append.after, LaneState { last: last + 1, fence, unsealed });
        }
    }

    /// Writes batches to a lane, and checks that the item is as the writer believes and as small as it should be.
    fn append_all(batches: &[Vec<LogChange>]) -> (Item, Vec<Item>) {
        let (mut state, mut lane_item, mut chunks) = (LaneState::default(), Item::new(), Vec::new());
        for batch in batches {
            let append = LaneAppend::to(&state, key(), batch, MAX_UNSEALED);
            if let Change::Update { remove, .. } = &append.update.change {
                assert!(remove.iter().all(|name| lane_item.contains_key(name)), "only stored attributes are removed");
            }
            lane_item = applied(append.update, Some(lane_item)).expect("a lane item");
            chunks.extend(append.chunk.map(|chunk| chunk.item));
            state = append.after;
            assert_eq!(read_lane_item(&lane_item).expect("a lane item"), state);
            let bytes =
                |(name, value): (&String, &AttributeValue)| name.len() + value.as_b().map_or(8, |b| b.as_ref().len());
            let key_bytes = "pkLOG#0123456789012345sk3".len();
            assert!(lane_item.iter().map(bytes).sum::<usize>() + key_bytes <= MAX_LANE_BYTES);
        }
        (lane_item, chunks)
    }

    #[test]
    fn every_change_is_in_the_lane_item_or_in_one_chunk() {
        for seed in 0..300 {
            let mut rng = fastrand::Rng::with_seed(seed);
            let largest = rng.usize(2..99);
            let batches = (0..rng.usize(1..40)).map(|_| changes(rng.usize(1..largest), rng.usize(0..300)));
            let batches: Vec<Vec<LogChange>> = batches.collect();
            let (lane_item, chunks) = append_all(&batches);
            let mut stored = Vec::new();
            for item in chunks.iter().chain([&lane_item]) {
                stored.extend(entries_of(item));
            }
            stored.sort_by_key(|entry| entry.sequence);
            assert!(stored.iter().map(|entry| entry.sequence).eq(1..=batches.concat().len() as u64), "seed {seed}");
            assert!(stored.into_iter().map(|entry| entry.change).eq(batches.concat()), "seed {seed}");
        }
    }
}
