//! `ops audit`: prints the audit trail.

use std::collections::BTreeMap;
use std::sync::Arc;

use clap::Args;
use jiff::Timestamp;
use presence_domain::api_key::ApiKeyId;
use presence_domain::audit::{Actor, AuditRecord, AuditTarget};
use presence_domain::ids::{OrgId, UserId};
use presence_domain::review::ReviewId;
use presence_store::meter::Meter;
use presence_store::{AuditPages, AuditSource};
use serde::Serialize;

use crate::args::Since;
use crate::console::Console;
use crate::error::CommandError;
use crate::table::{Column, TableWriter, column};
use crate::{Context, Exit, args};

pub(crate) const EXAMPLES: &str = "\
Examples:
  ops audit --user 4711
  ops audit --actor 4711 --since 7d
  ops audit --actor arn:aws:sts::123456789012:assumed-role/Operator/zoe
  ops audit --org 42 --since 24h --json
  ops audit --review 63bta5e2wzsv

With --json a line {\"at\",\"actor_id\",\"key_id\",\"action\",\"target_id\",\"org_id\",\"fields\"}
each. at is RFC 3339 in UTC with milliseconds. key_id is the key that was issued,
rotated or revoked, or else the key that the actor used, or null. Only where they
apply: actor_key is the key that the actor used on another one, and new_key the
one that replaces a rotated key. target_id is a user, a review or a webhook. org_id
is null for users without an organisation.";

/// Records that are kept in memory if the source has no order: some 5 MB.
const MAX_SORTED: usize = 10_000;

#[derive(Debug, Args)]
pub(crate) struct AuditArgs {
    /// Changes of this user, by id or e-mail address, and its keys
    #[arg(long, value_name = "USER")]
    user: Option<String>,
    /// Changes that were made here to this review: of its state and its reply
    #[arg(long, value_name = "ID")]
    review: Option<String>,
    /// Changes by this actor: the id or e-mail address of a user, or the name of an operator
    #[arg(long, value_name = "ID")]
    actor: Option<String>,
    /// Changes of the users and reviews of this organisation
    #[arg(long, value_name = "N", value_parser = args::parse_org_id)]
    org: Option<OrgId>,
    /// Changes that were made with this key; --user has those that were made to it
    #[arg(long, value_name = "ID")]
    key: Option<String>,
    /// Changes since then: 30m, 24h, 7d; at most 400 days; or a date or an instant, in UTC without an offset [default: all]
    #[arg(long, value_name = "TIME", value_parser = args::parse_since)]
    since: Option<Since>,
}

/// Records that are asked for. A record must fit every part that is given.
struct Filter {
    user: Option<UserId>,
    review: Option<ReviewId>,
    actor: Option<String>,
    org: Option<OrgId>,
    key: Option<ApiKeyId>,
}

pub(crate) async fn run(mut args: AuditArgs, context: &mut Context) -> Result<Exit, CommandError> {
    let since = args.since.map(|since| since.before(context.clock.now()));
    if let Some(user) = args.user.as_mut().filter(|user| user.contains('@')) {
        *user = context.find_user(user).await?.to_string();
    }
    if let Some(actor) = args.actor.as_mut().filter(|actor| actor.contains('@'))
        && let Ok(id) = context.find_user(actor).await
    {
        // An operator may have the form of an address, too.
        *actor = id.to_string();
    }
    let (meter, mut count) = (Arc::new(Meter::default()), 0);
    if let Some(filter) = Filter::parse(args) {
        let source = filter.source();
        let is_sorted = source != AuditSource::All;
        let pages = context.stores.audit_trail.pages(source, since);
        let table = TableWriter::new(PrintedRecord::COLUMNS);
        let mut printer = Printer { console: &mut context.console, table, count: 0 };
        let print = async {
            if is_sorted { printer.print_pages(pages, &filter).await } else { printer.print_newest(pages).await }
        };
        Arc::clone(&meter).watch(print).await?;
        printer.table.finish(printer.console)?;
        count = printer.count;
    }
    context.console.write_message(format_args!("records: {count}, read units: {}", meter.cost().read_units));
    Ok(Exit::Done)
}

impl Filter {
    /// Parses the ids. `None` if one has a form that no id has: then no record fits.
    fn parse(args: AuditArgs) -> Option<Self> {
        let user = match &args.user {
            Some(text) => Some(UserId::parse(text)?),
            None => None,
        };
        let review = match &args.review {
            Some(text) => Some(ReviewId::parse(text)?),
            None => None,
        };
        let key = match &args.key {
            Some(text) => Some(ApiKeyId::parse(text)?),
            None => None,
        };
        let is_actor = args.actor.as_ref().is_none_or(|id| Actor::parse(id, None).is_some());
        is_actor.then_some(Self { user, review, actor: args.actor, org: args.org, key })
    }

    /// Returns the source that is read: the one with the fewest records, most often.
    fn source(&self) -> AuditSource {
        if let Some(user) = self.user {
            return AuditSource::Target(user);
        }
        if let Some(review) = &self.review {
            return AuditSource::Review(review.clone());
        }
        let owner = self.key.map(|key| key.owner().to_string());
        match (owner.or_else(|| self.actor.clone()), self.org) {
            (Some(actor), _) => AuditSource::Actor(actor),
            (None, Some(org)) => AuditSource::Org(Some(org)),
            (None, None) => AuditSource::All,
        }
    }

    fn admits(&self, record: &AuditRecord) -> bool {
        let is_review = |wanted: &ReviewId| matches!(&record.target, AuditTarget::Review { id, .. } if id == wanted);
        self.user.is_none_or(|user| record.target == user.into())
            && self.review.as_ref().is_none_or(is_review)
            && self.actor.as_ref().is_none_or(|actor| record.actor.id() == *actor)
            && self.org.is_none_or(|org| record.org_id == Some(org))
            && self.key.is_none_or(|key| record.actor.key_id() == Some(key))
    }
}

/// Output of records, newest first.
struct Printer<'a> {
    console: &'a mut Console,
    table: TableWriter<7>,
    count: usize,
}

