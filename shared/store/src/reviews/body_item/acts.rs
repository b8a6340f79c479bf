//! Attribute of a review's item that holds what was done here: the instant of the last change and the reply.
//!
//! Only reviews that somebody changed have it.

use serde::{Deserialize, Serialize};

use crate::client::read::{Item, binary};
use presence_domain::error::Error;
use presence_domain::ids::UserId;
use presence_domain::review::{Reply, ReplyAction, ReplyStatus, Review};

/// Attribute that holds [`StoredActs`], in the encoding of [`postcard`].
const ACTS: &str = "acts";

/// Changes made here, as they are stored. Fields, order and types belong to the format of the item.
#[derive(Serialize, Deserialize)]
struct StoredActs<'a> {
    acted_at: i64,
    #[serde(borrow)]
    reply: Option<StoredReply<'a>>,
}

/// Reply, as it is stored.
#[derive(Serialize, Deserialize)]
struct StoredReply<'a> {
    version: u64,
    /// Position in [`ReplyAction::ALL`].
    action: u8,
    #[serde(borrow)]
    status: StoredStatus<'a>,
    reason: Option<&'a str>,
    requested_by: u64,
    requested_at: i64,
    settled_at: Option<i64>,
}

/// Progress of a request, as it is stored: by the position of the variant.
#[derive(Serialize, Deserialize)]
enum StoredStatus<'a> {
    OnItsWay(Option<&'a str>),
    Published,
    Rejected(&'a str),
    Ended,
}

/// Changes made here, as an export has them beside the fields of a row.
#[derive(Serialize, Deserialize)]
struct ExportedActs<'a> {
    reply_comment: Option<&'a str>,
    #[serde(borrow)]
    acts: StoredActs<'a>,
}

/// Returns the changes made here to a review for an export, of which [`with_exported_acts`] is the inverse; `None` if there are none.
pub fn exported_acts(review: &Review) -> Result<Option<Vec<u8>>, Error> {
    let acts = StoredActs::of(review).map(|acts| ExportedActs { reply_comment: review.reply_comment.as_deref(), acts });
    acts.map(|acts| postcard::to_allocvec(&acts).map_err(Error::internal)).transpose()
}

/// Returns the review of an exported row with the changes made here. `None` if the bytes are no export's.
pub fn with_exported_acts(review: Review, bytes: &[u8]) -> Option<Review> {
    let exported: ExportedActs<'_> = postcard::from_bytes(bytes).ok()?;
    let (acted_at, reply) = exported.acts.parse()?;
    let reply_comment = exported.reply_comment.map(str::to_owned);
    Some(Review { reply_comment, acted_at, reply, ..review })
}

/// Adds what was done here to the item of a review, if anything was.
pub(super) fn insert(review: &Review, item: &mut Item) -> Result<(), Error> {
    let Some(acts) = StoredActs::of(review) else { return Ok(()) };
    item.insert(ACTS.to_owned(), binary(postcard::to_allocvec(&acts).map_err(Error::internal)?));
    Ok(())
}

/// Reads the instant of the last change and the reply of an item. `None` if the attribute breaks the rules of its fields.
pub(super) fn parse(item: &Item) -> Option<(Option<i64>, Option<Reply>)> {
    let Some(bytes) = item.get(ACTS) else { return Some((None, None)) };
    let (acts, rest): (StoredActs<'_>, _) = postcard::take_from_bytes(bytes.as_b().ok()?.as_ref()).ok()?;
    if rest.is_empty() { acts.parse() } else { None }
}

impl<'a> StoredActs<'a> {
    fn of(review: &'a Review) -> Option<Self> {
        let reply = review.reply.as_ref().map(StoredReply::of);
        review.acted_at.map(|acted_at| Self { acted_at, reply })
    }

    fn parse(self) -> Option<(Option<i64>, Option<Reply>)> {
        let reply = match self.reply {
            Some(reply) => Some(reply.parse()?),
            None => None,
        };
        Some((Some(self.acted_at), reply))
    }
}

impl<'a> StoredReply<'a> {
    fn of(reply: &'a Reply) -> Self {
        let status = match &reply.status {
            ReplyStatus::OnItsWay { partner_has } => StoredStatus::OnItsWay(partner_has.as_deref()),
            ReplyStatus::Published => StoredStatus::Published,
            ReplyStatus::Rejected { content } => StoredStatus::Rejected(content),
            ReplyStatus::Ended => StoredStatus::Ended,
        };
        Self {
            version: reply.version,
            action: reply.action as u8,
            status,
            reason: reply.reason.as_deref(),
            requested_by: reply.requested_by.get(),
            requested_at: reply.requested_at,
            settled_at: reply.settled_at,
        }
    }

    fn parse(self) -> Option<Reply> {
        let owned = |text: Option<&str>| text.map(str::to_owned);
        Some(Reply {
            version: self.version,
            action: ReplyAction::ALL.get(usize::from(self.action)).copied()?,
            status: match self.status {
                StoredStatus::OnItsWay(partner_has) => ReplyStatus::OnItsWay { partner_has: owned(partner_has) },
                StoredStatus::Published => ReplyStatus::Published,
                StoredStatus::Rejected(content) => ReplyStatus::Rejected { content: content.to_owned() },
                StoredStatus::Ended => ReplyStatus::Ended,
            },
            reason: owned(self.reason),
            requested_by: UserId::new(self.requested_by)?,
            requested_at: self.requested_at,
            settled_at: self.settled_at,
        })
    }
}
