//! Organisations and their businesses.

mod change_log;
mod directory;
mod items;
mod list;
mod log_items;
mod move_register;
mod writes;

pub use list::ListPage;
pub use writes::PutOutcome;
pub(crate) use writes::PutStep;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use self::items::{LocatedItem, OwnedItem};
use crate::client::read::{Item, Partition, number, text};
use crate::format::parse;
use crate::keys::{business_pk, org_pk};
use crate::{Database, schema};
use presence_domain::error::Error;
use presence_domain::ids::{BusinessId, OrgId};
use presence_domain::user::References;

/// Businesses in one page of a Query. They fill less than the 1 MB that DynamoDB returns at a time.
const PAGE: i32 = 2_000;
/// Largest number of pages: a million businesses of one organisation.
const MAX_PAGES: usize = 500;

/// Organisation that owns businesses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Org {
    /// Number of the organisation.
    pub id: OrgId,
    /// Display name.
    pub name: String,
}

/// Business of an organisation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Business {
    /// Identifier of the business.
    pub id: BusinessId,
    /// Organisation that owns it.
    pub org_id: OrgId,
    /// Display name.
    pub name: String,
    /// City, as written in the import.
    pub city: String,
}

/// Organisation and city in which the reviews of a business are counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BusinessLocation {
    /// Organisation that owns the business.
    pub org_id: OrgId,
    /// Folded name of its city.
    pub city_key: String,
}

/// Place of a business, and the organisations that may have some of its reviews.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReviewLocation {
    /// Present location.
    pub(crate) location: BusinessLocation,
    /// City, as written in the import.
    pub(crate) city: String,
    /// Organisations that may have reviews elsewhere than in this location, while the business moves.
    pub(crate) leaving: BTreeSet<OrgId>,
    /// Number that each change of the business raises.
    pub(crate) revision: u64,
}

impl ReviewLocation {
    /// True if the organisation owns the business, or may have some of its reviews.
    pub(crate) fn may_have_reviews_in(&self, org_id: OrgId) -> bool {
        self.location.org_id == org_id || self.leaving.contains(&org_id)
    }
}

/// Organisations and their businesses. Cheap to clone.
#[derive(Clone, Debug)]
pub struct BusinessStore {
    pub(crate) db: Database,
    changes: Arc<change_log::ChangeLog>,
    directory: Arc<directory::DirectoryCache>,
    /// Held while this process changes the register of moves.
    register_lock: Arc<tokio::sync::Mutex<()>>,
}

impl BusinessStore {
    /// Builds the store. Makes no call.
    #[must_use]
    pub fn new(database: &Database) -> Self {
        Self { db: database.clone(), changes: Arc::default(), directory: Arc::default(), register_lock: Arc::default() }
    }

    /// Returns the businesses that do not belong to the organisation, in the order given.
    pub async fn list_unknown(&self, org_id: Option<OrgId>, ids: &[BusinessId]) -> Result<Vec<BusinessId>, Error> {
        let owners = self.get_owners(ids).await?;
        let is_owned = |id: &BusinessId| org_id.is_some() && owners.get(id).copied() == org_id;
        Ok(ids.iter().filter(|id| !is_owned(id)).cloned().collect())
    }

    /// Returns the organisation of each business that exists, by strong reads.
    pub async fn get_owners(&self, ids: &[BusinessId]) -> Result<HashMap<BusinessId, OrgId>, Error> {
        Ok(self.get_existing(ids, None).await?.owners)
    }

    /// Looks businesses and an organisation up together, by strong reads.
    pub async fn get_existing(&self, ids: &[BusinessId], org_id: Option<OrgId>) -> Result<References, Error> {
        let unique: HashSet<&BusinessId> = ids.iter().collect();
        let keys = unique.into_iter().map(business_pk).chain(org_id.map(org_pk)).map(key).collect();
        let items = self.db.get_batch(&schema::BUSINESSES, keys, OwnedItem::ATTRIBUTES).await?;
        let mut existing = References { owners: HashMap::with_capacity(ids.len()), org_exists: org_id.is_none() };
        for item in items {
            let owned: OwnedItem = parse(item)?;
            match owned.org_id {
                Some(org_id) => existing.owners.extend([owned.business(org_id)?]),
                None => existing.org_exists = true,
            }
        }
        Ok(existing)
    }

    /// Returns the location of each business that exists, by strong reads.
    pub async fn get_locations(&self, ids: &[BusinessId]) -> Result<HashMap<BusinessId, BusinessLocation>, Error> {
        let found = self.get_review_locations(ids).await?.into_iter();
        Ok(found.map(|(id, found)| (id, found.location)).collect())
    }

    /// Returns the location of each business that exists, and the organisations that may have its reviews, by strong reads.
    pub(crate) async fn get_review_locations(
        &self,
        ids: &[BusinessId],
    ) -> Result<HashMap<BusinessId, ReviewLocation>, Error> {
        // BatchGetItem refuses a key that comes twice.
        let unique: HashSet<&BusinessId> = ids.iter().collect();
        let keys = unique.into_iter().map(|id| key(business_pk(id))).collect();
        let items = self.db.get_batch(&schema::BUSINESSES, keys, LocatedItem::ATTRIBUTES).await?;
        items.into_iter().map(LocatedItem::read_with_move).collect()
    }

    /// Returns the businesses of an organisation with their locations, from `city-index`, which lags.
    pub(super) async fn list_by_org(&self, org_id: OrgId) -> Result<Vec<(BusinessId, BusinessLocation)>, Error> {
        let partition = Partition {
            table: &schema::BUSINESSES,
            index: Some(&schema::CITY_INDEX),
            value: number(org_id.get()),
            between: None,
            page: PAGE,
            max_pages: MAX_PAGES,
        };
        self.db.query(partition).await?.into_iter().map(LocatedItem::read).collect()
    }

    /// Returns every imported organisation, by a strong scan.
    pub(super) async fn list_orgs(&self) -> Result<Vec<OrgId>, Error> {
        let items = self.db.scan(&schema::BUSINESSES, PAGE, MAX_PAGES).await?;
        let org = |item: &Item| item.get("pk")?.as_s().ok()?.strip_prefix("ORG#")?.parse().ok().and_then(OrgId::new);
        Ok(items.iter().filter_map(org).collect())
    }

    /// True if the organisation exists, by a strong read of one unit.
    pub async fn has_org(&self, id: OrgId) -> Result<bool, Error> {
        Ok(self.db.get(&schema::BUSINESSES, key(org_pk(id))).await?.is_some())
    }
}

fn key(pk: String) -> Item {
    HashMap::from([("pk".to_owned(), text(pk))])
}
