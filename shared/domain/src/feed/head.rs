//! Head of a feed: the number of its last event, what of the source streams is in it, and from which number on events are kept.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// Days for which events are kept, beside the day on which they were appended.
pub const KEPT_DAYS: i64 = 30;
/// Hours after which the position of a shard is forgotten. A stream keeps its records for a day, so that none of them can come again: the hour
/// more is for clocks that differ. Each append writes all positions, and `DynamoDB` replaces a shard after some four hours.
const FORGOTTEN_AFTER: i64 = 25;
/// Largest number of digits of a record's number.
const MAX_DIGITS: usize = 40;
/// Number of digits that fit into the low part.
const LOW_DIGITS: usize = 38;

/// Shard of a source stream: a digest of the stream's name and the shard's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShardId([u8; 8]);

/// Number of a record of a stream. Those of one shard rise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SequenceNumber {
    /// Digits before the low part.
    high: u8,
    low: u128,
}

/// Position in a shard: its records up to this one are in the feed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShardPosition {
    /// Shard.
    pub shard: ShardId,
    /// Number of the last record that is in the feed.
    pub sequence: SequenceNumber,
    /// Hour since 1970 in which it was appended.
    pub hour: i64,
}

/// Head of a feed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeedHead {
    /// Number of the last event; 0 if there is none.
    pub number: u64,
    /// Positions in the shards of the source streams.
    pub positions: Vec<ShardPosition>,
    /// Days since 1970 on which events were appended, ascending, with the number of the first one of each.
    pub days: Vec<(i64, u64)>,
}

impl ShardId {
    /// Returns the name of a shard of the stream with this name.
    pub fn new(stream: &str, shard: &str) -> Self {
        let digest = Sha256::new().chain_update(stream).chain_update("\n").chain_update(shard).finalize();
        let mut id = [0; 8];
        id.copy_from_slice(&digest[..8]);
        Self(id)
    }
}

impl SequenceNumber {
    /// Reads a sequence number: 1 to 40 digits.
    pub fn parse(text: &str) -> Option<Self> {
        let is_number = (1..=MAX_DIGITS).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
        let (high, low) = is_number.then(|| text.split_at(text.len().saturating_sub(LOW_DIGITS)))?;
        Some(Self { high: high.parse().unwrap_or_default(), low: low.parse().ok()? })
    }
}

impl FeedHead {
    /// True if a record of a shard is in the feed.
    pub fn has(&self, shard: ShardId, sequence: &SequenceNumber) -> bool {
        self.positions.iter().any(|position| position.shard == shard && *sequence <= position.sequence)
    }

    /// Returns the head after this many events were appended, the last of them from this record of the shard.
    #[must_use]
    pub fn advanced(&self, count: u64, shard: ShardId, sequence: &SequenceNumber, now: Timestamp) -> Self {
        let hour = now.as_second().div_euclid(3_600);
        let is_needed = |position: &ShardPosition| position.shard != shard && hour - position.hour <= FORGOTTEN_AFTER;
        let mut positions: Vec<_> = self.positions.iter().copied().filter(is_needed).collect();
        positions.push(ShardPosition { shard, sequence: *sequence, hour });
        let today = day(now);
        let mut days: Vec<_> = self.days.iter().copied().filter(|(day, _)| *day >= today - KEPT_DAYS).collect();
        // Clocks differ a little: a day that has begun stays.
        if days.last().is_none_or(|(last, _)| *last < today) {
            days.push((today, self.number + 1));
        }
        Self { number: self.number + count, positions, days }
    }

    /// Returns the number of the oldest event that is kept; that of the next one if there is none.
    pub fn oldest(&self, now: Timestamp) -> u64 {
        self.first_since(day(now) - KEPT_DAYS)
    }

    /// Returns the number of the first kept event that was appended on the day of an instant or later. If there is none, returns that of
    /// the next event.
    pub fn first_of_day(&self, at: Timestamp, now: Timestamp) -> u64 {
        self.first_since(day(at)).max(self.oldest(now))
    }

    fn first_since(&self, day: i64) -> u64 {
        let first = self.days.iter().find(|(other, _)| *other >= day);
        first.map_or(self.number + 1, |(_, number)| *number)
    }
}

fn day(at: Timestamp) -> i64 {
    at.as_second().div_euclid(86_400)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(day: i64, second: i64) -> Timestamp {
        Timestamp::from_second(day * 86_400 + second).expect("an instant")
    }

    fn sequence(text: &str) -> SequenceNumber {
        SequenceNumber::parse(text).expect("a number")
    }

    #[test]
    fn sequence_numbers_rise_as_numbers_do() {
        let [nines, thousands] = ["9".repeat(38), format!("1{}", "0".repeat(38))];
        for (smaller, larger) in [
            ("9", "10"),
            ("100", "101"),
            ("000000000000000000009", "10"),
            ("99999999999999999999", "100000000000000000000"),
            (&nines, &thousands),
            (&thousands, &"9".repeat(40)),
            (&format!("98{nines}"), &format!("99{}", "0".repeat(38))),
        ] {
            assert!(sequence(smaller) < sequence(larger), "{smaller} {larger}");
        }
        assert_eq!(sequence("0010"), sequence("10"));
        assert!(["", "-1", "+1", "1a", &"1".repeat(41)].iter().all(|text| SequenceNumber::parse(text).is_none()));
    }

    #[test]
    fn a_head_knows_what_is_in_the_feed_until_the_stream_has_forgotten_it() {
        let [a, b] = ["a", "b"].map(|shard| ShardId::new("stream", shard));
        let head = FeedHead::default().advanced(2, a, &sequence("20"), at(0, 0));
        assert!(head.has(a, &sequence("20")) && head.has(a, &sequence("9")));
        assert!(!head.has(a, &sequence("21")) && !head.has(b, &sequence("9")));
        let later = head.advanced(1, b, &sequence("5"), at(1, 7_199));
        assert!(later.has(a, &sequence("20")) && later.has(b, &sequence("5")) && later.number == 3);
        assert_eq!(head.advanced(1, b, &sequence("5"), at(1, 7_200)).positions.len(), 1, "a is forgotten");
        let late = FeedHead::default().advanced(1, a, &sequence("20"), at(0, 3_599));
        assert!(late.advanced(1, b, &sequence("5"), at(1, 3_600)).has(a, &sequence("20")), "kept for a day at least");
    }

    #[test]
    fn events_are_kept_for_thirty_whole_days() {
        let shard = ShardId::new("stream", "a");
        let mut head = FeedHead::default();
        assert_eq!(head.oldest(at(0, 0)), 1);
        for (day, number) in [(0, 1), (0, 2), (5, 3), (31, 4)] {
            head = head.advanced(1, shard, &sequence(&number.to_string()), at(day, 7));
        }
        assert_eq!(head.days, [(5, 3), (31, 4)]);
        assert_eq!(head.advanced(1, shard, &sequence("5"), at(70, 0)).days, [(70, 5)]);
        for (day, second, oldest) in [(31, 0, 3), (35, 86_399, 3), (36, 0, 4), (61, 86_399, 4), (62, 0, 5)] {
            assert_eq!(head.oldest(at(day, second)), oldest, "day {day}");
        }
        for (day, first) in [(0, 3), (5, 3), (6, 4), (31, 4), (32, 5)] {
            assert_eq!(head.first_of_day(at(day, 86_399), at(32, 0)), first, "since day {day}");
        }
        let first = FeedHead::default().advanced(1, shard, &sequence("1"), at(0, 86_399));
        assert_eq!((first.oldest(at(30, 86_399)), first.oldest(at(31, 0))), (1, 2));
    }
}
