//! State of `listing-index`: a new index lists nothing, then a part of the reviews, and all of them once it is active.

use aws_sdk_dynamodb::types::{GlobalSecondaryIndexDescription, IndexStatus};

use crate::ReviewStore;
use crate::schema::{LISTING_INDEX, REVIEWS};
use presence_domain::error::Error;

impl ReviewStore {
    /// Checks that `listing-index` lists every review.
    pub(super) async fn check_listing_index(&self) -> Result<(), Error> {
        let describe = self.db.client.describe_table().table_name(self.db.name(&REVIEWS));
        let table = self.db.retry_throttled(|| describe.clone().send()).await?.table;
        let indexes = table.and_then(|table| table.global_secondary_indexes).unwrap_or_default();
        let index = indexes.iter().find(|index| index.index_name() == Some(LISTING_INDEX.name));
        match index.map(is_complete) {
            Some(true) => Ok(()),
            Some(false) => Err(unavailable("listing-index is still being built: run `ops migrate` when it is active")),
            None => Err(unavailable("the reviews table has no listing-index: deploy the table first")),
        }
    }
}

fn is_complete(index: &GlobalSecondaryIndexDescription) -> bool {
    let is_active = index.index_status().is_none_or(|status| *status == IndexStatus::Active);
    is_active && !index.backfilling().unwrap_or_default()
}

fn unavailable(text: &'static str) -> Error {
    Error::Unavailable(text.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn index_is_complete_once_it_is_active_and_filled() {
        let index = |status, backfilling| {
            GlobalSecondaryIndexDescription::builder().index_status(status).set_backfilling(backfilling).build()
        };
        assert!(is_complete(&index(IndexStatus::Active, None)));
        assert!(is_complete(&index(IndexStatus::Active, Some(false))));
        for (status, backfilling) in
            [(IndexStatus::Active, true), (IndexStatus::Creating, true), (IndexStatus::Creating, false)]
        {
            assert!(!is_complete(&index(status, Some(backfilling))));
        }
    }
}
