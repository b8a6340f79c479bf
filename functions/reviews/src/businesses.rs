//! GET `/api/v2/business/search`: returns one page of the businesses that match.

use presence_api::{Answer, AuthenticatedRequest, Fields, Operation, RawValue, read};
use presence_domain::access::{Action, Principal, Target, authorize};
use presence_domain::business_directory::{BusinessFilter, BusinessQuery};
use presence_domain::error::{Error, FieldError, FieldErrors};
use presence_domain::page::{Page, PageRequest};
use presence_domain::user::Role;
use presence_domain::work::Work;

use crate::App;
use crate::wire::{BusinessBody, BusinessPage};

pub(crate) struct SearchBusinesses {
    filter: BusinessFilter,
    page: PageRequest,
}

impl Operation for SearchBusinesses {
    type App = App;
    type Outcome = Answer;

    fn read(fields: &mut Fields<'_>) -> Self {
        let filter = BusinessFilter {
            org_id: fields.optional("org_id", read::org_id),
            query: fields.optional("query", query),
            city_key: fields.optional("city", read::city),
            work: Work::default(),
        };
        Self { filter, page: fields.page_request() }
    }

    fn authorize(&self, caller: &Principal) -> Result<(), Error> {
        let Some(org_id) = self.filter.org_id else { return Ok(()) };
        authorize(caller, Action::ReadBusinesses, Target::in_org(Some(org_id), Role::Provider))
    }

    async fn run(self, app: &App, request: &AuthenticatedRequest, errors: FieldErrors) -> Result<Answer, Error> {
        errors.into_result()?;
        let page = app.businesses.search(request.principal.scope(), self.filter, self.page).await?;
        let max_page = page.max_page();
        let links = request.page_links(page.request.page, max_page);
        let Page { request, count, items } = &page;
        let businesses = items.iter().map(|business| BusinessBody::new(business)).collect();
        Ok(Answer::page(&BusinessPage { page: request.page, max_page, count: *count, businesses }).linked(links))
    }
}

fn query(raw: RawValue<'_>) -> Result<BusinessQuery, FieldError> {
    // Refuses what is too long. The words are folded one by one, because a folded text may have other blanks.
    read::city(raw)?;
    Ok(BusinessQuery::parse(read::text(raw)?)?)
}
