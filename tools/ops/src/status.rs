//! `ops status`: the tables and what is in them, at a glance.

use jiff::Timestamp;
use presence_domain::invitation::MessageState;
use presence_store::{TableState, schema};
use serde::Serialize;

use crate::console::{cell_or_dash, format_instant};
use crate::error::CommandError;
use crate::table::{TableWriter, column};
use crate::{Context, Exit};

pub(crate) const JSON: &str = "\
Numbers of items and bytes are DynamoDB's own, up to six hours old. What the
endpoint does not tell is null, in text a dash.

With --json one object: {\"account\",\"region\",\"endpoint\",\"prefix\",\"version\",\"tables\",
\"outbox\",\"reviews_audit\"}. tables is a list of {\"name\",\"state\",\"items\",
\"bytes\",\"streams\",\"ttl\",\"is_protected\",\"is_recoverable\",\"indexes\"}; outbox has
\"waiting\", \"failed\", \"held\", \"unreadable\", \"oldest_at\" and \"oldest_seconds\";
reviews_audit has \"began_at\", \"is_done\" and \"wrong_slices\".

Example:
  ops status --profile prod --prefix prod-";

/// State of a table that does not exist.
const MISSING: &str = "MISSING";

#[derive(Serialize)]
struct StatusBody<'a> {
    account: Option<&'a str>,
    region: Option<&'a str>,
    endpoint: Option<&'a str>,
    prefix: &'a str,
    version: &'static str,
    tables: Vec<TableBody>,
    outbox: Option<OutboxBody>,
    reviews_audit: Option<AuditBody>,
}

#[derive(Serialize)]
struct TableBody {
    name: String,
    #[serde(flatten)]
    state: TableState,
}

#[derive(Serialize)]
struct OutboxBody {
    waiting: usize,
    failed: usize,
    held: usize,
    unreadable: usize,
    /// Instant at which the oldest mail that waits was accepted.
    oldest_at: Option<String>,
    oldest_seconds: Option<i64>,
}

#[derive(Serialize)]
struct AuditBody {
    began_at: String,
    is_done: bool,
    wrong_slices: usize,
}

pub(crate) async fn run(context: &mut Context) -> Result<Exit, CommandError> {
    let identity = if context.target.is_in_aws() { Some(context.target.identity().await?) } else { None };
    let account = identity.and_then(|identity| identity.account.clone());
    let tables = describe_tables(context).await?;
    let has_data = tables.iter().all(|table| table.state.state != MISSING);
    let body = StatusBody {
        account: account.as_deref(),
        region: context.target.region.as_deref(),
        endpoint: context.target.endpoint.as_deref(),
        prefix: &context.target.prefix,
        version: env!("CARGO_PKG_VERSION"),
        tables,
        outbox: if has_data { Some(read_outbox(context).await?) } else { None },
        reviews_audit: if has_data { read_audit(context).await? } else { None },
    };
    let text = (!context.console.json).then(|| body.text_lines());
    let Some(lines) = text else {
        context.console.write_json(&body)?;
        return Ok(Exit::Done);
    };
    let rows: Vec<_> = body.tables.iter().flat_map(TableBody::rows).collect();
    lines.iter().try_for_each(|line| context.console.write_line(line))?;
    let headings = ["TABLE", "STATE", "ITEMS", "BYTES", "STREAM", "TTL", "PROTECTED", "RECOVERABLE"];
    let mut table = TableWriter::new(headings.map(|heading| column(heading, "")));
    rows.into_iter().try_for_each(|row| table.add_cells(row, &mut context.console))?;
    table.finish(&mut context.console)?;
    Ok(Exit::Done)
}

async fn describe_tables(context: &Context) -> Result<Vec<TableBody>, CommandError> {
    let database = &context.stores.database;
    let mut tables = Vec::with_capacity(schema::TABLES.len());
    for table in &schema::TABLES {
        let missing = || TableState { state: MISSING.to_owned(), ..TableState::default() };
        let state = database.describe(table).await?.unwrap_or_else(missing);
        tables.push(TableBody { name: database.name(table), state });
    }
    Ok(tables)
}

async fn read_outbox(context: &Context) -> Result<OutboxBody, CommandError> {
    let mails = context.stores.outbox.list().await?;
    let unreadable = context.stores.outbox.list_unreadable().await?.len();
    let count = |state: MessageState| mails.iter().filter(|mail| mail.state == state).count();
    let oldest = mails.iter().filter(|mail| mail.state == MessageState::Pending).map(|mail| mail.created_at).min();
    let age = |at: Timestamp| context.clock.now().duration_since(at).as_secs();
    Ok(OutboxBody {
        waiting: count(MessageState::Pending),
        failed: count(MessageState::Failed),
        held: count(MessageState::Held),
        unreadable,
        oldest_at: oldest.map(format_instant),
        oldest_seconds: oldest.map(age),
    })
}

async fn read_audit(context: &Context) -> Result<Option<AuditBody>, CommandError> {
    let progress = context.stores.reviews.get_audit_progress().await?;
    Ok(progress.map(|progress| AuditBody {
        began_at: format_instant(progress.began_at),
        is_done: progress.is_done,
        wrong_slices: progress.wrong_slices.values().sum(),
    }))
}

impl StatusBody<'_> {
    /// Returns the lines above the table.
    fn text_lines(&self) -> Vec<String> {
        let dash = |text: Option<&str>| text.unwrap_or("-").to_owned();
        let mut lines = vec![
            format!("account: {}", dash(self.account)),
            format!("region: {}", dash(self.region)),
            format!("endpoint: {}", dash(self.endpoint)),
            format!("prefix: {}", self.prefix),
            format!("version: {}", self.version),
        ];
        lines.extend(self.outbox.as_ref().map(|outbox| {
            let oldest = outbox.oldest_seconds.map_or_else(String::new, |age| format!(", the oldest for {age} s"));
            let OutboxBody { waiting, failed, held, unreadable, .. } = outbox;
            format!("mails: {waiting} waiting{oldest}, {failed} failed, {held} held, {unreadable} unreadable")
        }));
        let audit = self.reviews_audit.as_ref().map_or_else(|| "-".to_owned(), AuditBody::to_text);
        lines.push(format!("audit of reviews: {audit}"));
        lines
    }
}

impl AuditBody {
    fn to_text(&self) -> String {
        let state = if self.is_done { "done" } else { "under way" };
        format!("began {}, {state}, wrong slices: {}", self.began_at, self.wrong_slices)
    }
}

impl TableBody {
    /// Returns the row of the table, then those of its indexes.
    fn rows(&self) -> Vec<[String; 8]> {
        let TableState { state, items, bytes, streams, ttl, is_protected, is_recoverable, indexes, .. } = &self.state;
        let flag = |flag: Option<bool>| cell_or_dash(flag.map(|flag| yes_or_no(flag).to_owned()));
        let own = [
            self.name.clone(),
            state.clone(),
            items.to_string(),
            bytes.to_string(),
            yes_or_no(*streams).to_owned(),
            cell_or_dash(ttl.clone()),
            flag(*is_protected),
            flag(*is_recoverable),
        ];
        let indexes = indexes.iter().map(|index| {
            let [stream, ttl, protection, recovery] = std::array::from_fn(|_| String::new());
            let name = format!("  {}", index.name);
            [
                name,
                index.state.clone(),
                index.items.to_string(),
                index.bytes.to_string(),
                stream,
                ttl,
                protection,
                recovery,
            ]
        });
        std::iter::once(own).chain(indexes).collect()
    }
}

fn yes_or_no(flag: bool) -> &'static str {
    if flag { "yes" } else { "no" }
}
