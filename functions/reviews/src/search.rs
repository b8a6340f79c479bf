//! Search of reviews: `GET /api/v2/reviews`.

use crate::filter::read_filter;
use crate::{App, authorize_reading};
use presence_api::{Answer, AuthenticatedRequest, Fields, Operation, RawValue, read};
use presence_domain::access::Principal;
use presence_domain::error::{Error, FieldError, FieldErrors};
use presence_domain::page::{Page, PageRequest};
use presence_store::ReviewFilter;

use crate::wire::{PageEnvelope, ReviewBody};

/// Order of the reviews, by effective date.
#[derive(Clone, Copy)]
enum ReviewOrder {
    Oldest,
    Newest,
}

pub(crate) struct Search {
    filter: ReviewFilter,
    page: PageRequest,
}

impl Operation for Search {
    type App = App;
    type Outcome = Answer;

    fn read(fields: &mut Fields<'_>) -> Self {
        let newest_first = matches!(fields.optional("order_by", read_order), None | Some(ReviewOrder::Newest));
        Self { filter: ReviewFilter { newest_first, ..read_filter(fields) }, page: fields.page_request() }
    }

    fn authorize(&self, caller: &Principal) -> Result<(), Error> {
        authorize_reading(caller, caller.org_id)
    }

    async fn run(self, app: &App, request: &AuthenticatedRequest, errors: FieldErrors) -> Result<Answer, Error> {
        errors.into_result()?;
        let page = app.reviews.search_reviews(request.principal.scope(), &self.filter, self.page).await?;
        let max_page = page.max_page();
        let links = request.page_links(page.request.page, max_page);
        let Page { request, count, items } = &page;
        let reviews = items.iter().map(ReviewBody::new).collect();
        Ok(Answer::page(&PageEnvelope { page: request.page, max_page, count: *count, reviews }).linked(links))
    }
}

fn read_order(raw: RawValue<'_>) -> Result<ReviewOrder, FieldError> {
    read::choice(raw, &[ReviewOrder::Oldest, ReviewOrder::Newest], |order| match order {
        ReviewOrder::Oldest => "update_date",
        ReviewOrder::Newest => "-update_date",
    })
}
