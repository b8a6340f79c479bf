//! Search of reviews: `GET /api/v2/reviews`.

use crate::filter::read_filter;
use crate::{App, authorize_reading};
use presence_api::{Answer, AuthenticatedRequest, Fields, RawValue, read};
use presence_domain::error::{Error, FieldError};
use presence_domain::page::{Page, PageRequest};
use presence_store::ReviewFilter;

use crate::wire::{PageEnvelope, ReviewBody};

/// Order of the reviews, by effective date.
#[derive(Clone, Copy)]
enum Order {
    Oldest,
    Newest,
}

/// Parameters of the request.
struct SearchParameters {
    filter: ReviewFilter,
    page: PageRequest,
}

pub(crate) async fn run(app: &App, request: &AuthenticatedRequest) -> Result<Answer, Error> {
    let caller = &request.principal;
    authorize_reading(caller, caller.org_id)?;
    let mut fields = request.query();
    let SearchParameters { filter, page } = SearchParameters::read(&mut fields);
    fields.finish()?;
    let page = app.reviews.search_reviews(caller.scope(), &filter, page).await?;
    let max_page = page.max_page();
    let links = request.page_links(page.request.page, max_page);
    let Page { request, count, items } = &page;
    let reviews = items.iter().map(ReviewBody::new).collect();
    Ok(Answer::page(&PageEnvelope { page: request.page, max_page, count: *count, reviews }).linked(links))
}

impl SearchParameters {
    fn read(fields: &mut Fields<'_>) -> Self {
        let newest_first = matches!(fields.optional("order_by", read_order), None | Some(Order::Newest));
        Self { filter: ReviewFilter { newest_first, ..read_filter(fields) }, page: fields.page_request() }
    }
}

fn read_order(raw: RawValue<'_>) -> Result<Order, FieldError> {
    read::choice(raw, &[Order::Oldest, Order::Newest], |order| match order {
        Order::Oldest => "update_date",
        Order::Newest => "-update_date",
    })
}
