//! Lag of global secondary indexes behind their table.
//!
//! Each write is recorded with the item before it, its *old image*, until the indexes show the write. Until then, a page of an
//! index is *rewound*: entries of changed items are removed, and the entries of their old images are inserted in order. So an
//! index shows deleted items and lacks new ones, with correct limits and directions. Each change has its own lag. Changes of
//! one item become visible in their order, those of different items in any order.

use std::cmp::Ordering;
use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use serde_json::Value;

use super::item::{Item, compare, size};
use super::latency::exponential;
use super::pages::key_after;
use super::query::KeyCondition;
use super::sizes::MAX_PAGE_BYTES;
use super::tables::{IndexInfo, ItemName, TableInfo};

/// One change in this number is slow: it takes about fifty to a hundred and fifty times as long.
const SLOW_ONE_IN: u32 = 50;

/// Writes that the indexes do not show yet.
#[derive(Debug, Default)]
pub(super) struct PendingChanges(HashMap<ItemName, VecDeque<PendingChange>>);

#[derive(Debug)]
struct PendingChange {
    visible_at: Duration,
    old_image: Option<Item>,
}

/// Items as the indexes show them, by name. `None` stands for an item that did not exist.
pub(super) type OldImages = HashMap<ItemName, Option<Item>>;

/// Draws the lag of a change.
pub(super) fn draw(usual: Duration, rng: &mut fastrand::Rng) -> Duration {
    let (is_slow, factor) = (rng.u32(..SLOW_ONE_IN) == 0, exponential(rng));
    if usual == Duration::MAX {
        return usual;
    }
    usual.mul_f64(if is_slow { 50.0 + 10.0 * factor } else { 0.5 + 0.5 * factor })
}

impl PendingChanges {
    /// Records a write. `old_image` is the item before it.
    pub(super) fn record(&mut self, now: Duration, lag: Duration, name: ItemName, old_image: Option<Item>) {
        let changes = self.0.entry(name).or_default();
        let earliest = changes.back().map_or(Duration::ZERO, |last| last.visible_at);
        changes.push_back(PendingChange { visible_at: now.saturating_add(lag).max(earliest), old_image });
    }

    /// True if an index does not show all changes yet.
    pub(super) fn are_pending(&self, now: Duration) -> bool {
        self.0.values().flatten().any(|change| change.visible_at > now)
    }

    /// Returns the old images of a table, and drops the changes that are visible by now.
    pub(super) fn images(&mut self, now: Duration, table: &str) -> OldImages {
        self.0.retain(|_, changes| {
            while changes.front().is_some_and(|change| change.visible_at <= now) {
                changes.pop_front();
            }
            !changes.is_empty()
        });
        let in_table = self.0.iter().filter(|(name, _)| name.table == table);
        in_table.filter_map(|(name, changes)| Some((name.clone(), changes.front()?.old_image.clone()))).collect()
    }

    /// Makes all changes visible.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

/// Query for a page of an index.
#[derive(Clone, Copy, Debug)]
pub(super) struct IndexQuery<'a> {
    pub(super) table: &'a TableInfo,
    pub(super) index: &'a IndexInfo,
    pub(super) condition: &'a KeyCondition,
    pub(super) forward: bool,
    pub(super) limit: Option<usize>,
    /// `ExclusiveStartKey`.
    pub(super) start: Option<&'a Item>,
}

/// Page of an index, as the index shows it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct IndexPage {
    pub(super) items: Vec<Item>,
    /// `LastEvaluatedKey`.
    pub(super) last: Option<Item>,
    /// True if the page differs from the current one.
    pub(super) is_stale: bool,
}

