//! Organisations and their businesses.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use crate::client::read::{Item, Partition, item, number, parse, parse_as, text};
use crate::format::BUSINESS;
use crate::keys::{business_pk, city_listing, org_pk};
use crate::{Database, schema};
use presence_domain::error::Error;
use presence_domain::ids::{BusinessId, OrgId};
use presence_domain::text::city_key;

/// Businesses in one page of a Query: they fill less than the 1 MB that DynamoDB returns at a time.
const PAGE: i32 = 2_000;
/// Pages at the most: a million businesses of one organisation.
const MAX_PAGES: usize = 500;

/// An organisation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Org {
    /// Its id.
    pub id: OrgId,
    /// Its name.
    pub name: String,
}

/// A business.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Business {
    /// Its id.
    pub id: BusinessId,
    /// The organisation that it belongs to.
    pub org_id: OrgId,
    /// Its name.
    pub name: String,
    /// The city where it is, as written.
    pub city: String,
}

/// Where the reviews of a business are counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BusinessLocation {
    /// The organisation that it belongs to.
    pub org_id: OrgId,
    /// The folded name of its city.
    pub city_key: String,
}

/// What a put did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PutOutcome {
    /// There was none.
    Created,
    /// There was another.
    Updated,
    /// There was the same.
    Unchanged,
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
}

/// The fields that a new user is to have, as far as they exist.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// The organisation of each business.
    pub owners: HashMap<BusinessId, OrgId>,
    /// True if the organisation exists, or none was asked for.
    pub has_org: bool,
}

#[derive(Deserialize)]
struct OwnedItem {
    id: String,
    /// Only businesses have one.
    org_id: Option<u64>,
}

impl OwnedItem {
    fn business(self, org_id: u64) -> Result<(BusinessId, OrgId), Error> {
        let (id, org) = (BusinessId::parse(&self.id), OrgId::new(org_id));
        id.zip(org).ok_or_else(|| Error::internal("a stored business breaks the rules of its fields"))
    }
}

#[derive(Deserialize)]
struct PlacedItem {
    id: String,
    org_id: u64,
    city: String,
}

impl PlacedItem {
    fn read(item: Item) -> Result<(BusinessId, BusinessLocation), Error> {
        let placed: Self = parse_as(BUSINESS, item)?;
        let place = |org_id| BusinessLocation { org_id, city_key: city_key(&placed.city) };
        let (id, place) = (BusinessId::parse(&placed.id), OrgId::new(placed.org_id).map(place));
        id.zip(place).ok_or_else(|| Error::internal("a stored business breaks the rules of its fields"))
    }
}

/// Organisations and their businesses. Cheap to clone.
#[derive(Clone, Debug)]
pub struct BusinessStore {
    pub(crate) db: Database,
}

impl BusinessStore {
    /// Builds the store. Makes no call.
    #[must_use]
    pub fn new(database: &Database) -> Self {
        Self { db: database.clone() }
    }
}

impl BusinessStore {
    /// The businesses among the ids that are not of this organisation (or of any), in the order given.
    pub async fn list_unknown(&self, org_id: Option<OrgId>, ids: &[BusinessId]) -> Result<Vec<BusinessId>, Error> {
        let owners = self.get_owners(ids).await?;
        let known = |id: &&BusinessId| org_id.is_some() && owners.get(*id).copied() == org_id;
        Ok(ids.iter().filter(|id| !known(id)).cloned().collect())
    }

    /// The organisation of each of these businesses that exists, read strongly.
    pub async fn get_owners(&self, ids: &[BusinessId]) -> Result<HashMap<BusinessId, OrgId>, Error> {
        Ok(self.get_known(ids, None).await?.owners)
    }

