//! Search of businesses, in a directory in memory that every request follows up by the log of changes.
//!
//! A request is answered from a directory that has every change whose put ended before the request began. The entry of the change was in
//! the log by then. The request reads the log strongly to its end, and then each announced business strongly.
//!
//! A directory is loaded by a strong scan. Entries before the head's `first` are done before the scan begins, and the slots of later
//! ones stay as they are while `first` does. So the scan is good if `first` is the same before and after it.

use std::sync::{Arc, Mutex, PoisonError};

use serde::Deserialize;

use super::items::BusinessItem;
use super::log_items::{LogEntry, SLOTS, Slot};
use super::{Business, BusinessStore, PAGE, key};
use crate::client::attributes::with_attributes;
use crate::client::read::Item;
use crate::format::{BUSINESS, BUSINESS_CHANGES, kind_of, parse_as};
use crate::keys::business_pk;
use crate::schema;
use presence_domain::access::Scope;
use presence_domain::business_directory::{BusinessDirectory, BusinessFilter, ListedBusiness, MAX_DIRECTORY_BYTES};
use presence_domain::error::Error;
use presence_domain::ids::{BusinessId, OrgId};
use presence_domain::page::{Page, PageRequest};

/// Maximum number of entries that are read at once. The number begins at one and doubles, since a free slot costs a unit too.
const ENTRIES_AT_ONCE: u64 = 64;
/// Maximum number of loads in one request. A load fails only if an import releases entries while it runs.
const MAX_LOADS: u32 = 4;
/// Maximum number of pages of a load. [`MAX_DIRECTORY_BYTES`] is reached before.
const MAX_PAGES: usize = 1_000;

/// Cache of the directory that was read last.
pub(crate) type DirectoryCache = Mutex<Option<Arc<LoadedDirectory>>>;

/// Directory, and its position in the log.
#[derive(Debug)]
pub(crate) struct LoadedDirectory {
    directory: BusinessDirectory,
    /// Number of the last entry whose changes are in the directory, or announced in it.
    position: u64,
}

with_attributes! {
    /// Attributes of a business that a search shows.
    #[derive(Deserialize)]
    struct ListedItem {
        id: String,
        org_id: u64,
        name: String,
        city: String,
        #[serde(default)]
        revision: u64,
    }
}

impl ListedItem {
    fn into_listed(self) -> Result<ListedBusiness, Error> {
        let ids = BusinessId::parse(&self.id).zip(OrgId::new(self.org_id));
        let (id, org_id) = ids.ok_or_else(|| Error::internal("a stored business breaks the rules of its fields"))?;
        Ok(ListedBusiness::new(id, org_id, self.name, self.city, self.revision))
    }
}

impl BusinessStore {
    /// Returns one page of the businesses in the scope that the filter admits, by folded name and then by id. It shows every change
    /// that was written before the call. A warm function reads one unit if nothing has changed.
    pub async fn search(
        &self,
        scope: Scope,
        filter: BusinessFilter,
        request: PageRequest,
    ) -> Result<Page<Arc<ListedBusiness>>, Error> {
        let org_id = filter.org_id.or(scope.only_org());
        if !scope.covers(org_id) {
            return Ok(Page { request, count: 0, items: Vec::new() });
        }
        let current = self.current_directory().await?;
        Ok(current.directory.search(&BusinessFilter { org_id, ..filter }, request)?)
    }

    /// Returns the businesses of organisations, each list as it was at one instant during the call.
    pub(crate) async fn current_businesses(&self, org_ids: &[OrgId]) -> Result<Vec<Vec<Business>>, Error> {
        let current = self.current_directory().await?;
        let of_org = |org_id: &OrgId| {
            let listed = current.directory.of_org(*org_id);
            let business = |listed: &ListedBusiness| Business {
                id: listed.id.clone(),
                org_id: listed.org_id,
                name: listed.name.clone(),
                city: listed.city.clone(),
            };
            listed.map(business).collect()
        };
        Ok(org_ids.iter().map(of_org).collect())
    }

    /// Returns a directory that is current in this request, and keeps it in memory.
    async fn current_directory(&self) -> Result<Arc<LoadedDirectory>, Error> {
        let mut known = self.directory.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for _ in 0..=MAX_LOADS {
            let base = match known.take() {
                Some(base) => base,
                None => match self.load_directory().await? {
                    Some(loaded) => Arc::new(loaded),
                    None => continue,
                },
            };
            if let Some(current) = self.follow_log(base).await? {
                self.cache_directory(&current);
                return Ok(current);
            }
        }
        Err(Error::Unavailable("imports of businesses overtook every read of their directory".into()))
    }

    fn cache_directory(&self, current: &Arc<LoadedDirectory>) {
        let mut cached = self.directory.lock().unwrap_or_else(PoisonError::into_inner);
        if cached.as_ref().is_none_or(|other| other.position <= current.position) {
            *cached = Some(Arc::clone(current));
        }
    }

    /// Follows the log to its end. `None` if entries are gone that the directory does not have.
    async fn follow_log(&self, base: Arc<LoadedDirectory>) -> Result<Option<Arc<LoadedDirectory>>, Error> {
        let next = base.position + 1;
        let (slot, stored) = tokio::try_join!(self.read_slot(next), self.get_listed(base.directory.pending()))?;
        let Some((position, announced)) = self.read_announced(next, slot).await? else { return Ok(None) };
        if announced.is_empty() && stored.is_empty() {
            return Ok(Some(base));
        }
        let mut directory = base.directory.clone();
        directory.update(stored);
        directory.announce(announced.iter().cloned());
        let unread = announced.iter().map(|(id, _)| id).collect::<std::collections::BTreeSet<_>>();
        let changed = self.get_listed(directory.pending().filter(|id| unread.contains(id))).await?;
        directory.update(changed);
        check_size(directory.bytes())?;
        Ok(Some(Arc::new(LoadedDirectory { directory, position })))
    }