impl IndexQuery<'_> {
    /// Rewinds a page of current items.
    ///
    /// `items` must exceed the limit by the number of images, because a rewound page can lose that many. `last` is the
    /// `LastEvaluatedKey` of the current page.
    pub(super) fn rewind(&self, items: &[Item], last: Option<Item>, images: &OldImages) -> IndexPage {
        let has_image = |item: &Item| self.table.item_name(item).is_some_and(|name| images.contains_key(&name));
        let mut rewound: Vec<Item> = items.iter().filter(|item| !has_image(item)).cloned().collect();
        let old_entries = images.values().flatten().filter_map(|image| self.index.entry(self.table, image));
        rewound.extend(old_entries.filter(|entry| self.includes(entry, last.as_ref())));
        rewound.sort_by(|one, other| self.compare_entries(one, other));
        let is_stale = rewound != items;
        let fitting = self.count_fitting(&rewound);
        let is_truncated = fitting < rewound.len() || self.limit == Some(fitting);
        rewound.truncate(fitting);
        let last_entry = rewound.last().filter(|_| is_truncated);
        let last = last_entry.and_then(|entry| key_after(self.table, Some(self.index), entry)).or(last);
        IndexPage { items: rewound, last, is_stale }
    }

    /// True if an entry satisfies the query and does not come after `last`.
    fn includes(&self, entry: &Item, last: Option<&Item>) -> bool {
        let sort = self.index.key.sort.as_ref().and_then(|sort| entry.get(sort));
        let partition = entry.get(&self.index.key.partition);
        partition.is_some_and(|partition| compare(partition, &self.condition.partition) == Ordering::Equal)
            && self.condition.matches(sort)
            && self.start.is_none_or(|start| self.compare_entries(entry, start) == Ordering::Greater)
            && last.is_none_or(|last| self.compare_entries(entry, last) != Ordering::Greater)
    }

    /// Counts the items that fit the limit and the bytes of a page: at least one, if there is one.
    fn count_fitting(&self, items: &[Item]) -> usize {
        let mut bytes = 0;
        let mut fitting = 0;
        for item in items {
            bytes += size(item);
            if bytes > MAX_PAGE_BYTES {
                break;
            }
            fitting += 1;
        }
        self.limit.map_or(fitting.max(1), |limit| fitting.max(1).min(limit)).min(items.len())
    }

    /// Compares two entries in the direction of the query. The table's key decides between equal sort keys.
    fn compare_entries(&self, one: &Item, other: &Item) -> Ordering {
        let names = self.index.key.sort.iter().chain(self.table.key.names());
        let orders = names.map(|name| compare(key_value(one, name), key_value(other, name)));
        let order = orders.fold(Ordering::Equal, Ordering::then);
        if self.forward { order } else { order.reverse() }
    }
}

