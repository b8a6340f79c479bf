//! Reads the directory of an organisation from the tables.

use std::sync::Arc;
use std::time::Duration;

use super::follow::{ChangePage, Source};
use crate::client::errors::failed;
use crate::client::read::{Item, pk_sk, text};
use crate::keys::{USER_SK, org_key, user_pk};
use crate::users::{LISTED, ListedItem, add_listed, listed_in};
use crate::{UserStore, schema};
use struct_field_names_as_array::FieldNamesAsArray as _;

use presence_domain::directory::{Directory, DirectoryBuilder, ListedUser};
use presence_domain::error::Error;
use presence_domain::ids::{OrgId, UserId};
use presence_domain::roster::Roster;

/// Users in one page of a Query. Read by the SDK, a page of so many takes some 10 MB while it becomes compact: they fill about
/// the 1 MB that DynamoDB returns at a time.
const PAGE: i32 = 4_000;
/// Pages at the most: a million users of one organisation, with room for short pages.
const MAX_PAGES: usize = 4_000;
/// The pause before an index that lags is read again; it doubles. An index lags for milliseconds, rarely for a second.
const LAG_PAUSE: Duration = Duration::from_millis(20);
/// Users for which memory is set aside at the beginning: whatever a roster says, not more than the bound on pages.
const MAX_CAPACITY: usize = 1_000_000;

/// The users of one organisation, in the tables.
pub(super) struct Tables<'a> {
    pub(super) store: &'a UserStore,
    pub(super) org_id: Option<OrgId>,
}

impl Source for Tables<'_> {
    type Cursor = Item;

    async fn head(&self) -> Result<Roster, Error> {
        self.store.roster(self.org_id).await
    }

    async fn changes(&self, limit: usize, before: Option<Item>) -> Result<ChangePage<Item>, Error> {
        self.store.changes(self.org_id, limit, before).await
    }

    async fn users(&self, ids: Vec<UserId>) -> Result<Vec<ListedUser>, Error> {
        let keys = ids.into_iter().map(|id| pk_sk(user_pk(id), USER_SK)).collect();
        let items = self.store.db.get_batch(&schema::USERS, keys, &ListedItem::FIELD_NAMES_AS_ARRAY).await?;
        let users = items.into_iter().map(|item| listed_in(item, self.org_id));
        users.filter_map(Result::transpose).collect()
    }

    async fn listed(&self, head: Roster) -> Result<Directory, Error> {
        // What is in memory is of no use any more: its place is taken by what is read now.
        self.store.directories.forget(self.org_id);
        if head.count() == 0 {
            return Ok(Directory::default());
        }
        let users = usize::try_from(head.count()).unwrap_or_default().min(MAX_CAPACITY);
        let mut builder = DirectoryBuilder::with_capacity(users);
        let mut start = None;
        for _ in 0..MAX_PAGES {
            let (page, next) = self.listed_page(start).await?;
            for item in page {
                add_listed(&item, &mut builder)?;
            }
            start = next;
            if start.is_none() {
                return Ok(builder.finish());
            }
        }
        Err(Error::internal("an organisation is larger than the bound on its pages"))
    }

    async fn pause(&self, retry: u32) {
        tokio::time::sleep(LAG_PAUSE * (1 << retry)).await;
    }
}

impl Tables<'_> {
    /// One page of the index, with the attributes that a directory keeps.
    async fn listed_page(&self, start: Option<Item>) -> Result<(Vec<Item>, Option<Item>), Error> {
        let (partition, index) = (schema::STATUS_INDEX.key.partition.0, schema::STATUS_INDEX.name);
        let mut query = self
            .store
            .db
            .client
            .query()
            .table_name(self.store.db.name(&schema::USERS))
            .index_name(index)
            .consistent_read(false)
            .key_condition_expression("#partition = :partition")
            .expression_attribute_names("#partition", partition)
            .expression_attribute_values(":partition", text(org_key(self.org_id)))
            .limit(PAGE)
            .set_exclusive_start_key(start);
        let names: Vec<String> = (0..LISTED.len()).map(|number| format!("#{number}")).collect();
        for (name, attribute) in names.iter().zip(LISTED) {
            query = query.expression_attribute_names(name, attribute);
        }
        let page = query.projection_expression(names.join(",")).send().await.map_err(failed)?;
        Ok((page.items.unwrap_or_default(), page.last_evaluated_key))
    }
}

impl UserStore {
    /// Returns the directory by what is read now, with `last` to begin with.
    pub(super) async fn read_directory(
        &self,
        org_id: Option<OrgId>,
        last: Option<Arc<Directory>>,
        head: Roster,
    ) -> Result<Arc<Directory>, Error> {
        Box::pin(super::follow::current(&Tables { store: self, org_id }, last, head)).await
    }
}
