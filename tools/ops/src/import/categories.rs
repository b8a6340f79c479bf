//! Rows of categories. They are stored together when the import ends.

use presence_domain::category::{Category, CategoryRow, MAX_DIRECTORY_BYTES};
use presence_domain::error::Error;
use presence_store::CategoryImport;
use tokio::sync::MutexGuard;

use super::context::ImportContext;
use super::kind::ImportKind;
use super::row::{Row, RowOutcome};

impl Row for Category {
    type Raw = CategoryRow;
    const KIND: ImportKind = ImportKind::Categories;
    const IS_ATOMIC: bool = true;

    fn from_raw(raw: CategoryRow) -> Result<Self, String> {
        raw.read()
    }

    fn key(&self) -> String {
        self.id.as_str().to_owned()
    }

    async fn write(self, context: &ImportContext) -> Result<RowOutcome, Error> {
        let mut import = lock_import(context).await?;
        let Some(import) = import.as_mut() else { return Err(Error::internal("the import of categories has ended")) };
        Ok(match import.put(self).await? {
            Some(outcome) => RowOutcome::Accepted(outcome),
            None => RowOutcome::Rejected(format!(
                "the directory is full: all categories together have at most {MAX_DIRECTORY_BYTES} bytes"
            )),
        })
    }

    async fn finish(context: &ImportContext) -> Result<(), Error> {
        match lock_import(context).await?.take() {
            Some(import) => import.publish().await,
            None => Ok(()),
        }
    }
}

/// Locks the import of categories, and begins it for the first row. The lock makes the rows go in one after the other.
async fn lock_import(context: &ImportContext) -> Result<MutexGuard<'_, Option<CategoryImport>>, Error> {
    let mut import = context.category_import.lock().await;
    if import.is_none() {
        *import = Some(context.stores.categories.begin_import(context.dry_run).await?);
    }
    Ok(import)
}