fn key_value<'a>(item: &'a Item, name: &str) -> &'a Value {
    item.get(name).unwrap_or(&Value::Null)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn at(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    fn table() -> TableInfo {
        TableInfo::parse(&json!({ "Table": {
            "TableName": "t",
            "KeySchema": [{ "AttributeName": "id", "KeyType": "HASH" }],
            "GlobalSecondaryIndexes": [{
                "IndexName": "i",
                "KeySchema": [
                    { "AttributeName": "p", "KeyType": "HASH" }, { "AttributeName": "s", "KeyType": "RANGE" },
                ],
                "Projection": { "ProjectionType": "ALL" },
            }],
        } }))
        .expect("a description")
    }

    fn object(value: Value) -> Item {
        let Value::Object(item) = value else { panic!("an object") };
        item
    }

    fn item(id: &str, sort: u32) -> Item {
        object(json!({ "id": { "S": id }, "p": { "S": "p" }, "s": { "N": sort.to_string() } }))
    }

    fn name(id: &str) -> ItemName {
        table().item_name(&item(id, 0)).expect("a name")
    }

    #[test]
    fn old_image_is_shown_until_its_change_is_visible() {
        let mut changes = PendingChanges::default();
        changes.record(at(0), at(30), name("a"), Some(item("a", 1)));
        changes.record(at(10), at(5), name("a"), Some(item("a", 2)));
        changes.record(at(10), at(5), name("b"), None);
        for (millis, a, b) in [
            (0, Some(Some(item("a", 1))), Some(None)),
            (14, Some(Some(item("a", 1))), Some(None)),
            (15, Some(Some(item("a", 1))), None),
            (29, Some(Some(item("a", 1))), None),
            (30, None, None),
        ] {
            let images = changes.images(at(millis), "t");
            assert_eq!((images.get(&name("a")).cloned(), images.get(&name("b")).cloned()), (a, b), "{millis} ms");
        }
    }

    #[test]
    fn later_write_of_another_item_may_become_visible_first() {
        let mut changes = PendingChanges::default();
        changes.record(at(0), at(1_000), name("a"), None);
        changes.record(at(1), at(1), name("b"), None);
        assert_eq!(changes.images(at(2), "t").into_keys().collect::<Vec<_>>(), [name("a")]);
        assert!(changes.images(at(2), "other").is_empty());
    }

    #[test]
    fn most_lags_are_near_the_usual_one_and_a_few_take_seconds() {
        let mut rng = fastrand::Rng::with_seed(1);
        let mut lags: Vec<_> = (0..1_000).map(|_| draw(at(20), &mut rng)).collect();
        lags.sort_unstable();
        assert!((at(10)..at(25)).contains(&lags[500]), "{:?}", lags[500]);
        assert!((at(1_000)..at(4_000)).contains(&lags[998]), "{:?}", lags[998]);
        assert_eq!(draw(Duration::MAX, &mut rng), Duration::MAX);
    }

    /// Reads all rewound pages of an index. `current` are its items, `images` the old images.
    fn read_all_pages(current: &[Item], images: &OldImages, forward: bool, limit: usize) -> Vec<Item> {
        let table = table();
        let (index, condition) = (
            &table.indexes[0],
            json!({
                "KeyConditionExpression": "p = :p AND s BETWEEN :a AND :b",
                "ExpressionAttributeValues": { ":p": { "S": "p" }, ":a": { "N": "10" }, ":b": { "N": "89" } },
            }),
        );
        let condition = KeyCondition::parse(&condition, &index.key).expect("a condition");
        let (mut found, mut start) = (Vec::new(), None::<Item>);
        loop {
            let query = IndexQuery {
                table: &table,
                index,
                condition: &condition,
                forward,
                limit: Some(limit),
                start: start.as_ref(),
            };
            let mut held: Vec<Item> = current.iter().filter(|item| query.includes(item, None)).cloned().collect();
            held.sort_by(|one, other| query.compare_entries(one, other));
            let fetched = limit + images.len();
            let last =
                (held.len() >= fetched).then(|| key_after(&table, Some(index), &held[fetched - 1]).expect("keys"));
            held.truncate(fetched);
            let page = query.rewind(&held, last, images);
            assert!(page.items.len() <= limit);
            found.extend(page.items);
            start = page.last;
            if start.is_none() {
                return found;
            }
        }
    }

    #[test]
    fn rewound_pages_together_show_each_old_item_once() {
        for seed in 0..300 {
            let mut rng = fastrand::Rng::with_seed(seed);
            let random = |rng: &mut fastrand::Rng, id: usize| {
                (rng.u8(..4) > 0).then(|| item(&format!("i{id:02}"), rng.u32(..100)))
            };
            let (mut current, mut shown, mut images) = (Vec::new(), Vec::new(), OldImages::new());
            for id in 0..rng.usize(1..30) {
                let item_now = random(&mut rng, id);
                let changed = rng.bool();
                let before = if changed { random(&mut rng, id) } else { item_now.clone() };
                if changed {
                    images.insert(name(&format!("i{id:02}")), before.clone());
                }
                current.extend(item_now);
                shown.extend(before);
            }
            let in_range = |item: &Item| {
                let sort: u32 = item["s"]["N"].as_str().and_then(|digits| digits.parse().ok()).expect("a number");
                (10..90).contains(&sort)
            };
            let key = |item: &Item| (item["s"]["N"].as_str().map(|n| n.parse::<u32>().ok()), item["id"].to_string());
            shown.retain(in_range);
            shown.sort_by_key(key);
            let limit = rng.usize(1..12);
            assert_eq!(read_all_pages(&current, &images, true, limit), shown, "seed {seed}");
            shown.reverse();
            assert_eq!(read_all_pages(&current, &images, false, limit), shown, "seed {seed}, backwards");
        }
    }
}
