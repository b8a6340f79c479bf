//! Lane items and sealed chunks: the attributes that hold changes.

use aws_sdk_dynamodb::types::AttributeValue;

use crate::client::read::Item;
use presence_domain::error::Error;
use presence_ledger::LaneState;
use presence_ledger::table::Changes;

/// Attribute of a lane item with the sequence number of the lane's last change.
pub(crate) const LAST: &str = "last";
/// Attribute of a lane item with the number of its fence; 0 without it.
pub(crate) const FENCE: &str = "fence";
/// Prefix of the attributes with changes. The sequence number of the first change follows.
const CHANGES_PREFIX: char = 'c';

/// Reads a lane item.
pub(crate) fn read_lane_item(item: &Item) -> Result<LaneState, Error> {
    let number = |name: &str| -> Result<Option<u64>, Error> {
        let number = item.get(name).map(|value| value.as_n().ok().and_then(|number| number.parse().ok()));
        number.map(|number| number.ok_or_else(|| Error::internal("a lane item of a log is damaged"))).transpose()
    };
    let (last, fence) = (number(LAST)?, number(FENCE)?);
    if last.is_none() && fence.is_none() {
        return Err(Error::internal("a lane item of a log has no last sequence number"));
    }
    Ok(LaneState { last: last.unwrap_or_default(), fence: fence.unwrap_or_default(), unsealed: changes_of(item) })
}

/// Returns the name of the attribute with changes from this sequence number on.
pub(crate) fn changes_attribute(first: u64) -> String {
    format!("{CHANGES_PREFIX}{first}")
}

/// Returns the attributes of an item that hold changes, by the sequence number of the first of them.
pub(crate) fn changes_of(item: &Item) -> Changes {
    let changes = |(name, value): (&String, &AttributeValue)| {
        let first: u64 = name.strip_prefix(CHANGES_PREFIX)?.parse().ok().filter(|first| *first > 0)?;
        Some((first, value.as_b().ok()?.clone().into_inner()))
    };
    item.iter().filter_map(changes).collect()
}
