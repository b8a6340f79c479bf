//! Item of an API key.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::client::read::Item;
use crate::format::{KEY, item_as, parse_as};
use presence_domain::access::Principal;
use presence_domain::api_key::{ApiKeyHash, ApiKeyId};
use presence_domain::error::Error;
use presence_domain::ids::{OrgId, UserId};
use presence_domain::key_rights::{AllowedNetworks, KeyAccess, KeyRights, LISTED_AFTER_END};
use presence_domain::rate_limit::KeyLimit;
use presence_domain::user::{Role, Status, User};

/// Stored record of an API key. It holds the hash of the key, never the key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiKeyRecord {
    /// SHA-256 of the key.
    pub hash: ApiKeyHash,
    /// User that owns the key.
    pub user_id: UserId,
    /// Organisation of the owner.
    pub org_id: Option<OrgId>,
    /// Role of the owner.
    pub role: Role,
    /// True if the owner is active.
    pub active: bool,
    /// Name given by the operator.
    pub label: Option<String>,
    /// Instant of issue.
    pub created_at: Timestamp,
    /// Operations that it may call.
    pub access: KeyAccess,
    /// Networks from which it may be called.
    pub networks: AllowedNetworks,
    /// Instant from which it gives no access.
    pub expires_at: Option<Timestamp>,
    /// Last use, to the hour.
    pub last_used_at: Option<Timestamp>,
    /// Instant of revocation.
    pub revoked_at: Option<Timestamp>,
    /// Limit of its requests.
    pub limit: KeyLimit,
}

#[derive(Serialize, Deserialize)]
struct ApiKeyItem {
    key_hash: String,
    user_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    org_id: Option<u64>,
    role: String,
    active: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    /// Missing in a key that may do all that its owner may.
    #[serde(skip_serializing_if = "Option::is_none")]
    access: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    networks: Vec<String>,
    // All instants: milliseconds since 1970.
    created_at: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_used_at: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    revoked_at: Option<i64>,
    /// Requests a minute; 0 for no limit. A key without it has the default.
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<u32>,
}

impl ApiKeyRecord {
    /// Returns the record of a new key of a user.
    pub(crate) fn new(hash: ApiKeyHash, owner: &User, now: Timestamp) -> Self {
        Self {
            hash,
            user_id: owner.id,
            org_id: owner.org_id,
            role: owner.role,
            active: owner.status == Status::Active,
            label: None,
            created_at: now,
            access: KeyAccess::All,
            networks: AllowedNetworks::default(),
            expires_at: None,
            last_used_at: None,
            revoked_at: None,
            limit: KeyLimit::Default,
        }
    }

    /// Returns the name that operators and logs use.
    pub fn id(&self) -> ApiKeyId {
        ApiKeyId::new(self.user_id, &self.hash)
    }

    /// True if the key is neither revoked nor expired.
    pub fn is_live(&self, now: Timestamp) -> bool {
        self.revoked_at.is_none() && self.expires_at.is_none_or(|expires_at| now < expires_at)
    }

    /// Returns the rights that the key has beyond those of its owner.
    pub fn rights(&self) -> KeyRights {
        let Self { access, expires_at, limit, .. } = *self;
        KeyRights { access, networks: self.networks.clone(), expires_at, limit }
    }

    /// Returns the instant at which the key ended; `None` for a live one.
    pub fn ended_at(&self, now: Timestamp) -> Option<Timestamp> {
        let ends = [self.revoked_at, self.expires_at.filter(|expires_at| *expires_at <= now)];
        ends.into_iter().flatten().min()
    }

    /// True if the key is live, or ended so lately that its owner still sees it.
    pub fn is_listed(&self, now: Timestamp) -> bool {
        self.ended_at(now).is_none_or(|ended_at| now.duration_since(ended_at) < LISTED_AFTER_END)
    }

    /// Returns the principal of the key; `None` if the key gives no access.
    pub fn principal(&self, now: Timestamp) -> Option<Principal> {
        let gives_access = self.active && self.is_live(now);
        gives_access.then_some(Principal { user_id: self.user_id, org_id: self.org_id, role: self.role })
    }

    pub(crate) fn read(item: Item) -> Result<Self, Error> {
        let stored: ApiKeyItem = parse_as(KEY, item)?;
        record(stored).ok_or_else(|| Error::internal("a stored key breaks the rules of its fields"))
    }

    pub(crate) fn to_item(&self) -> Result<Item, Error> {
        let milliseconds = |instant: Option<Timestamp>| instant.map(Timestamp::as_millisecond);
        let item = ApiKeyItem {
            key_hash: self.hash.as_hex(),
            user_id: self.user_id.to_string(),
            org_id: self.org_id.map(OrgId::get),
            role: self.role.as_str().to_owned(),
            active: self.active,
            label: self.label.clone(),
            access: (self.access != KeyAccess::All).then(|| self.access.as_str().to_owned()),
            networks: self.networks.to_texts(),
            created_at: self.created_at.as_millisecond(),
            expires_at: milliseconds(self.expires_at),
            last_used_at: milliseconds(self.last_used_at),
            revoked_at: milliseconds(self.revoked_at),
            limit: self.limit.number(),
        };
        item_as(KEY, &item)
    }
}

fn record(stored: ApiKeyItem) -> Option<ApiKeyRecord> {
    let instant = |milliseconds: Option<i64>| match milliseconds {
        Some(milliseconds) => Timestamp::from_millisecond(milliseconds).ok().map(Some),
        None => Some(None),
    };
    Some(ApiKeyRecord {
        hash: ApiKeyHash::from_hex(&stored.key_hash)?,
        user_id: UserId::parse(&stored.user_id)?,
        org_id: match stored.org_id {
            Some(number) => Some(OrgId::new(number)?),
            None => None,
        },
        role: Role::parse(&stored.role)?,
        active: stored.active,
        label: stored.label,
        access: stored.access.map_or(Some(KeyAccess::All), |text| KeyAccess::parse(&text))?,
        networks: AllowedNetworks::parse(stored.networks.iter().map(String::as_str)).ok()?,
        created_at: Timestamp::from_millisecond(stored.created_at).ok()?,
        expires_at: instant(stored.expires_at)?,
        last_used_at: instant(stored.last_used_at)?,
        revoked_at: instant(stored.revoked_at)?,
        limit: stored.limit.map_or(Some(KeyLimit::Default), KeyLimit::from_number)?,
    })
}
