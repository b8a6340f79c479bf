//! Restore of tables to an earlier instant, under new names: `DynamoDB`'s point-in-time recovery, and the settings that a restored
//! table does not take over.

use aws_sdk_dynamodb::error::{ProvideErrorMetadata as _, SdkError};
use aws_sdk_dynamodb::operation::describe_table::DescribeTableError;
use aws_sdk_dynamodb::primitives::DateTime;
use aws_sdk_dynamodb::types::{
    ContinuousBackupsDescription, IndexStatus, PointInTimeRecoverySpecification, PointInTimeRecoveryStatus,
    TableDescription, TableStatus, Tag, TimeToLiveStatus,
};
use jiff::Timestamp;

use crate::Database;
use crate::client::errors::failed;
use crate::schema::{AUDIT, EVENTS, TABLES, Table};
use presence_domain::error::Error;

/// Codes of an endpoint that has no point-in-time recovery at all.
const UNKNOWN_CALLS: [&str; 2] = ["UnknownOperationException", "UnknownOperation"];
/// Code of a table that is too new to have its backups switched on.
const TOO_NEW: &str = "ContinuousBackupsUnavailableException";

/// First and last instant to which a table can be restored, to the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecoveryWindow {
    /// First instant.
    pub earliest: Timestamp,
    /// Last instant, some five minutes ago.
    pub latest: Timestamp,
}

/// State of a table under a new name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RestoreState {
    /// No table has the name.
    Absent,
    /// The table is being restored, or changed.
    UnderWay,
    /// The table and its indexes can be used.
    Ready,
    /// The name belongs to a table that was not restored from this one at this instant.
    Taken,
}

/// Returns the tables that a restore makes: all but the audit trail, which must not forget, and the feeds, whose cursors are given once.
pub fn restored_tables() -> impl Iterator<Item = &'static Table> {
    TABLES.iter().filter(|table| ![AUDIT.name, EVENTS.name].contains(&table.name))
}

impl Database {
    /// Returns the instants to which a table can be restored; `None` if its point-in-time recovery is off, or if the endpoint has none.
    pub async fn recovery_window(&self, table: &Table) -> Result<Option<RecoveryWindow>, Error> {
        let Some(backups) = self.describe_backups(table).await? else { return Ok(None) };
        let recovery = backups.point_in_time_recovery_description;
        let recovery =
            recovery.filter(|one| one.point_in_time_recovery_status == Some(PointInTimeRecoveryStatus::Enabled));
        let instants = recovery.and_then(|one| one.earliest_restorable_date_time.zip(one.latest_restorable_date_time));
        Ok(instants.and_then(|(earliest, latest)| {
            Some(RecoveryWindow { earliest: instant(&earliest)?, latest: instant(&latest)? })
        }))
    }

    /// Returns the state of the table that a restore of `source` to `at` makes in this database.
    pub async fn restore_state(&self, table: &Table, source: &Self, at: Timestamp) -> Result<RestoreState, Error> {
        let Some(described) = self.describe_table(table).await? else { return Ok(RestoreState::Absent) };
        let Some(restore) = &described.restore_summary else { return Ok(RestoreState::Taken) };
        let source_name =
            restore.source_table_arn.as_deref().and_then(|arn| arn.rsplit_once('/')).map(|(_, name)| name);
        let is_this_one =
            source_name == Some(source.name(table).as_str()) && restore.restore_date_time.secs() == at.as_second();
        Ok(match () {
            () if !is_this_one => RestoreState::Taken,
            () if restore.restore_in_progress || !is_ready(&described) => RestoreState::UnderWay,
            () => RestoreState::Ready,
        })
    }

    /// Starts to restore a table of this database to an instant, as the table of the other database. `DynamoDB` goes on by itself.
    pub async fn start_restore(&self, table: &Table, target: &Self, at: Timestamp) -> Result<(), Error> {
        let restore = self.dynamo.client.restore_table_to_point_in_time().source_table_name(self.name(table));
        let restore =
            restore.target_table_name(target.name(table)).restore_date_time(DateTime::from_secs(at.as_second()));
        restore.send().await.map(drop).map_err(failed)
    }

    /// Sets what a restored table does not take over: protection against deletion, the stream, the expiry of items, point-in-time
    /// recovery and tags. False if `DynamoDB` is busy with a change: call it again after a pause. What is set stays as it is.
    pub async fn complete_restored(&self, table: &Table, tags: &[(&str, &str)]) -> Result<bool, Error> {
        let Some(mut described) = self.describe_table(table).await? else { return Ok(false) };
        while is_ready(&described) && self.update_restored(table, &described).await? {
            let Some(updated) = self.describe_table(table).await? else { return Ok(false) };
            described = updated;
        }
        if !is_ready(&described) {
            return Ok(false);
        }
        self.complete_expiry(table).await?;
        Ok(self.complete_backups(table).await? && self.complete_tags(&described, tags).await?)
    }

    /// Returns the ARN of the stream of a table; `None` if it has none.
    pub async fn stream_arn(&self, table: &Table) -> Result<Option<String>, Error> {
        Ok(self.describe_table(table).await?.and_then(|described| described.latest_stream_arn))
    }

