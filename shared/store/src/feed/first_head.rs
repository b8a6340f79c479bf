//! Head of a feed in its first format.

use presence_domain::error::Error;
use presence_domain::feed::{FeedHead, SequenceNumber, ShardId, ShardPosition};
use serde::Deserialize;

#[derive(Deserialize)]
struct FirstHead {
    number: u64,
    positions: Vec<FirstPosition>,
    days: Vec<(i64, u64)>,
}

#[derive(Deserialize)]
struct FirstPosition {
    shard: ShardId,
    /// Bytes of the digest that the second format leaves out.
    _more_of_shard: [u8; 4],
    sequence: String,
    second: i64,
}

/// Reads the bytes of a head.
pub(super) fn read(bytes: &[u8]) -> Result<FeedHead, Error> {
    let FirstHead { number, positions, days } = postcard::from_bytes(bytes).map_err(Error::internal)?;
    let position = |FirstPosition { shard, sequence, second, .. }| {
        let sequence = SequenceNumber::parse(&sequence)?;
        Some(ShardPosition { shard, sequence, hour: second.div_euclid(3_600) })
    };
    let positions = positions.into_iter().map(position).collect::<Option<_>>();
    let positions = positions.ok_or_else(|| Error::internal("a position of a feed has no number"))?;
    Ok(FeedHead { number, positions, days })
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;

    /// Start of the digest of a stream and its shard.
    const DIGEST: [u8; 12] = [0xa, 0xac, 0x50, 0x1e, 0xb7, 0x80, 0xfa, 0xe8, 0xb5, 0x6f, 0x16, 0x3];

    #[test]
    fn a_head_knows_what_it_knew_in_the_first_format() {
        let (positions, days) = (vec![(DIGEST, "4968", 7_199_i64)], vec![(0_i64, 1_u64)]);
        let bytes = postcard::to_allocvec(&(7_u64, positions, days));
        let head = read(&bytes.expect("bytes")).expect("a head");
        let (shard, sequence) = (ShardId::new("stream", "shard"), SequenceNumber::parse("4968").expect("a number"));
        let now = Timestamp::from_second(7_199).expect("an instant");
        assert_eq!(head, FeedHead { days: vec![(0, 1)], ..FeedHead::default().advanced(7, shard, &sequence, now) });
    }
}
