//! Lag of global secondary indexes behind their table.
//!
//! Each write is recorded with the item before it, its *old image*, until the indexes show the write. Until then, an index has
//! the old image. So an index shows deleted items and lacks new ones. Each change has its own lag. Changes of one item become
//! visible in their order, those of different items in any order.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use super::item::Item;
use super::latency::exponential;
use super::tables::ItemName;

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

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::tables::TableInfo;
    use super::*;

    fn at(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    fn item(id: &str, version: u32) -> Item {
        let Value::Object(item) = json!({ "id": { "S": id }, "v": { "N": version.to_string() } }) else {
            panic!("an object")
        };
        item
    }

    fn name(id: &str) -> ItemName {
        let described =
            json!({ "Table": { "TableName": "t", "KeySchema": [{ "AttributeName": "id", "KeyType": "HASH" }] } });
        TableInfo::parse(&described).and_then(|table| table.item_name(&item(id, 0))).expect("a name")
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
}
