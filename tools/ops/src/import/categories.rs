//! Rows of categories.

use presence_domain::category::{Category, CategoryRow, MAX_DIRECTORY_BYTES};
use presence_domain::error::Error;
use presence_store::CategoryImport;
use tokio::sync::MutexGuard;

use super::rows::{Row, Tables, Verdict};

impl Row for Category {
    type Raw = CategoryRow;
    const PLURAL: &str = "categories";

    fn parse(raw: CategoryRow) -> Result<Self, String> {
        raw.read()
    }

    fn key(&self) -> String {
        self.id.as_str().to_owned()
    }

    async fn put(self, tables: &Tables) -> Result<Verdict, Error> {
        let mut import = under_way(tables).await?;
        let Some(import) = import.as_mut() else { return Err(Error::internal("the import of categories has ended")) };
        let full =
            || format!("the directory is full: all categories together have at most {MAX_DIRECTORY_BYTES} bytes");
        Ok(import.put(self).await?.map_or_else(|| Verdict::Rejected(full()), Verdict::Put))
    }

    async fn finish(tables: &Tables) -> Result<(), Error> {
        match under_way(tables).await?.take() {
            Some(import) => import.publish().await,
            None => Ok(()),
        }
    }
}

/// The import, begun if it is not yet. Rows go in one after the other.
async fn under_way(tables: &Tables) -> Result<MutexGuard<'_, Option<CategoryImport>>, Error> {
    let mut import = tables.categories.lock().await;
    if import.is_none() {
        *import = Some(tables.store.begin_category_import(tables.dry_run).await?);
    }
    Ok(import)
}
