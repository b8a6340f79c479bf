//! The log of an organisation and the reviews as they are stored, read past the service.

use std::collections::BTreeMap;

use aws_sdk_dynamodb::types::AttributeValue;
use presence_domain::ids::OrgId;
use presence_ledger::{LANES, LogChange, Place, ReviewNumber, decode_changes};
use presence_store::keys::{LogItemKey, log_pk};
use presence_store::{review_from_item, schema};
use presence_tests::{Item, TestStack};

/// Reviews and logs of a table.
#[derive(Debug, Default)]
pub(super) struct StoredLogs {
    /// Version and place of each review, by organisation.
    pub(super) reviews: BTreeMap<(OrgId, ReviewNumber), (u64, Place)>,
    /// Changes by organisation, lane and sequence number.
    pub(super) changes: BTreeMap<(OrgId, usize), BTreeMap<u64, LogChange>>,
    /// Last sequence number and size in bytes of each lane item.
    pub(super) lanes: BTreeMap<(OrgId, usize), (u64, usize)>,
    /// Number of sealed chunks.
    pub(super) chunks: usize,
}

fn text<'a>(item: &'a Item, name: &str) -> &'a str {
    item[name].as_s().expect("a text")
}

fn number<T: std::str::FromStr>(item: &Item, name: &str) -> T {
    item[name].as_n().expect("a number").parse().ok().expect("a number of this size")
}

/// Returns the size of an item, as DynamoDB counts it, rounded up.
fn size(item: &Item) -> usize {
    let value = |value: &AttributeValue| match value {
        AttributeValue::S(text) => text.len(),
        AttributeValue::B(bytes) => bytes.as_ref().len(),
        _ => 21,
    };
    item.iter().map(|(name, of)| name.len() + value(of)).sum()
}

impl StoredLogs {
    /// Reads the whole table.
    pub(super) async fn read(stack: &TestStack) -> Self {
        let mut stored = Self::default();
        for item in stack.scan(&stack.stores().database.name(&schema::REVIEWS)).await {
            stored.add(&item);
        }
        stored
    }

    fn add(&mut self, item: &Item) {
        let pk = text(item, "pk");
        if pk.starts_with("R#") {
            let review = review_from_item(item).expect("a review");
            let key = (review.org_id, ReviewNumber::of(&review.id));
            self.reviews.insert(key, (review.version, Place::of(&review)));
        } else if let Some(org_id) = pk.strip_prefix("LOG#").and_then(|org| OrgId::new(org.parse().ok()?)) {
            assert_eq!(pk, log_pk(org_id));
            self.add_log_item(org_id, item);
        }
    }

    fn add_log_item(&mut self, org_id: OrgId, item: &Item) {
        let lane = match LogItemKey::parse(text(item, "sk")).expect("a key of a log") {
            LogItemKey::Lane(lane) => {
                self.lanes.insert((org_id, lane), (number(item, "last"), size(item)));
                lane
            }
            LogItemKey::Chunk { lane, .. } => {
                self.chunks += 1;
                lane
            }
            LogItemKey::Directory => return,
        };
        let changes = self.changes.entry((org_id, lane)).or_default();
        for (name, value) in item {
            let Some(first) = name.strip_prefix('c').and_then(|first| first.parse::<u64>().ok()) else { continue };
            let decoded = decode_changes(value.as_b().expect("bytes").as_ref()).expect("changes");
            for (sequence, change) in (first..).zip(decoded) {
                assert_eq!(change.id.lane(), lane);
                assert_eq!(changes.insert(sequence, change), None, "lane {lane} has change {sequence} twice");
            }
        }
    }

    /// Checks that the logs, from their beginning, lead to the reviews: each change starts where the one before it ended.
    pub(super) fn assert_complete(&self) {
        let mut reviews: BTreeMap<(OrgId, ReviewNumber), (u64, Place)> = BTreeMap::new();
        for ((org_id, lane), changes) in &self.changes {
            assert!(changes.keys().copied().eq(1..=changes.len() as u64), "lane {lane} of {org_id} has a gap");
            assert_eq!(self.lanes[&(*org_id, *lane)].0, changes.len() as u64, "lane {lane} of {org_id}");
            for change in changes.values() {
                let key = (*org_id, change.id);
                let before = reviews.remove(&key);
                assert_eq!(before.as_ref().map(|(_, place)| place), change.old.as_ref(), "{change:?}");
                if let Some((version, _)) = before {
                    assert_eq!(version, change.old_version, "{change:?}");
                }
                assert!(change.version > change.old_version && (change.old.is_some() || change.new.is_some()));
                if let Some(new) = &change.new {
                    reviews.insert(key, (change.version, new.clone()));
                }
            }
        }
        assert_eq!(reviews, self.reviews);
        assert!(self.lanes.values().all(|(_, bytes)| *bytes <= 1_024), "{:?}", self.lanes);
        assert!(self.lanes.keys().all(|(_, lane)| *lane < LANES));
    }
}
