//! `ops replies`: lists the replies and removals that are on their way to the partners, and sends them again.

use std::collections::BTreeSet;

use clap::Subcommand;
use jiff::{SignedDuration, Timestamp};
use presence_domain::ids::OrgId;
use presence_domain::review::{ReplyRequest, Review, ReviewId};
use serde::Serialize;
use serde_json::json;

use crate::console::format_instant;
use crate::context::operator_scope;
use crate::error::CommandError;
use crate::table::{Column, column};
use crate::{Context, Exit, args};

const LIST_JSON: &str = "\
With --json a list of {\"review_id\",\"version\",\"action\",\"org_id\",\"business_id\",
\"partner\",\"partner_id\",\"requested_at\"}. The action is publish or remove, the
version that of the reply.

Example:
  ops replies list --older 1h";

const RESEND_JSON: &str = "\
With --json {\"resent\",\"ids\"}: the number of the reviews, and their ids.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List the replies and removals without an outcome, the oldest on top
    ///
    /// The list is read from an index: a reply accepted or settled a moment ago may be missing. Texts are not shown.
    #[command(after_help = LIST_JSON)]
    List {
        /// Has no effect: those on their way are all that is listed
        #[arg(long, hide = true)]
        pending: bool,
        /// Only those that were accepted longer ago than this, such as 30m, 1h or 2d
        #[arg(long, value_name = "TIME", value_parser = args::parse_lifetime)]
        older: Option<SignedDuration>,
    },
    /// Send replies and removals again that have no outcome
    ///
    /// The stream of the table hands them to the queue again, in their order with newer ones. A connector may get a message twice,
    /// and knows it by the version.
    #[command(after_help = RESEND_JSON)]
    Resend {
        /// Ids of the reviews, from the list
        #[arg(required_unless_present = "all", value_name = "ID")]
        ids: Vec<String>,
        /// Every reply and removal without an outcome
        #[arg(long, conflicts_with = "ids")]
        all: bool,
    },
}

const COLUMNS: [Column; 8] = [
    column("REVIEW", "review_id"),
    column("VERSION", "version"),
    column("ACTION", "action"),
    column("ORG", "org_id"),
    column("BUSINESS", "business_id"),
    column("PARTNER", "partner"),
    column("PARTNER ID", "partner_id"),
    column("REQUESTED", "requested_at"),
];

#[derive(Serialize)]
struct ListedReply {
    review_id: String,
    version: u64,
    action: &'static str,
    org_id: u64,
    business_id: String,
    partner: &'static str,
    partner_id: String,
    requested_at: String,
}

impl From<ReplyRequest> for ListedReply {
    fn from(request: ReplyRequest) -> Self {
        Self {
            review_id: request.review_id.as_str().to_owned(),
            version: request.version,
            action: request.action.as_str(),
            org_id: OrgId::get(request.org_id),
            business_id: request.business_id.as_str().to_owned(),
            partner: request.partner.as_str(),
            partner_id: request.partner_id,
            requested_at: Timestamp::from_second(request.requested_at).map(format_instant).unwrap_or_default(),
        }
    }
}

pub(crate) async fn run(command: Command, context: &mut Context) -> Result<Exit, CommandError> {
    match command {
        Command::List { older, .. } => list(older.unwrap_or_default(), context).await,
        Command::Resend { ids, all } => resend(&ids, all, context).await,
    }
}

async fn list(older: SignedDuration, context: &mut Context) -> Result<Exit, CommandError> {
    let latest = (context.clock.now() - older).as_second();
    let reviews = context.stores.reviews.list_pending_replies().await?;
    let requests = reviews.iter().filter_map(Review::reply_request).filter(|request| request.requested_at <= latest);
    let replies: Vec<_> = requests.map(ListedReply::from).collect();
    context.console.write_list(COLUMNS, &replies, "replies on their way")?;
    if !replies.is_empty() {
        context.console.write_next("ops replies resend --all");
    }
    Ok(Exit::Done)
}

/// Sends the replies of these reviews again, or all. Looks all of them up before it sends the first.
async fn resend(ids: &[String], all: bool, context: &mut Context) -> Result<Exit, CommandError> {
    let reviews = if all { context.stores.reviews.list_pending_replies().await? } else { find(ids, context).await? };
    let mut resent = Vec::with_capacity(reviews.len());
    for review in &reviews {
        // One that has its outcome by now is not sent again.
        if context.stores.reviews.resend_reply(review, context.clock.now()).await? {
            resent.push(review.id.as_str());
        }
    }
    let done = json!({ "resent": resent.len(), "ids": resent });
    context.console.write_done(&done, format_args!("replies that are sent again: {}", resent.len()))?;
    context.console.write_next("ops replies list");
    Ok(Exit::Done)
}

/// Returns the reviews with these ids, each with a request on its way.
async fn find(ids: &[String], context: &Context) -> Result<Vec<Review>, CommandError> {
    let not_found = |id: &str| CommandError::NotFound(format!("the review {id} has no reply or removal on its way"));
    let mut reviews = Vec::with_capacity(ids.len());
    for id in ids.iter().collect::<BTreeSet<_>>() {
        let review_id = ReviewId::parse(id).ok_or_else(|| not_found(id))?;
        let review = context.stores.reviews.get_review(operator_scope(), &review_id).await?;
        reviews.push(review.filter(|review| review.reply_request().is_some()).ok_or_else(|| not_found(id))?);
    }
    Ok(reviews)
}