    /// Reads the entries from `next` on, whose slot is read already. Returns the number of the last one, and what they announce.
    /// `None` if one of them is gone, or if they are too many to be read one by one.
    async fn read_announced(&self, next: u64, slot: Slot) -> Result<Option<(u64, Vec<(BusinessId, u64)>)>, Error> {
        let (mut position, mut announced, mut slots, mut at_once) = (next - 1, Vec::new(), vec![slot], 1);
        while position < next + SLOTS {
            for slot in slots {
                match slot {
                    Slot::Free => return Ok(Some((position, announced))),
                    Slot::Overwritten => return Ok(None),
                    Slot::Entry(entry) => {
                        position += 1;
                        announced.extend(entry.announced()?);
                    }
                }
            }
            let numbers: Vec<u64> = (position + 1..=position + at_once).collect();
            slots = self.read_slots(&numbers).await?;
            at_once = (at_once * 2).min(ENTRIES_AT_ONCE);
        }
        Ok(None)
    }

    /// Loads the directory by a strong scan. `None` if an import released entries meanwhile.
    async fn load_directory(&self) -> Result<Option<LoadedDirectory>, Error> {
        let first = self.read_log_first().await?;
        let (mut businesses, mut entries, mut bytes) = (Vec::new(), Vec::new(), 0);
        let mut start = None;
        for _ in 0..MAX_PAGES {
            let (items, next) = self.db.scan_page(&schema::BUSINESSES, PAGE, start).await?;
            for item in items {
                match kind_of(&schema::BUSINESSES, &item) {
                    BUSINESS => {
                        let business = parse_as::<BusinessItem>(BUSINESS, item)?.into_listed()?;
                        bytes += business.bytes();
                        businesses.push(business);
                    }
                    BUSINESS_CHANGES => entries.push(LogEntry::from_item(item)?),
                    _ => {}
                }
            }
            check_size(bytes)?;
            start = next;
            if start.is_none() {
                let is_good = self.read_log_first().await? == first;
                return if is_good { build(businesses, entries, first).map(Some) } else { Ok(None) };
            }
        }
        Err(Error::internal("the table of businesses is larger than the bound on its pages"))
    }

    /// Returns businesses as they are stored, by strong reads. Those that do not exist are left out.
    pub(super) async fn get_listed(
        &self,
        ids: impl Iterator<Item = &BusinessId>,
    ) -> Result<Vec<ListedBusiness>, Error> {
        let keys: Vec<Item> = ids.map(|id| key(business_pk(id))).collect();
        let items = self.db.get_batch(&schema::BUSINESSES, keys, ListedItem::ATTRIBUTES).await?;
        items.into_iter().map(|item| parse_as::<ListedItem>(BUSINESS, item)?.into_listed()).collect()
    }
}

impl BusinessItem {
    fn into_listed(self) -> Result<ListedBusiness, Error> {
        let Self { id, org_id, name, city, revision, .. } = self;
        ListedItem { id, org_id, name, city, revision }.into_listed()
    }
}

/// Builds the directory of a scan, during which `first` was the first entry that was not released.
fn build(businesses: Vec<ListedBusiness>, entries: Vec<LogEntry>, first: u64) -> Result<LoadedDirectory, Error> {
    let entries: std::collections::BTreeMap<u64, LogEntry> =
        entries.into_iter().filter(|entry| entry.number >= first).map(|entry| (entry.number, entry)).collect();
    // Entries that were appended meanwhile may be missing between others: they are read by their numbers.
    let consecutive = (first..).zip(entries.keys()).take_while(|(expected, number)| expected == *number);
    let last = consecutive.last().map(|(number, _)| number);
    let mut directory = BusinessDirectory::new(businesses);
    let announced = entries.values().map(LogEntry::announced).collect::<Result<Vec<_>, _>>()?;
    directory.announce(announced.into_iter().flatten());
    Ok(LoadedDirectory { directory, position: last.unwrap_or(first - 1) })
}

fn check_size(bytes: usize) -> Result<(), Error> {
    if bytes > MAX_DIRECTORY_BYTES {
        return Err(Error::internal("the businesses need more memory than their directory may have"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scan_ends_at_the_last_entry_before_a_gap_and_announces_all_that_are_not_released() {
        let business = |number: u64| BusinessId::parse(&format!("b{number}")).expect("an id");
        let entry = |number: &u64| LogEntry::new(*number, "writer", &[(business(*number), 1)].into());
        for (numbers, first, position, announced) in
            [(&[][..], 7, 6, 0), (&[5, 6], 7, 6, 0), (&[6, 7, 8, 10], 7, 8, 3), (&[8], 7, 6, 1)]
        {
            let entries = numbers.iter().map(entry).collect();
            let loaded = build(Vec::new(), entries, first).expect("valid entries");
            assert_eq!((loaded.position, loaded.directory.pending().count()), (position, announced), "{numbers:?}");
        }
    }

    #[test]
    fn a_directory_may_have_its_bound_and_no_byte_more() {
        assert!(check_size(MAX_DIRECTORY_BYTES).is_ok());
        assert!(check_size(MAX_DIRECTORY_BYTES + 1).is_err());
    }
}