impl Printer<'_> {
    /// Prints the records of a sorted source, page by page.
    async fn print_pages(&mut self, mut pages: AuditPages<'_>, filter: &Filter) -> Result<(), CommandError> {
        while let Some(records) = pages.next_page().await? {
            for record in records.iter().filter(|record| filter.admits(record)) {
                self.print(record)?;
            }
        }
        Ok(())
    }

    /// Prints the newest records of a source without order.
    async fn print_newest(&mut self, mut pages: AuditPages<'_>) -> Result<(), CommandError> {
        let mut newest = Newest::new(MAX_SORTED);
        while let Some(records) = pages.next_page().await? {
            for record in records {
                newest.add(record);
            }
        }
        for record in newest.iter() {
            self.print(record)?;
        }
        if newest.given > self.count {
            let text = format!(
                "note: {} records are there; name a user, actor or organisation, or a shorter time",
                newest.given
            );
            self.console.write_message(text);
        }
        Ok(())
    }

    fn print(&mut self, record: &AuditRecord) -> Result<(), CommandError> {
        self.count += 1;
        Ok(self.table.add(&PrintedRecord::new(record), self.console)?)
    }
}

/// Newest of all records that it was given, up to a number.
struct Newest {
    limit: usize,
    /// Number of records given so far. It tells those of one instant apart.
    given: usize,
    records: BTreeMap<(Timestamp, usize), AuditRecord>,
}

impl Newest {
    fn new(limit: usize) -> Self {
        Self { limit, given: 0, records: BTreeMap::new() }
    }

    fn add(&mut self, record: AuditRecord) {
        self.records.insert((record.at, self.given), record);
        self.given += 1;
        if self.records.len() > self.limit {
            self.records.pop_first();
        }
    }

    /// Returns the records, newest first.
    fn iter(&self) -> impl Iterator<Item = &AuditRecord> {
        self.records.values().rev()
    }
}

#[derive(Serialize)]
struct PrintedRecord {
    at: String,
    actor_id: String,
    key_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    actor_key: Option<String>,
    action: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    new_key: Option<String>,
    target_id: String,
    org_id: Option<u64>,
    fields: Vec<&'static str>,
}

impl PrintedRecord {
    const COLUMNS: [Column; 7] = [
        column("AT", "at"),
        column("ACTION", "action"),
        column("TARGET", "target_id"),
        column("ORG", "org_id"),
        column("KEY", "key_id"),
        column("ACTOR", "actor_id"),
        column("FIELDS", "fields").or(""),
    ];

    fn new(record: &AuditRecord) -> Self {
        Self {
            at: record.at.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string(),
            actor_id: record.actor.id(),
            key_id: record.key_id().map(|key| key.to_string()),
            actor_key: record.actor.key_id().filter(|key| record.key_id() != Some(*key)).map(|key| key.to_string()),
            action: record.action.as_str(),
            new_key: record.action.new_key_id().map(|key| key.to_string()),
            target_id: record.target.to_string(),
            org_id: record.org_id.map(OrgId::get),
            fields: record.field_names(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use presence_domain::audit::AuditAction;

    #[test]
    fn only_the_newest_records_of_a_source_without_order_are_kept() {
        let record = |second| {
            let user = UserId::parse("7").expect("an id");
            let (at, actor) = (Timestamp::from_second(second).expect("an instant"), Actor::Invitee(user));
            let (action, fields) = (AuditAction::Activate, Vec::new());
            let (target, org_id, left_org) = (user.into(), None, None);
            AuditRecord { at, actor, action, target, org_id, fields, version: None, left_org, tables: None }
        };
        let mut newest = Newest::new(3);
        for second in [5, 1, 9, 9, 2, 7] {
            newest.add(record(second));
        }
        let seconds: Vec<_> = newest.iter().map(|record| record.at.as_second()).collect();
        assert_eq!((seconds, newest.given), (vec![9, 9, 7], 6));
    }

    #[test]
    fn the_source_with_the_fewest_records_is_read() {
        let filter = |user: Option<&str>, actor: Option<&str>, org, key: Option<&str>| {
            let text = |text: Option<&str>| text.map(str::to_owned);
            let args =
                AuditArgs { user: text(user), review: None, actor: text(actor), org, key: text(key), since: None };
            Filter::parse(args).map(|filter| filter.source())
        };
        let (user, org) = (UserId::parse("7").expect("an id"), OrgId::new(1));
        assert_eq!(filter(Some("7"), Some("8"), org, None), Some(AuditSource::Target(user)));
        assert_eq!(filter(None, Some("8"), org, None), Some(AuditSource::Actor("8".to_owned())));
        assert_eq!(filter(None, None, org, Some("8-0a0a0a0a0a0a")), Some(AuditSource::Actor("8".to_owned())));
        assert_eq!(filter(None, None, org, None), Some(AuditSource::Org(org)));
        assert_eq!(filter(None, None, None, None), Some(AuditSource::All));
        for nothing in [
            filter(Some("x"), None, None, None),
            filter(None, Some(""), None, None),
            filter(None, None, None, Some("x")),
        ] {
            assert_eq!(nothing, None);
        }
    }
}
