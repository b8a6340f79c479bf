//! Indexes that lag behind their table, each item by its own time.
//!
//! A write is remembered with the item as it was before, until the index shows it. A page of the index is then *rewound*:
//! what was written too lately is taken out, and the items as they were are put in, in their scopes. So an index shows
//! deleted items and lacks new ones, with pages, limits and directions as they should be. Changes of one item are shown in
//! their order, those of different items in any.

use std::cmp::Ordering;
use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use serde_json::Value;

use super::item::{Item, compare, size};
use super::latency::exponential;
use super::pages::key_after;
use super::query::KeyCondition;
use super::sizes::PAGE_BYTES;
use super::tables::{IndexInfo, ItemName, TableInfo};

/// One change in so many takes some fifty to a hundred and fifty times as long.
const SLOW_ONE_IN: u32 = 50;

/// The writes that indexes do not show yet.
#[derive(Debug, Default)]
pub(super) struct PendingChanges(HashMap<ItemName, VecDeque<PendingChange>>);

#[derive(Debug)]
struct PendingChange {
    shown_at: Duration,
    old: Option<Item>,
}

/// Items that are shown as they were: nothing for one that was not there.
pub(super) type OldImages = HashMap<ItemName, Option<Item>>;

/// Draws how long an index takes for a change.
pub(super) fn draw(usual: Duration, rng: &mut fastrand::Rng) -> Duration {
    let (slow, share) = (rng.u32(..SLOW_ONE_IN) == 0, exponential(rng));
    if usual == Duration::MAX {
        return usual;
    }
    let times = if slow { 50.0 + 10.0 * share } else { 0.5 + 0.5 * share };
    usual.mul_f64(times)
}

impl PendingChanges {
    /// Remembers a write of an item that was this before.
    pub(super) fn record(&mut self, now: Duration, lag: Duration, name: ItemName, old: Option<Item>) {
        let changes = self.0.entry(name).or_default();
        let earliest = changes.back().map_or(Duration::ZERO, |last| last.shown_at);
        changes.push_back(PendingChange { shown_at: now.saturating_add(lag).max(earliest), old });
    }

    /// True while an index does not show something yet.
    pub(super) fn are_pending(&self, now: Duration) -> bool {
        self.0.values().flatten().any(|change| change.shown_at > now)
    }

    /// Returns the items of a table that its indexes show as they were, and forgets what they show by now.
    pub(super) fn images(&mut self, now: Duration, table: &str) -> OldImages {
        self.0.retain(|_, changes| {
            while changes.front().is_some_and(|change| change.shown_at <= now) {
                changes.pop_front();
            }
            !changes.is_empty()
        });
        let of_table = self.0.iter().filter(|(name, _)| name.table == table);
        of_table.filter_map(|(name, changes)| Some((name.clone(), changes.front()?.old.clone()))).collect()
    }

    /// Has indexes show everything.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

/// A page of an index that somebody asks for.
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

/// A page: its items, the key that the next one starts after, and whether it is outdated.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Page {
    pub(super) items: Vec<Item>,
    pub(super) last: Option<Item>,
    pub(super) is_stale: bool,
}

