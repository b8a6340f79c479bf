//! Organisations and their businesses.

mod change_log;
mod directory;
mod list;
mod log_items;

pub use list::ListPage;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use struct_field_names_as_array::FieldNamesAsArray;

use crate::client::read::{Item, Partition, number, text};
use crate::client::write::Condition;
use crate::format::BUSINESS;
use crate::format::{item, parse, parse_as};
use crate::keys::{business_pk, city_listing, org_pk};
use crate::{Database, schema};
use presence_domain::error::Error;
use presence_domain::ids::{BusinessId, OrgId};
use presence_domain::review::RowOutcome;
use presence_domain::text::city_key;
use presence_domain::user::References;

/// Businesses in one page of a Query. They fill less than the 1 MB that DynamoDB returns at a time.
const PAGE: i32 = 2_000;
/// Largest number of pages: a million businesses of one organisation.
const MAX_PAGES: usize = 500;
/// Maximum number of attempts to put a business that others put at the same time.
const MAX_ATTEMPTS: u32 = 5;

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

/// Outcome of a put, or of the comparison that a dry run makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PutOutcome {
    /// No item was there.
    Created,
    /// A different item was there.
    Updated,
    /// The same item was there, and nothing was written.
    Unchanged,
}

impl From<RowOutcome> for PutOutcome {
    fn from(outcome: RowOutcome) -> Self {
        match outcome {
            RowOutcome::Created => Self::Created,
            RowOutcome::Updated => Self::Updated,
            RowOutcome::Unchanged => Self::Unchanged,
        }
    }
}

#[derive(Serialize, Deserialize, PartialEq)]
struct OrgItem {
    pk: String,
    id: String,
    name: String,
}

#[derive(Serialize, Deserialize, PartialEq)]
struct BusinessItem {
    pk: String,
    id: String,
    org_id: u64,
    name: String,
    city: String,
    city_listing: String,
    /// Other organisation that has, or may have, some of its reviews: the next one before a move, the last one afterwards.
    #[serde(skip_serializing_if = "Option::is_none")]
    other_org_id: Option<u64>,
    /// Number of the entry in the log of changes that announced the last change; 0 before the first one.
    #[serde(default, skip_serializing_if = "is_zero")]
    revision: u64,
}

/// Attributes that tell the owner of a business.
#[derive(Deserialize, FieldNamesAsArray)]
struct OwnedItem {
    id: String,
    /// None in the item of an organisation.
    org_id: Option<u64>,
}

impl OwnedItem {
    fn business(self, org_id: u64) -> Result<(BusinessId, OrgId), Error> {
        let (id, org) = (BusinessId::parse(&self.id), OrgId::new(org_id));
        id.zip(org).ok_or_else(|| Error::internal("a stored business breaks the rules of its fields"))
    }
}

/// Attributes that tell the location of a business.
#[derive(Deserialize, FieldNamesAsArray)]
struct LocatedItem {
    id: String,
    org_id: u64,
    city: String,
    other_org_id: Option<u64>,
    #[serde(default)]
    revision: u64,
}

/// Place of a business, and the organisations that may have some of its reviews.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReviewLocation {
    /// Present location.
    pub(crate) location: BusinessLocation,
    /// City, as written in the import.
    pub(crate) city: String,
    /// Other organisation, while the business moves and after it has moved.
    pub(crate) other_org_id: Option<OrgId>,
    /// Number that each change of the business raises.
    pub(crate) revision: u64,
}

impl ReviewLocation {
    /// True if the organisation owns the business, or may have some of its reviews.
    pub(crate) fn may_have_reviews_in(&self, org_id: OrgId) -> bool {
        self.location.org_id == org_id || self.other_org_id == Some(org_id)
    }
}

impl LocatedItem {
    fn read(item: Item) -> Result<(BusinessId, BusinessLocation), Error> {
        Self::read_with_other(item).map(|(id, found)| (id, found.location))
    }

    fn read_with_other(item: Item) -> Result<(BusinessId, ReviewLocation), Error> {
        let located: Self = parse_as(BUSINESS, item)?;
        let (id, org_id) = (BusinessId::parse(&located.id), OrgId::new(located.org_id));
        let found = org_id.map(|org_id| ReviewLocation {
            location: BusinessLocation { org_id, city_key: city_key(&located.city) },
            city: located.city,
            other_org_id: located.other_org_id.and_then(OrgId::new),
            revision: located.revision,
        });
        id.zip(found).ok_or_else(|| Error::internal("a stored business breaks the rules of its fields"))
    }
}

/// Organisations and their businesses. Cheap to clone.
#[derive(Clone, Debug)]
pub struct BusinessStore {
    pub(crate) db: Database,
    changes: Arc<change_log::ChangeLog>,
    directory: Arc<directory::DirectoryCache>,
}

