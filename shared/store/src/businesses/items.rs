//! Items of organisations and businesses, and the attributes of them that reads ask for.

use std::collections::BTreeSet;

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
    /// Organisations that may have reviews of it elsewhere than in its place, while it moves.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub(super) leaving: BTreeSet<u64>,
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
        #[serde(default)]
        leaving: BTreeSet<u64>,
        #[serde(default)]
        revision: u64,
    }
}

impl LocatedItem {
    pub(super) fn read(item: Item) -> Result<(BusinessId, BusinessLocation), Error> {
        Self::read_with_move(item).map(|(id, found)| (id, found.location))
    }

    pub(super) fn read_with_move(item: Item) -> Result<(BusinessId, ReviewLocation), Error> {
        let located: Self = parse_as(BUSINESS, item)?;
        let (id, org_id) = (BusinessId::parse(&located.id), OrgId::new(located.org_id));
        let found = org_id.map(|org_id| ReviewLocation {
            location: BusinessLocation { org_id, city_key: city_key(&located.city) },
            city: located.city,
            leaving: located.leaving.into_iter().filter_map(OrgId::new).collect(),
            revision: located.revision,
        });
        id.zip(found).ok_or_else(|| Error::internal("a stored business breaks the rules of its fields"))
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(revision: &u64) -> bool {
    *revision == 0
}

impl BusinessItem {
    /// Returns the place of the business.
    pub(super) fn location(&self) -> Result<BusinessLocation, Error> {
        let org_id = OrgId::new(self.org_id);
        let org_id = org_id.ok_or_else(|| Error::internal("a stored business breaks the rules of its fields"))?;
        Ok(BusinessLocation { org_id, city_key: city_key(&self.city) })
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
            leaving: BTreeSet::new(),
            revision: 0,
        }
    }
}