impl IndexQuery<'_> {
    /// Rewinds a page of what the index holds by now: it must be longer than the limit by as many items as there are images.
    pub(super) fn rewind(&self, items: &[Item], last: Option<Item>, images: &OldImages) -> Page {
        let is_new = |item: &Item| self.table.item_name(item).is_some_and(|name| images.contains_key(&name));
        let mut rewound: Vec<Item> = items.iter().filter(|item| !is_new(item)).cloned().collect();
        let entries = images.values().flatten().filter_map(|old| self.index.entry(self.table, old));
        rewound.extend(entries.filter(|entry| self.shows(entry, last.as_ref())));
        rewound.sort_by(|one, other| self.order(one, other));
        let (is_stale, all, mut last) = (rewound != items, rewound.len(), last);
        rewound.truncate(self.fitting(&rewound));
        if rewound.len() < all || self.limit == Some(rewound.len()) {
            last = rewound.last().and_then(|item| key_after(self.table, Some(self.index), item)).or(last);
        }
        Page { items: rewound, last, is_stale }
    }

    /// True if an entry belongs on the page that ends with this key.
    fn shows(&self, entry: &Item, last: Option<&Item>) -> bool {
        let sort = self.index.key.sort.as_ref().and_then(|sort| entry.get(sort));
        let partition = entry.get(&self.index.key.partition);
        partition.is_some_and(|partition| compare(partition, &self.condition.partition) == Ordering::Equal)
            && self.condition.takes(sort)
            && self.start.is_none_or(|start| self.order(entry, start) == Ordering::Greater)
            && last.is_none_or(|last| self.order(entry, last) != Ordering::Greater)
    }

    /// Returns how many items fit the limit and the bytes of a page.
    fn fitting(&self, items: &[Item]) -> usize {
        let mut bytes = 0;
        let fits = |item: &&Item| {
            bytes += size(item);
            bytes <= PAGE_BYTES
        };
        let fitting = items.iter().take_while(fits).count().max(1);
        self.limit.map_or(fitting, |limit| fitting.min(limit)).min(items.len())
    }

    /// The order of the index, in the direction of the request; equal sort keys are in the order of the table's key.
    fn order(&self, one: &Item, other: &Item) -> Ordering {
        let names = self.index.key.sort.iter().chain(self.table.key.names());
        let null = Value::Null;
        let value = |item: &Item, name: &String| item.get(name).cloned().unwrap_or(null.clone());
        let orders = names.map(|name| compare(&value(one, name), &value(other, name)));
        let order = orders.fold(Ordering::Equal, Ordering::then);
        if self.forward { order } else { order.reverse() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn at(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    fn table() -> TableInfo {
        TableInfo::read(&json!({ "Table": {
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
    fn an_item_is_shown_as_it_was_until_its_time_and_its_changes_in_their_order() {
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
    fn a_later_write_of_another_item_may_show_first() {
        let mut changes = PendingChanges::default();
        changes.record(at(0), at(1_000), name("a"), None);
        changes.record(at(1), at(1), name("b"), None);
        assert_eq!(changes.images(at(2), "t").into_keys().collect::<Vec<_>>(), [name("a")]);
        assert!(changes.images(at(2), "other").is_empty());
    }

    #[test]
    fn most_changes_take_the_usual_time_and_a_few_take_seconds() {
        let mut rng = fastrand::Rng::with_seed(1);
        let mut lags: Vec<_> = (0..1_000).map(|_| draw(at(20), &mut rng)).collect();
        lags.sort_unstable();
        assert!((at(10)..at(25)).contains(&lags[500]), "{:?}", lags[500]);
        assert!((at(1_000)..at(4_000)).contains(&lags[998]), "{:?}", lags[998]);
        assert_eq!(draw(Duration::MAX, &mut rng), Duration::MAX);
    }

    /// Walks an index page by page as it was rewound; the index holds `now` and shows `images`.
    fn walk(now: &[Item], images: &OldImages, forward: bool, limit: usize) -> Vec<Item> {
        let table = table();
        let (index, condition) = (
            &table.indexes[0],
            json!({
                "KeyConditionExpression": "p = :p AND s BETWEEN :a AND :b",
                "ExpressionAttributeValues": { ":p": { "S": "p" }, ":a": { "N": "10" }, ":b": { "N": "89" } },
            }),
        );
        let condition = KeyCondition::read(&condition, &index.key).expect("a condition");
        let (mut walked, mut start) = (Vec::new(), None::<Item>);
        loop {
            let view = IndexQuery {
                table: &table,
                index,
                condition: &condition,
                forward,
                limit: Some(limit),
                start: start.as_ref(),
            };
            let mut held: Vec<Item> = now.iter().filter(|item| view.shows(item, None)).cloned().collect();
            held.sort_by(|one, other| view.order(one, other));
            let fetched = limit + images.len();
            let last =
                (held.len() >= fetched).then(|| key_after(&table, Some(index), &held[fetched - 1]).expect("keys"));
            held.truncate(fetched);
            let page = view.rewind(&held, last, images);
            assert!(page.items.len() <= limit);
            walked.extend(page.items);
            start = page.last;
            if start.is_none() {
                return walked;
            }
        }
    }

    #[test]
    fn a_walk_over_rewound_pages_sees_every_item_once_as_it_was() {
        for seed in 0..300 {
            let mut rng = fastrand::Rng::with_seed(seed);
            let random = |rng: &mut fastrand::Rng, id: usize| {
                (rng.u8(..4) > 0).then(|| item(&format!("i{id:02}"), rng.u32(..100)))
            };
            let (mut now, mut shown, mut images) = (Vec::new(), Vec::new(), OldImages::new());
            for id in 0..rng.usize(1..30) {
                let current = random(&mut rng, id);
                let changed = rng.bool();
                let before = if changed { random(&mut rng, id) } else { current.clone() };
                if changed {
                    images.insert(name(&format!("i{id:02}")), before.clone());
                }
                now.extend(current);
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
            assert_eq!(walk(&now, &images, true, limit), shown, "seed {seed}");
            shown.reverse();
            assert_eq!(walk(&now, &images, false, limit), shown, "seed {seed}, backwards");
        }
    }
}
