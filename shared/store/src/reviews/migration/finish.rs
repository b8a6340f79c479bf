//! End of the migration: the items of the first edition are deleted.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::{DeleteRequest, WriteRequest};

use crate::client::parallel::parallel;
use crate::client::read::{Item, text};
use crate::keys::{COUNTS_PK_PREFIX, POSTINGS_PK_PREFIX};
use crate::{ReviewStore, schema};
use presence_domain::error::Error;

/// Items that a page of the Scan looks at. Most of them are reviews, of which only the keys are sent.
const PAGE: i32 = 1_000;
/// Number of deletes in one `BatchWriteItem`: the limit of `DynamoDB`.
const BATCH: usize = 25;
/// Batches in flight: far below the capacity of a partition, so that the service is not slowed down.
const BATCHES_IN_FLIGHT: u16 = 4;

impl ReviewStore {
    /// Deletes the items of the first edition of the ledger. Returns their number. A dry run counts them.
    ///
    /// Can be repeated after an interruption: what is left is deleted.
    ///
    /// # Errors
    /// Occurs also while an organisation is not migrated. Nothing is deleted then.
    pub async fn delete_first_edition(&self, dry_run: bool) -> Result<u64, Error> {
        if let Some(org_id) = self.list_unmigrated().await?.first() {
            let text =
                format!("the reviews of organisation {org_id} are not in the ledger yet: run `ops migrate` first");
            return Err(Error::Unavailable(text.into()));
        }
        let (mut deleted, mut start) = (0, None);
        loop {
            let (keys, next) = self.scan_first_edition(start).await?;
            deleted += keys.len() as u64;
            if !dry_run {
                let batches = keys.chunks(BATCH).map(|keys| self.delete_batch(keys));
                parallel(BATCHES_IN_FLIGHT, batches).await?;
                self.db.note_progress();
            }
            start = next;
            if start.is_none() {
                return Ok(deleted);
            }
        }
    }

    /// Returns the keys of items of the first edition in a page of the table, and where the next page starts.
    async fn scan_first_edition(&self, start: Option<Item>) -> Result<(Vec<Item>, Option<Item>), Error> {
        let scan = self.db.client.scan().table_name(self.db.name(&schema::REVIEWS)).limit(PAGE);
        let scan = scan
            .set_exclusive_start_key(start)
            .filter_expression("begins_with(pk, :counts) OR begins_with(pk, :postings)")
            .expression_attribute_values(":counts", text(COUNTS_PK_PREFIX))
            .expression_attribute_values(":postings", text(POSTINGS_PK_PREFIX))
            .projection_expression("pk, sk");
        let page = self.db.retry_throttled(|| scan.clone().send()).await?;
        Ok((page.items.unwrap_or_default(), page.last_evaluated_key))
    }

    async fn delete_batch(&self, keys: &[Item]) -> Result<(), Error> {
        let mut deletes = Vec::with_capacity(keys.len());
        for key in keys {
            let delete = DeleteRequest::builder().set_key(Some(key.clone())).build().map_err(Error::internal)?;
            deletes.push(WriteRequest::builder().delete_request(delete).build());
        }
        let mut left = HashMap::from([(self.db.name(&schema::REVIEWS), deletes)]);
        let mut retries = self.db.retries();
        loop {
            let write = || self.db.client.batch_write_item().set_request_items(Some(left.clone())).send();
            let written = self.db.retry_throttled(write).await?;
            left = written.unprocessed_items.unwrap_or_default();
            if left.values().all(Vec::is_empty) {
                return Ok(());
            }
            if !retries.pause().await {
                return Err(Error::Unavailable("DynamoDB left items of a batch undeleted".into()));
            }
        }
    }
}
