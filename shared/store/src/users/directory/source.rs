//! Reads of a directory from the tables.

use std::time::Duration;

use super::refresh::{ChangePage, DirectorySource};
use crate::client::read::{Item, pk_sk, text};
use crate::keys::{USER_SK, org_key, user_pk};
use crate::users::{LISTED, ListedItem, add_listed, listed_in};
use crate::{UserStore, schema};
use presence_domain::error::Error;
use presence_domain::ids::{OrgId, UserId};
use presence_domain::user_directory::{DirectoryHead, ListedUser, UserDirectory, UserDirectoryBuilder};

/// Number of users in one page of a Query. They fill about the 1 MB that DynamoDB returns at a time. The SDK takes some 10 MB for such a
/// page, until it is added to the directory.
const PAGE: i32 = 4_000;
/// Maximum number of pages: enough for a million users of one organisation, also in short pages.
const MAX_PAGES: usize = 4_000;
/// Pause before an index that lags is read again. It doubles each time. An index lags for milliseconds, rarely for a second.
const LAG_PAUSE: Duration = Duration::from_millis(20);
/// Maximum number of users for which memory is reserved in advance, whatever the head says.
const MAX_CAPACITY: usize = 1_000_000;

/// Users of one organisation in the tables.
pub(super) struct TableSource<'a> {
    pub(super) store: &'a UserStore,
    pub(super) org_id: Option<OrgId>,
}

impl DirectorySource for TableSource<'_> {
    type Cursor = Item;

    async fn get_head(&self) -> Result<DirectoryHead, Error> {
        self.store.get_head(self.org_id).await
    }

    async fn list_changes(&self, limit: usize, before: Option<Item>) -> Result<ChangePage<Item>, Error> {
        self.store.list_changes(self.org_id, limit, before).await
    }

    async fn get_users(&self, ids: Vec<UserId>) -> Result<Vec<ListedUser>, Error> {
        let keys = ids.into_iter().map(|id| pk_sk(user_pk(id), USER_SK)).collect();
        let items = self.store.db.get_batch(&schema::USERS, keys, ListedItem::ATTRIBUTES).await?;
        let users = items.into_iter().map(|item| listed_in(item, self.org_id));
        users.filter_map(Result::transpose).collect()
    }

    async fn read_index(&self, head: DirectoryHead) -> Result<UserDirectory, Error> {
        // The cached directory is of no use any more. Its memory is freed before the new one takes its place.
        self.store.directory_cache.remove(self.org_id);
        if head.count() == 0 {
            return Ok(UserDirectory::default());
        }
        let users = usize::try_from(head.count()).unwrap_or_default().min(MAX_CAPACITY);
        let mut builder = UserDirectoryBuilder::with_capacity(users);
        let mut start = None;
        for _ in 0..MAX_PAGES {
            let (page, next) = self.get_index_page(start).await?;
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

impl TableSource<'_> {
    /// Reads one page of the index, with the attributes that a directory keeps.
    async fn get_index_page(&self, start: Option<Item>) -> Result<(Vec<Item>, Option<Item>), Error> {
        let (partition, index) = (schema::STATUS_INDEX.key.partition.0, schema::STATUS_INDEX.name);
        let mut query = self
            .store
            .db
            .dynamo
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
        let query = query.projection_expression(names.join(","));
        let page = self.store.db.retry_throttled(|| query.clone().send()).await?;
        Ok((page.items.unwrap_or_default(), page.last_evaluated_key))
    }
}
