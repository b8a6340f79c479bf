//! Items of many users at once, for a load without transactions.

use std::collections::{BTreeMap, HashMap};

use aws_sdk_dynamodb::types::AttributeValue;
use presence_domain::error::Error;
use presence_domain::ids::OrgId;
use presence_domain::user::User;
use presence_domain::user_directory::DirectoryHead;

use super::items::reservation_item;
use crate::UserStore;
use crate::users::directory_heads;
use crate::users::item::to_item;

impl UserStore {
    /// Returns all items of the users table for these users, heads included, to load many at once into an empty table. The users must
    /// have distinct ids and addresses, and no keys.
    pub fn to_items(&self, users: &[User]) -> Result<Vec<HashMap<String, AttributeValue>>, Error> {
        let mut sums: BTreeMap<Option<OrgId>, DirectoryHead> = BTreeMap::new();
        let mut items = Vec::with_capacity(users.len() * 2);
        for user in users {
            let sum = sums.entry(user.org_id).or_default();
            *sum = *sum + DirectoryHead::of(user);
            items.push(to_item(user, None)?);
            items.push(reservation_item(user.email.key(), user.id));
        }
        items.extend(sums.into_iter().map(|(org_id, head)| directory_heads::to_item(org_id, &head)));
        Ok(items)
    }
}
