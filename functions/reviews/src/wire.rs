//! Bodies of answers and their conversion from the domain, and the id in a path.

use presence_api::{AuthenticatedRequest, RawValue, read};
use presence_domain::business_directory::ListedBusiness;
use presence_domain::error::{Error, FieldError};
use presence_domain::ids::MAX_ID;
use presence_domain::instant::format_second;
use presence_domain::review::{ReplyOutcome, Review, ReviewId, ReviewState, unless_blank};
use presence_domain::review_stats::{AverageRating, GroupKey, ReviewStats, StatsGroup, Totals};
use serde::Serialize;

/// Answer to a search: one page of reviews.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = ReviewPage))]
pub(crate) struct PageEnvelope<'a> {
    pub(crate) page: u64,
    pub(crate) max_page: u64,
    pub(crate) count: u64,
    pub(crate) reviews: Vec<ReviewBody<'a>>,
}

/// Review in an answer: the fields of the interface in their documented order.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = Review))]
pub(crate) struct ReviewBody<'a> {
    id: &'a str,
    org_id: String,
    business_id: &'a str,
    partner: &'static str,
    partner_id: &'a str,
    #[cfg_attr(feature = "openapi", schema(required))]
    author_name: Option<&'a str>,
    date: String,
    update_date: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    delete_date: Option<String>,
    rating: u8,
    #[cfg_attr(feature = "openapi", schema(required))]
    title: Option<&'a str>,
    #[cfg_attr(feature = "openapi", schema(required))]
    content: Option<&'a str>,
    #[cfg_attr(feature = "openapi", schema(required))]
    reply_comment: Option<&'a str>,
    state: &'static str,
    #[cfg_attr(feature = "openapi", schema(required))]
    link: Option<&'a str>,
    key: &'a str,
}

impl<'a> ReviewBody<'a> {
    pub(crate) fn new(review: &'a Review) -> Self {
        // A deleted review that was published again may still have its old deletion day.
        let delete_date = review.delete_date.filter(|_| review.state == ReviewState::Deleted);
        Self {
            id: review.id.as_str(),
            org_id: review.org_id.to_string(),
            business_id: review.business_id.as_str(),
            partner: review.partner.as_str(),
            partner_id: &review.partner_id,
            author_name: unless_blank(review.author_name.as_deref()),
            date: format_second(review.date),
            // For a review that was never changed, the interface shows the creation as the last update.
            update_date: format_second(review.effective_at()),
            delete_date: delete_date.map(|day| day.to_string()),
            rating: review.rating.get(),
            title: unless_blank(review.title.as_deref()),
            content: unless_blank(review.content.as_deref()),
            reply_comment: unless_blank(review.reply_comment.as_deref()),
            state: review.state.as_str(),
            link: unless_blank(review.link.as_deref()),
            key: &review.key,
        }
    }
}

/// Reply in an answer.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = Reply))]
pub(crate) struct ReplyBody<'a> {
    review_id: &'a str,
    #[cfg_attr(feature = "openapi", schema(required))]
    content: Option<&'a str>,
    state: &'static str,
    #[cfg_attr(feature = "openapi", schema(required))]
    reason: Option<&'a str>,
    #[cfg_attr(feature = "openapi", schema(required))]
    version: Option<u64>,
    #[cfg_attr(feature = "openapi", schema(required))]
    requested_at: Option<String>,
    #[cfg_attr(feature = "openapi", schema(required))]
    requested_by: Option<String>,
    #[cfg_attr(feature = "openapi", schema(required))]
    settled_at: Option<String>,
}

impl<'a> ReplyBody<'a> {
    /// Returns the reply to a review; `None` without one.
    pub(crate) fn of(review: &'a Review) -> Option<Self> {
        let reply = review.shown_reply()?;
        Some(Self {
            review_id: review.id.as_str(),
            content: reply.content,
            state: reply.state.as_str(),
            reason: reply.request.and_then(|request| request.reason.as_deref()),
            version: reply.request.map(|request| request.version),
            requested_at: reply.request.map(|request| format_second(request.requested_at)),
            requested_by: reply.request.map(|request| request.requested_by.to_string()),
            settled_at: reply.request.and_then(|request| request.settled_at).map(format_second),
        })
    }
}

/// Answer to a change that has no other.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = ReviewSuccess))]
pub(crate) struct SuccessBody<'a> {
    status: &'static str,
    id: &'a str,
}

impl<'a> SuccessBody<'a> {
    pub(crate) fn of(id: &'a ReviewId) -> Self {
        Self { status: "success", id: id.as_str() }
    }
}