impl BusinessStore {
    /// Builds the store. Makes no call.
    #[must_use]
    pub fn new(database: &Database) -> Self {
        Self { db: database.clone(), changes: Arc::default(), directory: Arc::default() }
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
        let items = self.db.get_batch(&schema::BUSINESSES, keys, &OwnedItem::FIELD_NAMES_AS_ARRAY).await?;
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
        let items = self.db.get_batch(&schema::BUSINESSES, keys, &LocatedItem::FIELD_NAMES_AS_ARRAY).await?;
        items.into_iter().map(LocatedItem::read_with_other).collect()
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

    /// Writes an organisation, unless the same one is stored.
    pub async fn put_org(&self, org: &Org) -> Result<PutOutcome, Error> {
        let row = OrgItem::from(org);
        let outcome = self.compare_item(&row.pk, &row).await?;
        self.put_unless_same(outcome, &row).await
    }

    /// Returns the outcome that [`BusinessStore::put_org`] would have. Writes nothing.
    pub async fn compare_org(&self, org: &Org) -> Result<PutOutcome, Error> {
        let row = OrgItem::from(org);
        self.compare_item(&row.pk, &row).await
    }

    /// Writes a business, unless the same one is stored. Notes the organisation that it had before.
    ///
    /// The change is announced first. Businesses that are put at the same time share an announcement.
    pub async fn put(&self, business: &Business) -> Result<PutOutcome, Error> {
        let mut first_outcome = None;
        for _ in 0..MAX_ATTEMPTS {
            let Comparison { mut row, outcome, condition } = self.compare_business(business).await?;
            if outcome == PutOutcome::Unchanged {
                // After a failed condition this is the put of this call, whose reply was lost.
                return Ok(first_outcome.unwrap_or(outcome));
            }
            let outcome = *first_outcome.get_or_insert(outcome);
            row.revision = self.announce(&business.id).await?;
            let is_written = self.db.put_if(&schema::BUSINESSES, item(&row)?, condition).await?;
            self.note_done(row.revision);
            if is_written {
                return Ok(outcome);
            }
        }
        Err(Error::Conflict)
    }

    /// Returns the outcome that [`BusinessStore::put`] would have. Writes nothing.
    pub async fn compare(&self, business: &Business) -> Result<PutOutcome, Error> {
        self.compare_business(business).await.map(|comparison| comparison.outcome)
    }

    /// Notes that the reviews of a business begin to move to another organisation. From now on searches of its reviews look
    /// into both.
    pub async fn note_move(&self, id: &BusinessId, org_id: OrgId) -> Result<(), Error> {
        let update = self.db.client.update_item().table_name(self.db.name(&schema::BUSINESSES));
        let update = update
            .set_key(Some(key(business_pk(id))))
            .update_expression("SET other_org_id = :org")
            .condition_expression("attribute_exists(pk)")
            .expression_attribute_values(":org", number(org_id.get()));
        self.db.retry_throttled(|| update.clone().send()).await?;
        self.db.note_progress();
        Ok(())
    }

    /// Compares a business with its stored item.
    async fn compare_business(&self, business: &Business) -> Result<Comparison, Error> {
        let mut row = BusinessItem::from(business);
        let stored = self.db.get(&schema::BUSINESSES, key(row.pk.clone())).await?;
        let stored = stored.map(parse::<BusinessItem>).transpose()?;
        row.other_org_id = stored
            .as_ref()
            .and_then(|stored| if stored.org_id == row.org_id { stored.other_org_id } else { Some(stored.org_id) });
        row.revision = stored.as_ref().map_or(0, |stored| stored.revision);
        let condition = match row.revision {
            // A business of an earlier version has no revision.
            0 => Condition::Without("revision"),
            revision => Condition::NumberIs("revision", revision),
        };
        let outcome = match stored {
            None => PutOutcome::Created,
            Some(stored) if stored == row => PutOutcome::Unchanged,
            Some(_) => PutOutcome::Updated,
        };
        Ok(Comparison { row, outcome, condition })
    }

    async fn compare_item<T: for<'de> Deserialize<'de> + PartialEq>(
        &self,
        pk: &str,
        row: &T,
    ) -> Result<PutOutcome, Error> {
        let stored = self.db.get(&schema::BUSINESSES, key(pk.to_owned())).await?.map(parse::<T>).transpose()?;
        Ok(match stored {
            None => PutOutcome::Created,
            Some(stored) if stored == *row => PutOutcome::Unchanged,
            Some(_) => PutOutcome::Updated,
        })
    }

    async fn put_unless_same<T: Serialize>(&self, outcome: PutOutcome, row: &T) -> Result<PutOutcome, Error> {
        if outcome != PutOutcome::Unchanged {
            let put =
                self.db.client.put_item().table_name(self.db.name(&schema::BUSINESSES)).set_item(Some(item(row)?));
            self.db.retry_throttled(|| put.clone().send()).await?;
            self.db.note_progress();
        }
        Ok(outcome)
    }
}

/// Comparison of a business with its stored item.
struct Comparison {
    /// Item to write, with the present revision, and the other organisation that the business has or had.
    row: BusinessItem,
    outcome: PutOutcome,
    /// Condition that the stored item is the one that was compared.
    condition: Condition,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(revision: &u64) -> bool {
    *revision == 0
}

impl From<&Org> for OrgItem {
    fn from(org: &Org) -> Self {
        Self { pk: org_pk(org.id), id: org.id.to_string(), name: org.name.clone() }
    }
}

impl From<&Business> for BusinessItem {
    fn from(business: &Business) -> Self {
        Self {
            pk: business_pk(&business.id),
            id: business.id.as_str().to_owned(),
            org_id: business.org_id.get(),
            name: business.name.clone(),
            city: business.city.clone(),
            city_listing: city_listing(&city_key(&business.city), &business.id),
            other_org_id: None,
            revision: 0,
        }
    }
}

fn key(pk: String) -> Item {
    HashMap::from([("pk".to_owned(), text(pk))])
}
