//! Names of the fields of a review, as the API shows them.

use super::{Review, ReviewState};

crate::listed_enum! {
    /// Field of a review, as the API names it. It has no value, so that no event can have one.
    pub enum ReviewField {
        /// Organisation of the business.
        OrgId => "org_id",
        /// Business.
        BusinessId => "business_id",
        /// Partner.
        Partner => "partner",
        /// Partner's id of the review.
        PartnerId => "partner_id",
        /// Name of the author.
        AuthorName => "author_name",
        /// Instant of the creation.
        Date => "date",
        /// Instant of the last change.
        UpdateDate => "update_date",
        /// Day of the deletion.
        DeleteDate => "delete_date",
        /// Stars.
        Rating => "rating",
        /// Title.
        Title => "title",
        /// Text.
        Content => "content",
        /// Reply of the business.
        ReplyComment => "reply_comment",
        /// Progress.
        State => "state",
        /// URL on the partner's site.
        Link => "link",
        /// Name in the partner's interface.
        Key => "key",
    }
}

impl ReviewField {
    /// Returns the fields in which two states of a review differ, as the API shows them.
    pub fn changed(before: &Review, after: &Review) -> Vec<Self> {
        Self::ALL.into_iter().filter(|field| field.differs(before, after)).collect()
    }

    /// Returns the fields that a review has.
    pub fn given(review: &Review) -> Vec<Self> {
        Self::ALL.into_iter().filter(|field| field.is_set(review)).collect()
    }

    fn differs(self, before: &Review, after: &Review) -> bool {
        match self {
            Self::OrgId => before.org_id != after.org_id,
            Self::BusinessId => before.business_id != after.business_id,
            Self::Partner => before.partner != after.partner,
            Self::PartnerId => before.partner_id != after.partner_id,
            Self::AuthorName => before.author_name != after.author_name,
            Self::Date => before.date != after.date,
            Self::UpdateDate => before.effective_at() != after.effective_at(),
            Self::DeleteDate => shown_delete_date(before) != shown_delete_date(after),
            Self::Rating => before.rating != after.rating,
            Self::Title => before.title != after.title,
            Self::Content => before.content != after.content,
            Self::ReplyComment => before.reply_comment != after.reply_comment,
            Self::State => before.state != after.state,
            Self::Link => before.link != after.link,
            Self::Key => before.key != after.key,
        }
    }

    fn is_set(self, review: &Review) -> bool {
        match self {
            Self::AuthorName => review.author_name.is_some(),
            Self::DeleteDate => shown_delete_date(review).is_some(),
            Self::Title => review.title.is_some(),
            Self::Content => review.content.is_some(),
            Self::ReplyComment => review.reply_comment.is_some(),
            Self::Link => review.link.is_some(),
            _ => true,
        }
    }
}

/// Returns the day of the deletion, which the API shows of deleted reviews only.
fn shown_delete_date(review: &Review) -> Option<jiff::civil::Date> {
    review.delete_date.filter(|_| review.state == ReviewState::Deleted)
}
