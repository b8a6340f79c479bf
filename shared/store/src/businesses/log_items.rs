//! Items of the log of changes of businesses: its entries in slots, and its head.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{BusinessStore, key};
use crate::client::attributes::with_attributes;
use crate::client::read::Item;
use crate::client::tables::Condition;
use crate::format::{BUSINESS_CHANGES, BUSINESS_CHANGES_HEAD, item_as, parse_as};
use crate::keys::{BUSINESS_CHANGES_HEAD_PK, business_changes_pk};
use crate::schema;
use presence_domain::error::Error;
use presence_domain::ids::BusinessId;

/// Number of slots. Entries with equal remainders share one, so that the log never has more items.
pub(super) const SLOTS: u64 = 1_024;

with_attributes! {
    /// Entry of the log: businesses whose items may change from now on, each with the revision that its item will have.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub(super) struct LogEntry {
        pk: String,
        pub(super) number: u64,
        /// Random number of the store that wrote the entry, so that a repeated put knows its own one.
        writer: String,
        businesses: BTreeMap<String, u64>,
    }
}

/// Head of the log. The changes of entries before `first` are done, and their slots are free.
#[derive(Serialize, Deserialize)]
struct LogHead {
    pk: String,
    first: u64,
}

/// State of the slot of an entry.
#[derive(Debug)]
pub(super) enum Slot {
    /// The entry is not written yet.
    Free,
    /// The entry.
    Entry(LogEntry),
    /// A later entry is there. The log was released meanwhile.
    Overwritten,
}

impl LogEntry {
    pub(super) fn new(number: u64, writer: &str, announced: &BTreeMap<BusinessId, u64>) -> Self {
        let businesses = announced.iter().map(|(id, revision)| (id.as_str().to_owned(), *revision)).collect();
        Self { pk: business_changes_pk(number % SLOTS), number, writer: writer.to_owned(), businesses }
    }

    pub(super) fn from_item(item: Item) -> Result<Self, Error> {
        parse_as(BUSINESS_CHANGES, item)
    }

    pub(super) fn to_item(&self) -> Result<Item, Error> {
        item_as(BUSINESS_CHANGES, self)
    }

    /// Returns the announced businesses with their revisions.
    pub(super) fn announced(&self) -> Result<Vec<(BusinessId, u64)>, Error> {
        let announced = self.businesses.iter().map(|(id, revision)| Some((BusinessId::parse(id)?, *revision)));
        announced.collect::<Option<_>>().ok_or_else(|| Error::internal("the log of changes names no valid business"))
    }
}

impl Slot {
    /// Returns the state of the slot of an entry by the item in it.
    fn of(number: u64, item: Option<Item>) -> Result<Self, Error> {
        let Some(entry) = item.map(LogEntry::from_item).transpose()? else { return Ok(Self::Free) };
        Ok(match entry.number {
            found if found == number => Self::Entry(entry),
            found if found > number => Self::Overwritten,
            _ => Self::Free,
        })
    }
}

impl BusinessStore {
    /// Returns the number of the first entry that is not released, by a strong read. It is 1 without a head.
    pub(super) async fn read_log_first(&self) -> Result<u64, Error> {
        let head = self.db.get(&schema::BUSINESSES, key(BUSINESS_CHANGES_HEAD_PK.to_owned())).await?;
        let head = head.map(|head| parse_as::<LogHead>(BUSINESS_CHANGES_HEAD, head)).transpose()?;
        Ok(head.map_or(1, |head| head.first))
    }

    /// Releases the entries before `first`. A head that is further already stays.
    pub(super) async fn write_log_first(&self, first: u64) -> Result<(), Error> {
        let head = item_as(BUSINESS_CHANGES_HEAD, &LogHead { pk: BUSINESS_CHANGES_HEAD_PK.to_owned(), first })?;
        self.db.put_if(&schema::BUSINESSES, head, Condition::NotThereOrBelow("first", first)).await.map(drop)
    }

    /// Reads the slot of an entry strongly, for one unit unless the entry is large.
    pub(super) async fn read_slot(&self, number: u64) -> Result<Slot, Error> {
        Slot::of(number, self.db.get(&schema::BUSINESSES, key(business_changes_pk(number % SLOTS))).await?)
    }

    /// Reads the slots of these entries strongly, at most [`SLOTS`] in a row, in their order.
    pub(super) async fn read_slots(&self, numbers: &[u64]) -> Result<Vec<Slot>, Error> {
        let keys = numbers.iter().map(|number| key(business_changes_pk(number % SLOTS))).collect();
        let mut found = BTreeMap::new();
        for item in self.db.get_batch(&schema::BUSINESSES, keys, LogEntry::ATTRIBUTES).await? {
            let entry = LogEntry::from_item(item)?;
            found.insert(entry.number % SLOTS, entry);
        }
        let slot = |number: &u64| Slot::of(*number, found.get(&(number % SLOTS)).map(LogEntry::to_item).transpose()?);
        numbers.iter().map(slot).collect()
    }
}
