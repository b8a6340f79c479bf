//! Logs as one Query or several return them.

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use presence_domain::ids::BusinessId;
use presence_domain::review::FacetKey;
use presence_ledger::{Place, ReviewNumber, encode_changes};

use super::*;
use crate::client::read::{number, pk_sk};

/// Returns the change with a sequence number of a lane.
fn change(lane: usize, sequence: u64) -> LogChange {
    let new = Place {
        effective_at: 1_700_000_000,
        facet_key: FacetKey::from_number(7).expect("a facet key"),
        city_key: "evora".to_owned(),
        business_id: BusinessId::parse("b1").expect("an id"),
    };
    let id = ReviewNumber::new(sequence * LANES as u64 + lane as u64);
    LogChange { id, version: 1, old_version: 0, old: None, new: Some(new) }
}

/// Returns an item with changes in attributes, each with the numbers of its first and last change.
fn item(key: LogItemKey, attributes: &[(u64, u64)]) -> Item {
    let (LogItemKey::Lane(lane) | LogItemKey::Chunk { lane, .. }) = key else { unreachable!("it has no changes") };
    let mut item = pk_sk("LOG#42", key.sort_key());
    for (first, last) in attributes {
        let changes: Vec<LogChange> = (*first..=*last).map(|sequence| change(lane, sequence)).collect();
        item.insert(format!("c{first}"), AttributeValue::B(Blob::new(encode_changes(&changes))));
    }
    item
}

fn lane_item(lane: usize, last: u64, attributes: &[(u64, u64)]) -> Item {
    let mut item = item(LogItemKey::Lane(lane), attributes);
    item.insert("last".to_owned(), number(last));
    item
}

fn chunk(lane: usize, attributes: &[(u64, u64)]) -> Item {
    item(LogItemKey::Chunk { lane, first: attributes[0].0 }, attributes)
}

fn directory_item(trimmed_to: LogPosition) -> Item {
    let directory = Directory { trimmed_to, edition: 1, ..Directory::default() };
    let mut item = pk_sk("LOG#42", LogItemKey::Directory.sort_key());
    item.insert("v".to_owned(), AttributeValue::B(Blob::new(directory.encode())));
    item
}

fn read(items: &[Item]) -> OrgLog {
    let mut reading = LogReading::default();
    items.iter().try_for_each(|item| reading.add(item)).expect("items of a log");
    reading.finish()
}

fn sequences(log: &OrgLog, lane: usize) -> Vec<u64> {
    let of_lane = log.entries.iter().filter(|entry| entry.lane() == lane);
    of_lane
        .map(|entry| {
            assert_eq!(entry.change, change(lane, entry.sequence));
            entry.sequence
        })
        .collect()
}

#[test]
fn log_without_items_is_empty_and_complete() {
    let log = read(&[]);
    assert_eq!((log.entries.len(), log.end), (0, LogPosition::default()));
    assert!(log.has_all_of_lanes());
}

#[test]
fn changes_of_lane_items_and_chunks_come_by_lane_and_sequence() {
    let log = read(&[
        lane_item(0, 7, &[(6, 6), (7, 7)]),
        chunk(0, &[(1, 3), (4, 5)]),
        lane_item(5, 2, &[(1, 2)]),
        directory_item(LogPosition::default()),
    ]);
    assert_eq!((sequences(&log, 0), sequences(&log, 5)), ((1..=7).collect(), vec![1, 2]));
    assert_eq!((log.end, log.unfolded()), (LogPosition([7, 0, 0, 0, 0, 2, 0, 0]), 9));
    assert_eq!(log.chunks, [SealedChunk { lane: 0, first: 1, last: 5 }]);
    assert_eq!(log.lanes[0].trimmed_attributes(6), ["c6"]);
    assert_eq!(log.lanes[5].trimmed_attributes(1), [""; 0], "its change 2 is not in the trees");
    assert!(log.has_all_of_lanes());
    assert_eq!(log.directory.edition, 1);
}

#[test]
fn change_that_is_sealed_while_the_log_is_read_counts_once() {
    let log = read(&[lane_item(0, 2, &[(1, 1), (2, 2)]), chunk(0, &[(1, 1), (2, 2), (3, 100)])]);
    assert_eq!(sequences(&log, 0), (1..=100).collect::<Vec<_>>());
    assert!(log.has_all_of_lanes());
}

#[test]
fn log_ends_before_a_gap() {
    // The lane item was read before change 2 was added to it, and the chunk after change 3 was sealed alone.
    let log = read(&[lane_item(0, 1, &[(1, 1)]), chunk(0, &[(3, 9)])]);
    assert_eq!((sequences(&log, 0), log.end.0[0]), (vec![1], 1));
    assert!(log.has_all_of_lanes(), "change 2 was written after the Query began");
}

#[test]
fn lane_item_whose_sealed_changes_are_not_seen_yet_makes_the_log_incomplete() {
    assert!(!read(&[lane_item(0, 5, &[])]).has_all_of_lanes());
    assert!(!read(&[lane_item(0, 7, &[(7, 7)]), chunk(0, &[(1, 5)])]).has_all_of_lanes());
    assert!(read(&[lane_item(0, 5, &[]), directory_item(LogPosition([5; LANES]))]).has_all_of_lanes(), "trimmed");
}

#[test]
fn trimmed_changes_may_be_missing_and_the_log_goes_on_behind_them() {
    let directory = directory_item(LogPosition([4, 9, 0, 0, 0, 0, 0, 0]));
    // Lane 1 was read before the changes that the directory includes.
    let log = read(&[lane_item(0, 6, &[(5, 6)]), chunk(0, &[(3, 4)]), lane_item(1, 2, &[(1, 2)]), directory]);
    assert_eq!((log.end.0[0], log.end.0[1]), (6, 9));
    assert_eq!((sequences(&log, 0), sequences(&log, 1)), (vec![3, 4, 5, 6], vec![1, 2]));
    assert_eq!(log.unfolded(), 2);
    assert!(log.has_all_of_lanes() && log.chunks[0].is_trimmed(&log.directory.trimmed_to));
}

#[test]
fn damaged_items_are_errors() {
    let wrong_lane = chunk(0, &[(1, 1)]);
    let mut moved = wrong_lane.clone();
    moved.insert("sk".to_owned(), AttributeValue::S("1#000000000001".to_owned()));
    let mut cut = wrong_lane;
    cut.insert("c2".to_owned(), AttributeValue::B(Blob::new([1, 255])));
    let mut without_last = lane_item(0, 1, &[(1, 1)]);
    without_last.remove("last");
    let unknown = pk_sk("LOG#42", "x");
    for damaged in [moved, cut, without_last, unknown] {
        assert!(matches!(LogReading::default().add(&damaged), Err(Error::Internal(_))), "{damaged:?}");
    }
}
