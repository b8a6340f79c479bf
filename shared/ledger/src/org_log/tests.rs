//! Logs as one read or several return them.

use presence_domain::ids::BusinessId;
use presence_domain::review::FacetKey;

use super::*;
use crate::{Place, ReviewNumber, encode_changes};

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

/// Returns changes, each with the numbers of the first and the last one.
fn encoded(lane: usize, parts: &[(u64, u64)]) -> Changes {
    let bytes = |(first, last): &(u64, u64)| {
        let changes: Vec<LogChange> = (*first..=*last).map(|sequence| change(lane, sequence)).collect();
        (*first, encode_changes(&changes))
    };
    parts.iter().map(bytes).collect()
}

fn lane_item(lane: usize, last: u64, unsealed: &[(u64, u64)]) -> LogItem {
    LogItem::Lane { lane, state: LaneState { last, fence: 0, unsealed: encoded(lane, unsealed) } }
}

fn chunk(lane: usize, changes: &[(u64, u64)]) -> LogItem {
    LogItem::Chunk { lane, first: changes[0].0, changes: encoded(lane, changes) }
}

fn directory_item(trimmed_to: LogPosition) -> LogItem {
    LogItem::Directory(Directory { trimmed_to, edition: 1, ..Directory::default() }.encode().into())
}

fn read(items: &[LogItem]) -> OrgLog {
    let mut reading = LogReading::default();
    items.iter().cloned().try_for_each(|item| reading.add(item)).expect("items of a log");
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
    assert_eq!(log.lanes[0].trimmed_firsts(6), [6]);
    assert_eq!(log.lanes[5].trimmed_firsts(1), [0; 0], "its change 2 is not in the trees");
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
    assert!(!log.chunks[0].is_trimmed(&LogPosition([3, 9, 9, 9, 9, 9, 9, 9])), "its change 4 is not in the trees");
}

#[test]
fn damaged_items_are_errors() {
    let moved = LogItem::Chunk { lane: 1, first: 1, changes: encoded(0, &[(1, 1)]) };
    let cut = LogItem::Chunk { lane: 0, first: 1, changes: Changes::from([(1, vec![1, 255])]) };
    for damaged in [moved, cut, LogItem::Directory(Arc::from([255]))] {
        assert!(matches!(LogReading::default().add(damaged.clone()), Err(Error::Internal(_))), "{damaged:?}");
    }
}
