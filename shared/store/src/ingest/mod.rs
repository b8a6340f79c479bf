//! Progress of objects of reviews: the version of each object that was opened last, how far it is split, and which rows are settled.
//!
//! Items of the reviews table, which expire. `shared/docs/ingest.md` has the protocol.

mod registration;
mod segments;
mod split_progress;

use std::time::Duration;

use jiff::Timestamp;
use presence_domain::error::Error;
use presence_domain::ingest::ObjectVersion;

pub use registration::Registration;
pub use segments::Segment;
pub use split_progress::SplitProgress;

use crate::client::read::text;
use crate::client::tables::Condition;
use crate::{Database, schema};

/// Time for which progress is kept: longer than a message lives in the queue and in the dead-letter queue, 14 days each.
const LIFE: Duration = Duration::from_hours(30 * 24);
/// Start of the partition keys of all items of this module.
const PK_START: &str = "INGEST#";
/// Attribute that counts the changes of an item.
const REVISION: &str = "revision";

/// Progress of objects of reviews. Cheap to clone.
#[derive(Clone, Debug)]
pub struct IngestStore {
    db: Database,
}

impl IngestStore {
    /// Builds the store. Makes no call.
    pub fn new(database: &Database) -> Self {
        Self { db: database.clone() }
    }

    /// Copies the progress of all objects from the reviews table of `other`, by a strong scan. Items that are here already stay as they
    /// are. Returns the number of items that were copied. Interrupted, it is run again.
    pub async fn copy_progress_from(&self, other: &Database) -> Result<u64, Error> {
        let scan = other.dynamo.client.scan().table_name(other.name(&schema::REVIEWS)).consistent_read(true);
        let scan = scan.filter_expression("begins_with(pk, :start)");
        let scan = scan.expression_attribute_values(":start", text(PK_START.to_owned()));
        let (mut copied, mut next) = (0, None);
        // The scan ends with the table.
        loop {
            let page = scan.clone().set_exclusive_start_key(next);
            let page = other.retry_throttled(|| page.clone().send()).await?;
            for item in page.items.unwrap_or_default() {
                copied += u64::from(self.db.put_if(&schema::REVIEWS, item, Condition::NotThere).await?);
            }
            next = page.last_evaluated_key;
            if next.is_none() {
                return Ok(copied);
            }
        }
    }
}

/// Returns the partition with the progress and the segments of a version.
fn version_pk(ObjectVersion { object, etag, object_at }: &ObjectVersion) -> String {
    format!("{PK_START}{object_at}#{etag}#{object}")
}

/// Returns the instant at which an item that is written now expires, in seconds.
fn expiry(now: Timestamp) -> i64 {
    now.as_second().saturating_add(i64::try_from(LIFE.as_secs()).unwrap_or(i64::MAX))
}

/// Returns the condition that an item still has the revision that was read; without one, that it does not exist.
fn unchanged_since(revision: Option<u64>) -> Condition {
    revision.map_or(Condition::NotThere, |revision| Condition::NumberIs(REVISION, revision))
}

fn kept_changing() -> Error {
    Error::Unavailable("the report of an object kept changing".into())
}