    /// Which of these businesses exist, and whether the organisation does, read strongly and together.
    pub async fn get_known(&self, ids: &[BusinessId], org_id: Option<OrgId>) -> Result<Known, Error> {
        let unique: HashSet<&BusinessId> = ids.iter().collect();
        let keys = unique.into_iter().map(business_pk).chain(org_id.map(org_pk)).map(key).collect();
        let items = self.db.get_batch(&schema::BUSINESSES, keys, &["id", "org_id"]).await?;
        let mut known = Known { owners: HashMap::with_capacity(ids.len()), has_org: org_id.is_none() };
        for item in items {
            let owned: OwnedItem = parse(item)?;
            match owned.org_id {
                Some(org_id) => known.owners.extend([owned.business(org_id)?]),
                None => known.has_org = true,
            }
        }
        Ok(known)
    }

    /// Where the reviews of each of these businesses that exists are counted, read strongly.
    pub async fn get_locations(&self, ids: &[BusinessId]) -> Result<HashMap<BusinessId, BusinessLocation>, Error> {
        self.business_items(ids, &["id", "org_id", "city"]).await?.into_iter().map(PlacedItem::read).collect()
    }

    /// These attributes of each of these businesses that exists, read strongly, each business once.
    async fn business_items(&self, ids: &[BusinessId], attributes: &[&'static str]) -> Result<Vec<Item>, Error> {
        let unique: HashSet<&BusinessId> = ids.iter().collect();
        let keys = unique.into_iter().map(|id| key(business_pk(id))).collect();
        self.db.get_batch(&schema::BUSINESSES, keys, attributes).await
    }

    /// The businesses of an organisation and where their reviews are counted, read from `city-index`, which lags.
    pub(super) async fn list_by_org(&self, org_id: OrgId) -> Result<Vec<(BusinessId, BusinessLocation)>, Error> {
        let partition = Partition {
            table: &schema::BUSINESSES,
            index: Some(&schema::CITY_INDEX),
            value: number(org_id.get()),
            between: None,
            page: PAGE,
            max_pages: MAX_PAGES,
        };
        self.db.query(partition).await?.into_iter().map(PlacedItem::read).collect()
    }

    /// Every organisation that has been imported, read strongly.
    pub(super) async fn list_orgs(&self) -> Result<Vec<OrgId>, Error> {
        let items = self.db.scan(&schema::BUSINESSES, PAGE, MAX_PAGES).await?;
        let org = |item: &Item| item.get("pk")?.as_s().ok()?.strip_prefix("ORG#")?.parse().ok().and_then(OrgId::new);
        Ok(items.iter().filter_map(org).collect())
    }

    /// Whether there is such an organisation, read strongly: one read unit.
    pub async fn has_org(&self, id: OrgId) -> Result<bool, Error> {
        Ok(self.db.get(&schema::BUSINESSES, key(org_pk(id))).await?.is_some())
    }

    /// Writes an organisation, unless it is already there.
    pub async fn put_org(&self, org: &Org) -> Result<PutOutcome, Error> {
        let row = OrgItem::from(org);
        let outcome = self.compare_item(&row.pk, &row).await?;
        self.put_unless_same(outcome, &row).await
    }

    /// What [`BusinessStore::put_org`] would do. Writes nothing.
    pub async fn compare_org(&self, org: &Org) -> Result<PutOutcome, Error> {
        let row = OrgItem::from(org);
        self.compare_item(&row.pk, &row).await
    }

    /// Writes a business, unless it is already there.
    pub async fn put(&self, business: &Business) -> Result<PutOutcome, Error> {
        let row = BusinessItem::from(business);
        let outcome = self.compare_item(&row.pk, &row).await?;
        self.put_unless_same(outcome, &row).await
    }

    /// What [`BusinessStore::put`] would do. Writes nothing.
    pub async fn compare(&self, business: &Business) -> Result<PutOutcome, Error> {
        let row = BusinessItem::from(business);
        self.compare_item(&row.pk, &row).await
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
            self.db.patiently(|| put.clone().send()).await?;
            self.db.note_progress();
        }
        Ok(outcome)
    }
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
        }
    }
}

fn key(pk: String) -> Item {
    HashMap::from([("pk".to_owned(), text(pk))])
}