    /// Returns the value of a tag of a table; `None` if it does not have it.
    pub async fn tag(&self, table: &Table, name: &str) -> Result<Option<String>, Error> {
        let Some(arn) = self.describe_table(table).await?.and_then(|described| described.table_arn) else {
            return Ok(None);
        };
        let tags = self.list_tags(&arn).await?;
        Ok(tags.into_iter().find(|tag| tag.key == name).map(|tag| tag.value))
    }

    /// Gives a table a tag.
    pub async fn set_tag(&self, table: &Table, name: &str, value: &str) -> Result<(), Error> {
        let described = self.describe_table(table).await?.ok_or(Error::NotFound)?;
        self.complete_tags(&described, &[(name, value)]).await.map(drop)
    }

    async fn describe_table(&self, table: &Table) -> Result<Option<TableDescription>, Error> {
        match self.dynamo.client.describe_table().table_name(self.name(table)).send().await {
            Ok(answer) => Ok(answer.table),
            Err(error) if error.as_service_error().is_some_and(DescribeTableError::is_resource_not_found_exception) => {
                Ok(None)
            }
            Err(error) => Err(failed(error)),
        }
    }

    async fn describe_backups(&self, table: &Table) -> Result<Option<ContinuousBackupsDescription>, Error> {
        match self.dynamo.client.describe_continuous_backups().table_name(self.name(table)).send().await {
            Ok(answer) => Ok(answer.continuous_backups_description),
            Err(SdkError::ServiceError(error))
                if error.err().code().is_some_and(|code| UNKNOWN_CALLS.contains(&code)) =>
            {
                Ok(None)
            }
            Err(error) => Err(failed(error)),
        }
    }

    /// Sets one of the settings that change the table itself. True if one was missing: `DynamoDB` takes one at a time.
    async fn update_restored(&self, table: &Table, described: &TableDescription) -> Result<bool, Error> {
        let update = self.dynamo.client.update_table().table_name(self.name(table));
        let has_stream = described.stream_specification.as_ref().is_some_and(|stream| stream.stream_enabled);
        let update = if described.deletion_protection_enabled != Some(true) {
            update.deletion_protection_enabled(true)
        } else if let Some(images) = table.stream.filter(|_| !has_stream) {
            update.stream_specification(images.specification())
        } else {
            return Ok(false);
        };
        update.send().await.map(|_| true).map_err(failed)
    }

    async fn complete_expiry(&self, table: &Table) -> Result<(), Error> {
        let name = self.name(table);
        let Some(expire) = table.expire(&self.dynamo.client, &name) else { return Ok(()) };
        let described = self.dynamo.client.describe_time_to_live().table_name(&name).send().await.map_err(failed)?;
        let status = described.time_to_live_description.and_then(|expiry| expiry.time_to_live_status);
        match status {
            Some(TimeToLiveStatus::Enabled | TimeToLiveStatus::Enabling) => Ok(()),
            _ => expire.send().await.map(drop).map_err(failed),
        }
    }

    async fn complete_backups(&self, table: &Table) -> Result<bool, Error> {
        if self.recovery_window(table).await?.is_some() {
            return Ok(true);
        }
        let recovery = PointInTimeRecoverySpecification::builder().point_in_time_recovery_enabled(true);
        let recovery = recovery.build().map_err(Error::internal)?;
        let update = self.dynamo.client.update_continuous_backups().table_name(self.name(table));
        match update.point_in_time_recovery_specification(recovery).send().await {
            Ok(_) => Ok(true),
            Err(SdkError::ServiceError(error)) if error.err().code() == Some(TOO_NEW) => Ok(false),
            Err(error) => Err(failed(error)),
        }
    }

    async fn complete_tags(&self, described: &TableDescription, tags: &[(&str, &str)]) -> Result<bool, Error> {
        let Some(arn) = &described.table_arn else { return Ok(false) };
        let present = self.list_tags(arn).await?;
        let tags =
            tags.iter().map(|(key, value)| Tag::builder().key(*key).value(*value).build().map_err(Error::internal));
        let mut missing = tags.collect::<Result<Vec<_>, _>>()?;
        missing.retain(|tag| !present.contains(tag));
        if !missing.is_empty() {
            self.dynamo.client.tag_resource().resource_arn(arn).set_tags(Some(missing)).send().await.map_err(failed)?;
        }
        Ok(true)
    }

    /// Returns the tags of a table. It has fewer than one page of them.
    async fn list_tags(&self, arn: &str) -> Result<Vec<Tag>, Error> {
        let answer = self.dynamo.client.list_tags_of_resource().resource_arn(arn).send().await.map_err(failed)?;
        Ok(answer.tags.unwrap_or_default())
    }
}

/// True if the table and its indexes can be used and changed.
fn is_ready(described: &TableDescription) -> bool {
    let indexes = described.global_secondary_indexes.as_deref().unwrap_or_default();
    described.table_status == Some(TableStatus::Active)
        && indexes.iter().all(|index| index.index_status.as_ref().is_none_or(|status| *status == IndexStatus::Active))
}

fn instant(time: &DateTime) -> Option<Timestamp> {
    Timestamp::from_second(time.secs()).ok()
}
