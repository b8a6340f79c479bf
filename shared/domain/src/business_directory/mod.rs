//! Directory of businesses in memory: found, filtered and ordered without a read.
//!
//! Every change of a business is announced before it is written, with the revision that it will have. So the directory knows the
//! businesses whose stored item may be newer than its own copy: those whose last announced revision it does not hold.

mod filter;

use std::collections::BTreeMap;
use std::sync::Arc;

pub use filter::{BusinessFilter, BusinessQuery};

use crate::ids::{BusinessId, OrgId};
use crate::page::{Page, PageRequest};
use crate::text::city_key;
use crate::work::TooCostlyError;

/// Maximum size of a directory in bytes, as [`ListedBusiness::bytes`] counts: some 500,000 businesses. It is a quarter of the
/// memory of the function, which holds an old and a new directory while it changes.
pub const MAX_DIRECTORY_BYTES: usize = 128 << 20;
/// Bytes of a business beside its texts: pointers, lengths and the allocator's own.
const OVERHEAD_BYTES: usize = 160;

/// Business as the search lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedBusiness {
    /// Identifier of the business.
    pub id: BusinessId,
    /// Organisation that owns it.
    pub org_id: OrgId,
    /// Display name.
    pub name: String,
    /// City, as written in the import; empty for a business that is in no city.
    pub city: String,
    /// Number of its last change: of the announcement; 0 for one that has not changed since there are announcements.
    pub revision: u64,
    name_key: String,
    city_key: String,
}

/// Businesses of all organisations, by folded name and then by id.
#[derive(Clone, Debug, Default)]
pub struct BusinessDirectory {
    businesses: Vec<Arc<ListedBusiness>>,
    /// Last announced revision of each business whose stored item may be newer than the one here.
    pending: BTreeMap<BusinessId, u64>,
    bytes: usize,
}

impl ListedBusiness {
    /// Builds the entry of a business.
    pub fn new(id: BusinessId, org_id: OrgId, name: String, city: String, revision: u64) -> Self {
        let (name_key, city_key) = (city_key(&name), city_key(&city));
        Self { id, org_id, name, city, revision, name_key, city_key }
    }

    /// Returns the size of the entry in memory, in bytes.
    pub fn bytes(&self) -> usize {
        let texts = [self.id.as_str(), &self.name, &self.city, &self.name_key, &self.city_key];
        OVERHEAD_BYTES + texts.map(str::len).iter().sum::<usize>()
    }

    fn order(&self) -> (&str, &BusinessId) {
        (&self.name_key, &self.id)
    }
}

impl BusinessDirectory {
    /// Builds the directory of these businesses. No two of them have the same id.
    pub fn new(businesses: Vec<ListedBusiness>) -> Self {
        let bytes = businesses.iter().map(ListedBusiness::bytes).sum();
        let mut businesses: Vec<_> = businesses.into_iter().map(Arc::new).collect();
        businesses.sort_unstable_by(|one, other| one.order().cmp(&other.order()));
        Self { businesses, bytes, ..Self::default() }
    }

    /// Returns the size of the directory in memory, in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Notes that changes of businesses were announced, each with the revision that its item will have.
    pub fn announce(&mut self, announced: impl IntoIterator<Item = (BusinessId, u64)>) {
        for (id, revision) in announced {
            let last = self.pending.entry(id).or_default();
            *last = revision.max(*last);
        }
        if !self.pending.is_empty() {
            self.drop_known_announcements();
        }
    }

    /// Returns the businesses whose stored item may be newer than the one here, in the order of their ids.
    pub fn pending(&self) -> impl Iterator<Item = &BusinessId> {
        self.pending.keys()
    }

    /// Replaces businesses by their stored items. An item that is older than the one here is skipped.
    pub fn update(&mut self, stored: Vec<ListedBusiness>) {
        let mut newer: BTreeMap<BusinessId, ListedBusiness> =
            stored.into_iter().map(|business| (business.id.clone(), business)).collect();
        for present in &self.businesses {
            if newer.get(&present.id).is_some_and(|stored| stored.revision <= present.revision) {
                newer.remove(&present.id);
            }
        }
        if newer.is_empty() {
            return;
        }
        self.businesses.retain(|present| !newer.contains_key(&present.id));
        self.businesses.extend(newer.into_values().map(Arc::new));
        // Stable, because it is fast for runs that are in order already.
        self.businesses.sort_by(|one, other| one.order().cmp(&other.order()));
        self.bytes = self.businesses.iter().map(|business| business.bytes()).sum();
        self.drop_known_announcements();
    }

    /// Forgets the announcements of revisions that the directory has.
    fn drop_known_announcements(&mut self) {
        for business in &self.businesses {
            if self.pending.get(&business.id).is_some_and(|announced| business.revision >= *announced) {
                self.pending.remove(&business.id);
            }
        }
    }

    /// Returns the businesses of an organisation.
    pub fn of_org(&self, org_id: OrgId) -> impl Iterator<Item = &ListedBusiness> {
        self.businesses.iter().map(Arc::as_ref).filter(move |business| business.org_id == org_id)
    }

    /// Returns one page of the businesses that the filter admits, by folded name, then by id.
    pub fn search(
        &self,
        filter: &BusinessFilter,
        request: PageRequest,
    ) -> Result<Page<Arc<ListedBusiness>>, TooCostlyError> {
        let (mut count, mut items) = (0_u64, Vec::new());
        let wanted = request.start()..request.start().saturating_add(request.size);
        for business in &self.businesses {
            if !filter.admits(business)? {
                continue;
            }
            if wanted.contains(&count) {
                items.push(Arc::clone(business));
            }
            count += 1;
        }
        Ok(Page { request, count, items })
    }
}

#[cfg(test)]
mod tests;
