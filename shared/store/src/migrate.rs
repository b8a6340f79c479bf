//! Migration of items from earlier formats to the present ones.

use std::collections::BTreeMap;

use aws_sdk_dynamodb::operation::put_item::builders::PutItemFluentBuilder;
use serde::Serialize;

use crate::Database;
use crate::categories::rewritten as rewritten_category;
use crate::client::errors::is_condition_failed;
use crate::client::parallel::parallel;
use crate::client::read::Item;
use crate::format::{ANY, CATEGORY, FORMAT, Kind, USER, check, format_of, kind_of, kinds};
use crate::schema::{TABLES, Table};
use crate::users::rewritten as rewritten_user;
use presence_domain::error::Error;

/// Items in one page of a Scan.
const PAGE: i32 = 1_000;
/// Writes in flight: far below the capacity of a partition, so that the service is not slowed down.
const IN_FLIGHT: u16 = 8;

/// Numbers of items of one kind, by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct MigrationCounts {
    /// Items that had the present format already.
    pub current: u64,
    /// Items that were rewritten, or would be in a dry run.
    pub rewritten: u64,
    /// Items that changed meanwhile and are left alone. The version that changed them wrote the present format.
    pub overtaken: u64,
    /// Items that cannot be read and are left alone.
    pub unreadable: u64,
}

enum Outcome {
    Rewritten,
    Overtaken,
    Unreadable,
}

impl Database {
    /// Rewrites each item of an earlier format, on the condition that it has not changed since it was read. Returns counts by kind.
    ///
    /// Scans only tables in which a kind has more than one format. Can be repeated after an interruption. A dry run writes nothing.
    pub async fn migrate(&self, dry_run: bool) -> Result<BTreeMap<&'static str, MigrationCounts>, Error> {
        let mut counts = BTreeMap::new();
        for table in TABLES.iter().filter(|table| kinds(table).iter().any(has_formats)) {
            self.migrate_table(table, dry_run, &mut counts).await?;
        }
        Ok(counts)
    }

    async fn migrate_table(
        &self,
        table: &Table,
        dry_run: bool,
        counts: &mut BTreeMap<&'static str, MigrationCounts>,
    ) -> Result<(), Error> {
        for kind in kinds(table).iter().filter(|kind| has_formats(kind)) {
            counts.entry(kind.name).or_default();
        }
        let mut start = None;
        loop {
            let (items, next) = self.scan_page(table, PAGE, start).await?;
            let mut old = Vec::new();
            for item in items {
                let kind = kind_of(table, &item);
                check(kind, &item)?;
                match counts.get_mut(kind.name) {
                    Some(counts) if format_of(&item) >= kind.current_from => counts.current += 1,
                    Some(_) => old.push((kind, item)),
                    None => {}
                }
            }
            let writes = old.into_iter().map(|(kind, item)| async move {
                self.migrate_item(table, kind, item, dry_run).await.map(|outcome| (kind, outcome))
            });
            for (kind, outcome) in parallel(IN_FLIGHT, writes).await? {
                let counts = counts.entry(kind.name).or_default();
                match outcome {
                    Outcome::Rewritten => counts.rewritten += 1,
                    Outcome::Overtaken => counts.overtaken += 1,
                    Outcome::Unreadable => counts.unreadable += 1,
                }
            }
            start = next;
            if start.is_none() {
                return Ok(());
            }
        }
    }

    async fn migrate_item(&self, table: &Table, kind: Kind, old: Item, dry_run: bool) -> Result<Outcome, Error> {
        let rewritten = match kind {
            USER => rewritten_user(old.clone()),
            CATEGORY => rewritten_category(old.clone()),
            Kind { name, .. } => return Err(Error::internal(format!("there is no way to rewrite a {name}"))),
        };
        let Ok(new) = rewritten else { return Ok(Outcome::Unreadable) };
        if dry_run {
            return Ok(Outcome::Rewritten);
        }
        let put = self.client.put_item().table_name(self.name(table)).set_item(Some(new));
        let put = &if_unchanged(put, old);
        let write = || async move {
            match put.clone().send().await {
                Ok(_) => Ok(Outcome::Rewritten),
                Err(error) if is_condition_failed(&error) => Ok(Outcome::Overtaken),
                Err(error) => Err(error),
            }
        };
        self.retry_throttled(write).await
    }
}

/// Adds the condition that every attribute is unchanged. A new attribute would come with another version or format.
fn if_unchanged(put: PutItemFluentBuilder, old: Item) -> PutItemFluentBuilder {
    let (mut put, mut conditions) = (put, Vec::new());
    if !old.contains_key(FORMAT) {
        conditions.push("attribute_not_exists(#format)".to_owned());
        put = put.expression_attribute_names("#format", FORMAT);
    }
    for (number, (name, value)) in old.into_iter().enumerate() {
        conditions.push(format!("#{number} = :{number}"));
        put = put
            .expression_attribute_names(format!("#{number}"), name)
            .expression_attribute_values(format!(":{number}"), value);
    }
    put.condition_expression(conditions.join(" AND "))
}

fn has_formats(kind: &Kind) -> bool {
    kind.current_from > ANY.current_from
}
