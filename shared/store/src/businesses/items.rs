//! Items of organisations and businesses, and the attributes of them that reads ask for.

use serde::{Deserialize, Serialize};

use super::{Business, BusinessLocation, Org, ReviewLocation};
use crate::client::attributes::with_attributes;
use crate::client::read::Item;
use crate::format::{BUSINESS, parse_as};
use crate::keys::{business_pk, city_listing, org_pk};
use presence_domain::error::Error;
use presence_domain::ids::{BusinessId, OrgId};
use presence_domain::text::city_key;

#[derive(Serialize, Deserialize, PartialEq)]
pub(super) struct OrgItem {
    pub(super) pk: String,
    pub(super) id: String,
    pub(super) name: String,
}

#[derive(Serialize, Deserialize, PartialEq)]
pub(super) struct BusinessItem {
    pub(super) pk: String,
    pub(super) id: String,
    pub(super) org_id: u64,
    pub(super) name: String,
    pub(super) city: String,
    pub(super) city_listing: String,
    /// Other organisation that has, or may have, some of its reviews: the next one before a move, the last one afterwards.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) other_org_id: Option<u64>,
    /// Number of the entry in the log of changes that announced the last change; 0 before the first one.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) revision: u64,
}

with_attributes! {
    /// Attributes that tell the owner of a business.
    #[derive(Deserialize)]
    pub(super) struct OwnedItem {
        id: String,
        /// None in the item of an organisation.
        pub(super) org_id: Option<u64>,
    }
}

impl OwnedItem {
    pub(super) fn business(self, org_id: u64) -> Result<(BusinessId, OrgId), Error> {
        let (id, org) = (BusinessId::parse(&self.id), OrgId::new(org_id));
        id.zip(org).ok_or_else(|| Error::internal("a stored business breaks the rules of its fields"))
    }
}

with_attributes! {
    /// Attributes that tell the location of a business.
    #[derive(Deserialize)]
    pub(super) struct LocatedItem {
        id: String,
        org_id: u64,
        city: String,
        other_org_id: Option<u64>,
        #[serde(default)]
        revision: u64,
    }
}

impl LocatedItem {
    pub(super) fn read(item: Item) -> Result<(BusinessId, BusinessLocation), Error> {
        Self::read_with_other(item).map(|(id, found)| (id, found.location))
    }

    pub(super) fn read_with_other(item: Item) -> Result<(BusinessId, ReviewLocation), Error> {
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
