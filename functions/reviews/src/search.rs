//! GET /api/v2/reviews

use presence_api::app::App;
use presence_api::{Answer, Call, Fields, Given, read};
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

pub(crate) async fn run(app: &App, call: &Call) -> Result<Answer, Error> {
    let caller = &call.principal;
    let target = Target { user_id: None, org_id: caller.org_id, role: caller.role };
    authorize(caller, Action::ReadReviews, target)?;
    let mut fields = call.query();
    let search = Search::read(&mut fields);
    fields.finish()?;
    let page = app.store.search_reviews(caller.scope(), &search.filter, search.page).await?;
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
            page: PageRequest {
                page: fields.optional("page", read::page).unwrap_or(1),
                size: fields.optional("per_page", read::per_page).unwrap_or(PageRequest::DEFAULT_SIZE),
            },
        }
    }
}

/// The filters that tell cells apart: all of them must admit a review.
fn mask(fields: &mut Fields<'_>) -> FacetMask {
    let states = fields.list("state", state);
    let ratings = fields.list("rating__in", rating);
    let only_rating = fields.optional("rating", rating);
    let partners = fields.list("partner__in", partner);
    let without_content = fields.optional_not_blank("content__isnull", read::boolean);
    FacetMask::from_predicate(|state, rating, partner, has_content| {
        states.as_ref().is_none_or(|states| states.contains(&state))
            && ratings.as_ref().is_none_or(|ratings| ratings.contains(&rating))
            && only_rating.is_none_or(|only| only == rating)
            && partners.as_ref().is_none_or(|partners| partners.contains(&partner))
            && without_content.is_none_or(|without| without != has_content)
    })
}

fn state(given: Given<'_>) -> Result<ReviewState, FieldError> {
    read::choice(given, &ReviewState::ALL, ReviewState::as_str)
}

fn partner(given: Given<'_>) -> Result<Partner, FieldError> {
    read::choice(given, &Partner::ALL, Partner::as_str)
}

fn rating(given: Given<'_>) -> Result<Rating, FieldError> {
    Rating::new(read::integer(given)?).ok_or_else(|| "must be an integer from 1 to 5".into())
}

fn business(given: Given<'_>) -> Result<Option<BusinessId>, FieldError> {
    Ok(BusinessId::parse(read::text(given)?))
}

fn order(given: Given<'_>) -> Result<Order, FieldError> {
    read::choice(given, &[Order::Oldest, Order::Newest], |order| match order {
        Order::Oldest => "update_date",
        Order::Newest => "-update_date",
    })
}

fn first_second(given: Given<'_>) -> Result<i64, FieldError> {
    date(given, DateInput::first_second)
}

fn last_second(given: Given<'_>) -> Result<i64, FieldError> {
    date(given, DateInput::last_second)
}

fn date(given: Given<'_>, second: fn(DateInput) -> i64) -> Result<i64, FieldError> {
    let written = DateInput::parse(read::text(given)?.trim());
    written
        .map(second)
        .ok_or_else(|| "must be a date (YYYY-MM-DD) or a date and time (YYYY-MM-DDTHH:MM:SS, Z or ±hh:mm)".into())
}
