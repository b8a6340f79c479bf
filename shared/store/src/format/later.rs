//! Look for items of a later format, for the operator.

use super::{check, kind_of};
use crate::Database;
use crate::schema::{CATEGORIES, USERS};
use presence_domain::error::Error;

/// Items in one page of a Scan.
const PAGE: i32 = 1_000;

impl Database {
    /// Checks that this version knows the format of every item of the users and of the categories. Reads both tables.
    ///
    /// # Errors
    /// [`Error::Unavailable`] also for an item that a later version wrote.
    pub async fn check_formats(&self) -> Result<(), Error> {
        for table in [&USERS, &CATEGORIES] {
            let mut start = None;
            loop {
                let (items, next) = self.scan_page(table, PAGE, start).await?;
                items.iter().try_for_each(|item| check(kind_of(table, item), item))?;
                start = next;
                if start.is_none() {
                    break;
                }
            }
        }
        Ok(())
    }
}
