//! GET /api/v2/reviews

use crate::App;
use presence_api::{Answer, AuthenticatedRequest, Fields, RawValue, read};
use presence_domain::access::{Action, Target, authorize};
use presence_domain::error::{Error, FieldError};
use presence_domain::ids::BusinessId;
use presence_domain::instant::DateInput;
use presence_domain::ledger::FacetMask;
use presence_domain::page::{Page, PageRequest};
use presence_domain::review::{Partner, Rating, ReviewState};
use presence_store::ReviewFilter;

use crate::wire::{PageEnvelope, ReviewBody};

/// In what order reviews come.
#[derive(Clone, Copy)]
enum Order {
    Oldest,
    Newest,
}

struct Search {
    filter: ReviewFilter,
    page: PageRequest,
}

pub(crate) async fn run(app: &App, request: &AuthenticatedRequest) -> Result<Answer, Error> {
    let caller = &request.principal;
    let target = Target { user_id: None, org_id: caller.org_id, role: caller.role };
    authorize(caller, Action::ReadReviews, target)?;
    let mut fields = request.query();
    let search = Search::read(&mut fields);
    fields.finish()?;
    let page = app.reviews.search_reviews(caller.scope(), &search.filter, search.page).await?;
    let max_page = page.max_page();
    let Page { request, count, items } = &page;
    let reviews = items.iter().map(ReviewBody::new).collect();
    Ok(Answer::page(&PageEnvelope { page: request.page, max_page, count: *count, reviews }))
}

impl Search {
    fn read(fields: &mut Fields<'_>) -> Self {
        let businesses = fields.list("business__in", business);
        Self {
            filter: ReviewFilter {
                // What is no id is the id of no business: it matches nothing, like an unknown one.
                businesses: businesses.map(|ids| ids.into_iter().flatten().collect()),
                city_key: fields.optional("business_city", read::city),
                mask: mask(fields),
                from: fields.optional("update_date__gte", first_second),
                to: fields.optional("update_date__lte", last_second),
                newest_first: matches!(fields.optional("order_by", order), None | Some(Order::Newest)),
            },
            page: fields.page_request(),
        }
    }
}

/// The filters that tell cells apart: all of them must admit a review.
fn mask(fields: &mut Fields<'_>) -> FacetMask {
    let states = fields.list("state", state);
    let ratings = fields.list("rating__in", rating);
    let only_rating = fields.optional("rating", rating);
    let partners = fields.list("partner__in", partner);
    let without_content = fields.optional_strict("content__isnull", read::boolean);
    FacetMask::from_predicate(|state, rating, partner, has_content| {
        states.as_ref().is_none_or(|states| states.contains(&state))
            && ratings.as_ref().is_none_or(|ratings| ratings.contains(&rating))
            && only_rating.is_none_or(|only| only == rating)
            && partners.as_ref().is_none_or(|partners| partners.contains(&partner))
            && without_content.is_none_or(|without| without != has_content)
    })
}

fn state(raw: RawValue<'_>) -> Result<ReviewState, FieldError> {
    read::choice(raw, &ReviewState::ALL, ReviewState::as_str)
}

fn partner(raw: RawValue<'_>) -> Result<Partner, FieldError> {
    read::choice(raw, &Partner::ALL, Partner::as_str)
}

fn rating(raw: RawValue<'_>) -> Result<Rating, FieldError> {
    Rating::new(read::integer(raw)?).ok_or_else(|| "must be an integer from 1 to 5".into())
}

fn business(raw: RawValue<'_>) -> Result<Option<BusinessId>, FieldError> {
    Ok(BusinessId::parse(read::text(raw)?))
}

fn order(raw: RawValue<'_>) -> Result<Order, FieldError> {
    read::choice(raw, &[Order::Oldest, Order::Newest], |order| match order {
        Order::Oldest => "update_date",
        Order::Newest => "-update_date",
    })
}

fn first_second(raw: RawValue<'_>) -> Result<i64, FieldError> {
    date(raw, DateInput::first_second)
}

fn last_second(raw: RawValue<'_>) -> Result<i64, FieldError> {
    date(raw, DateInput::last_second)
}

fn date(raw: RawValue<'_>, second: fn(DateInput) -> i64) -> Result<i64, FieldError> {
    let written = DateInput::parse(read::text(raw)?.trim());
    written
        .map(second)
        .ok_or_else(|| "must be a date (YYYY-MM-DD) or a date and time (YYYY-MM-DDTHH:MM:SS, Z or ±hh:mm)".into())
}
