//! Rows that follow the rules and cannot be stored: the slips of their day are full.

use presence_domain::instant::format_second;
use presence_domain::review::Review;
use presence_store::PostingItemFullError;
use serde_json::json;

/// A row that cannot be stored.
pub(super) struct Refused {
    /// Its number in the file.
    pub(super) line: u64,
    pub(super) reason: String,
    /// The row, to be imported again when there is room.
    pub(super) row: String,
}

impl Refused {
    /// Tells of the row of a review why it is refused.
    pub(super) fn new(line: u64, review: &Review, full: &PostingItemFullError) -> Self {
        Self { line, reason: format!("cannot be stored: {full}"), row: row(review) }
    }
}

/// Writes a review as a row. The text of the file is not kept: it would double what an import holds in memory.
fn row(review: &Review) -> String {
    json!({
        "business_id": review.business_id.as_str(),
        "partner": review.partner.as_str(),
        "partner_id": review.partner_id,
        "key": review.key,
        "author_name": review.author_name,
        "date": format_second(review.date),
        "update_date": review.update_date.map(format_second),
        "delete_date": review.delete_date.map(|day| day.to_string()),
        "rating": review.rating.get(),
        "title": review.title,
        "content": review.content,
        "reply_comment": review.reply_comment,
        "state": review.state.as_str(),
        "link": review.link,
    })
    .to_string()
}
