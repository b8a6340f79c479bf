//! Origin of an invitation: the names of the organisation and of the person who invites.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::KeysAndAttributes;

use super::OutboxStore;
use crate::client::read::{Item, pk_sk, text};
use crate::keys::{USER_SK, org_pk, user_pk};
use crate::schema::{BUSINESSES, Table, USERS};
use presence_domain::error::Error;
use presence_domain::ids::{OrgId, UserId};
use presence_domain::invitation::InvitationOrigin;

/// Attributes that are read: those of a user, and that of an organisation.
const ATTRIBUTES: [&str; 3] = ["first_name", "last_name", "name"];

impl OutboxStore {
    /// Returns the names of an organisation and of the person who invites, as far as they are given and exist. Makes one call at
    /// most, which costs half a unit for each name. The names may be a second old.
    pub async fn get_origin(
        &self,
        org_id: Option<OrgId>,
        invited_by: Option<UserId>,
    ) -> Result<InvitationOrigin, Error> {
        let org = org_id.map(|id| self.wanted(&BUSINESSES, Item::from([("pk".to_owned(), text(org_pk(id)))])));
        let inviter = invited_by.map(|id| self.wanted(&USERS, pk_sk(user_pk(id), USER_SK)));
        let wanted: HashMap<_, _> = org.into_iter().chain(inviter).collect::<Result<_, Error>>()?;
        if wanted.is_empty() {
            return Ok(InvitationOrigin::default());
        }
        let items = self.db.get_keys(wanted).await?;
        let of = |table| items.get(&self.db.name(table)).and_then(|items| items.first());
        let organisation = of(&BUSINESSES).and_then(|item| text_of(item, "name"));
        let inviter = of(&USERS).and_then(|item| Some((text_of(item, "first_name")?, text_of(item, "last_name")?)));
        Ok(InvitationOrigin { organisation, inviter })
    }

    /// Returns the name of a table, and what to read of one item in it.
    fn wanted(&self, table: &Table, key: Item) -> Result<(String, KeysAndAttributes), Error> {
        let names = ATTRIBUTES.map(|name| (format!("#{name}"), name.to_owned()));
        let projection = ATTRIBUTES.map(|name| format!("#{name}")).join(",");
        let wanted = KeysAndAttributes::builder()
            .keys(key)
            .projection_expression(projection)
            .set_expression_attribute_names(Some(names.into()));
        Ok((self.db.name(table), wanted.build().map_err(Error::internal)?))
    }
}

fn text_of(item: &Item, attribute: &str) -> Option<String> {
    item.get(attribute)?.as_s().ok().cloned()
}
