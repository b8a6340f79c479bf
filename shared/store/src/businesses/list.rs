//! Lists of organisations and businesses, page by page, for operators.

use serde::Deserialize;

use super::items::{BusinessItem, OrgItem};
use super::{Business, BusinessStore, Org, PAGE};
use crate::client::read::{Item, Partition, number};
use crate::format::{BUSINESS, ORG, kind_of, parse_as};
use crate::{ListPosition, schema};
use presence_domain::error::Error;
use presence_domain::ids::{BusinessId, OrgId};
use presence_domain::text::city_key;

/// Page of a list.
#[derive(Clone, Debug)]
pub struct ListPage<T> {
    /// Entries, none if the page has none of their kind.
    pub items: Vec<T>,
    /// Position of the next page; `None` after the last one.
    pub next: Option<ListPosition>,
}

/// Attributes of `city-index`.
#[derive(Deserialize)]
struct IndexedBusiness {
    id: String,
    org_id: u64,
    name: String,
    city: String,
}

impl BusinessStore {
    /// Returns a page of all organisations, in no order, by a strong scan of the businesses.
    pub async fn list_orgs_page(&self, start: Option<ListPosition>) -> Result<ListPage<Org>, Error> {
        let (items, next) = self.scan_kind(ORG, start).await?;
        let orgs =
            items.into_iter().map(|item| parse_as::<OrgItem>(ORG, item)?.into_org()).collect::<Result<_, _>>()?;
        Ok(ListPage { items: orgs, next })
    }

    /// Returns a page of all businesses, in no order, by a strong scan.
    pub async fn list_businesses_page(&self, start: Option<ListPosition>) -> Result<ListPage<Business>, Error> {
        let (items, next) = self.scan_kind(BUSINESS, start).await?;
        let business = |item| parse_as::<BusinessItem>(BUSINESS, item)?.into_business();
        Ok(ListPage { items: items.into_iter().map(business).collect::<Result<_, _>>()?, next })
    }

    /// Returns a page of the businesses of an organisation, ordered by city, in one city if it is given. It is read from
    /// `city-index`: a business that was imported a moment ago may be missing.
    pub async fn list_in_org(
        &self,
        org_id: OrgId,
        city: Option<&str>,
        start: Option<ListPosition>,
    ) -> Result<ListPage<Business>, Error> {
        self.list_in_city(org_id, city.map(city_key).as_deref(), start).await
    }

    /// Returns a page of the businesses of an organisation, as [`BusinessStore::list_in_org`], with the city as a
    /// [`city_key`].
    pub(crate) async fn list_in_city(
        &self,
        org_id: OrgId,
        city_key: Option<&str>,
        start: Option<ListPosition>,
    ) -> Result<ListPage<Business>, Error> {
        let partition = Partition {
            table: &schema::BUSINESSES,
            index: Some(&schema::CITY_INDEX),
            value: number(org_id.get()),
            // `~` sorts after every character of an id.
            between: city_key.map(|city| (format!("{city}#"), format!("{city}#~"))),
            page: PAGE,
            max_pages: 1,
        };
        let (items, next) = self.db.query_page(&partition, start.map(|ListPosition(key)| key)).await?;
        let business = |item| parse_as::<IndexedBusiness>(BUSINESS, item)?.into_business();
        let items = items.into_iter().map(business).collect::<Result<_, _>>()?;
        Ok(ListPage { items, next: next.map(ListPosition) })
    }

    async fn scan_kind(
        &self,
        kind: crate::format::Kind,
        start: Option<ListPosition>,
    ) -> Result<(Vec<Item>, Option<ListPosition>), Error> {
        let (mut items, next) =
            self.db.scan_page(&schema::BUSINESSES, PAGE, start.map(|ListPosition(key)| key)).await?;
        items.retain(|item| kind_of(&schema::BUSINESSES, item) == kind);
        Ok((items, next.map(ListPosition)))
    }
}

impl OrgItem {
    fn into_org(self) -> Result<Org, Error> {
        let id = self.id.parse().ok().and_then(OrgId::new);
        let id = id.ok_or_else(|| Error::internal("a stored organisation breaks the rules of its fields"))?;
        Ok(Org { id, name: self.name })
    }
}

impl BusinessItem {
    fn into_business(self) -> Result<Business, Error> {
        let Self { id, org_id, name, city, .. } = self;
        IndexedBusiness { id, org_id, name, city }.into_business()
    }
}

impl IndexedBusiness {
    fn into_business(self) -> Result<Business, Error> {
        let ids = BusinessId::parse(&self.id).zip(OrgId::new(self.org_id));
        let (id, org_id) = ids.ok_or_else(|| Error::internal("a stored business breaks the rules of its fields"))?;
        Ok(Business { id, org_id, name: self.name, city: self.city })
    }
}