/// Answer to the outcome of a reply: the reply, or a success if it is gone.
#[cfg(feature = "openapi")]
#[derive(Serialize, utoipa::ToSchema)]
#[serde(untagged)]
#[schema(as = ReplyAfterOutcome)]
#[expect(dead_code, reason = "only for the description: the operation answers one or the other")]
pub(crate) enum OutcomeBody<'a> {
    // Without texts: generators of clients lose a reference that has one beside it.
    Reply(ReplyBody<'a>),
    Removed(SuccessBody<'a>),
}

/// Answer with statistics.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = ReviewStats))]
pub(crate) struct StatsBody<'a> {
    count: u64,
    #[cfg_attr(feature = "openapi", schema(required))]
    average_rating: Option<f64>,
    ratings: RatingCounts,
    states: StateCounts,
    partners: PartnerCounts,
    with_content: u64,
    without_content: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    groups: Option<Vec<GroupBody<'a>>>,
}

/// Group of reviews in an answer.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = ReviewGroup))]
pub(crate) struct GroupBody<'a> {
    key: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    name: Option<&'a str>,
    count: u64,
    #[cfg_attr(feature = "openapi", schema(required, nullable = false))]
    average_rating: Option<f64>,
    ratings: RatingCounts,
}

/// Numbers of reviews by rating.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = RatingCounts))]
pub(crate) struct RatingCounts {
    #[serde(rename = "1")]
    one: u64,
    #[serde(rename = "2")]
    two: u64,
    #[serde(rename = "3")]
    three: u64,
    #[serde(rename = "4")]
    four: u64,
    #[serde(rename = "5")]
    five: u64,
}

/// Numbers of reviews by state.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = StateCounts))]
pub(crate) struct StateCounts {
    treated: u64,
    not_treated: u64,
    deleted: u64,
}

/// Numbers of reviews by partner.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = PartnerCounts))]
#[expect(clippy::struct_field_names, reason = "the names of the interface")]
pub(crate) struct PartnerCounts {
    partner_8: u64,
    partner_1: u64,
    partner_9: u64,
}

impl<'a> StatsBody<'a> {
    pub(crate) fn new(stats: &'a ReviewStats) -> Self {
        let totals = Totals::of(&stats.counts);
        // The arrays have the order of the domain's lists, and the fields that of the interface. Both are the same.
        let [treated, not_treated, deleted] = totals.states;
        let [partner_8, partner_1, partner_9] = totals.partners;
        Self {
            count: totals.count,
            average_rating: totals.average_rating().map(AverageRating::stars),
            ratings: RatingCounts::new(totals.ratings),
            states: StateCounts { treated, not_treated, deleted },
            partners: PartnerCounts { partner_8, partner_1, partner_9 },
            with_content: totals.with_content,
            without_content: totals.without_content,
            groups: stats.groups.as_ref().map(|groups| groups.iter().map(GroupBody::new).collect()),
        }
    }
}

impl<'a> GroupBody<'a> {
    fn new(group: &'a StatsGroup) -> Self {
        let totals = Totals::of(&group.counts);
        let name = match &group.key {
            GroupKey::City { name, .. } => Some(name.as_str()),
            _ => None,
        };
        Self {
            key: group.key.to_string(),
            name,
            count: totals.count,
            average_rating: totals.average_rating().map(AverageRating::stars),
            ratings: RatingCounts::new(totals.ratings),
        }
    }
}

impl RatingCounts {
    fn new([one, two, three, four, five]: [u64; 5]) -> Self {
        Self { one, two, three, four, five }
    }
}

/// Answer to a search of businesses: one page of them.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = BusinessPage))]
pub(crate) struct BusinessPage<'a> {
    pub(crate) page: u64,
    pub(crate) max_page: u64,
    pub(crate) count: u64,
    pub(crate) businesses: Vec<BusinessBody<'a>>,
}

/// Business in an answer.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = Business))]
pub(crate) struct BusinessBody<'a> {
    id: &'a str,
    org_id: u64,
    name: &'a str,
    city: &'a str,
}

impl<'a> BusinessBody<'a> {
    pub(crate) fn new(business: &'a ListedBusiness) -> Self {
        let ListedBusiness { id, org_id, name, city, .. } = business;
        Self { id: id.as_str(), org_id: org_id.get(), name, city }
    }
}

/// Returns the id in the path. A malformed id is answered like an unknown one.
pub(crate) fn review_id(request: &AuthenticatedRequest) -> Result<ReviewId, Error> {
    ReviewId::parse(request.path("review_id")).ok_or(Error::NotFound)
}

/// Reads the version of a reply.
pub(crate) fn reply_version(raw: RawValue<'_>) -> Result<u64, FieldError> {
    let version = u64::try_from(read::integer(raw)?).ok().filter(|version| (1..=MAX_ID).contains(version));
    version.ok_or_else(|| format!("must be an integer from 1 to {MAX_ID}").into())
}

/// Reads an outcome.
pub(crate) fn outcome(raw: RawValue<'_>) -> Result<ReplyOutcome, FieldError> {
    read::choice(raw, &ReplyOutcome::ALL, ReplyOutcome::as_str)
}
