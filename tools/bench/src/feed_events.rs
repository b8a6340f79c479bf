//! Events of a feed.

use anyhow::Context as _;
use jiff::Timestamp;
use presence_domain::event::{Event, EventKind, EventSubject, ReviewField};
use presence_domain::feed::{SequenceNumber, ShardId};
use presence_domain::ids::{BusinessId, OrgId};
use presence_domain::review::ReviewId;
use presence_store::{SourceRecord, Stores};

/// Number of events: a full chunk.
const EVENTS: u64 = 100;

/// Appends changes of a review to the feed of its organisation.
pub(crate) async fn append_events(stores: &Stores, org_id: OrgId, review: &str, now: Timestamp) -> anyhow::Result<()> {
    let (id, business_id) = (ReviewId::parse(review).context("an id")?, BusinessId::parse("shop-1").context("an id")?);
    let event = |version| Event {
        kind: EventKind::ReviewUpdated,
        subject: EventSubject::Review {
            id: id.clone(),
            business_id: business_id.clone(),
            fields: vec![ReviewField::State],
        },
        org_id: Some(org_id),
        version: Some(version),
        at: now,
    };
    let record = SourceRecord {
        sequence: SequenceNumber::parse("1").context("a number")?,
        events: (1..=EVENTS).map(event).collect(),
    };
    Ok(stores.feed.append(Some(org_id), ShardId::new("reviews", "bench"), &[record], now).await?)
}
