//! GET `/api/v2/business/search`: returns one page of the businesses that match.

use presence_api::{Answer, AuthenticatedRequest, Fields, RawValue, read};
use presence_domain::access::{Action, Target, authorize};
use presence_domain::business_directory::{BusinessFilter, BusinessQuery};
use presence_domain::error::{Error, FieldError};
use presence_domain::page::Page;
use presence_domain::user::Role;

use crate::App;
use crate::wire::{BusinessBody, BusinessPage};

pub(crate) async fn run(app: &App, request: &AuthenticatedRequest) -> Result<Answer, Error> {
    let mut fields = request.query();
    let filter = read_filter(&mut fields);
    let page = fields.page_request();
    if let Some(org_id) = filter.org_id {
        let target = Target { user_id: None, org_id: Some(org_id), role: Role::Provider };
        authorize(&request.principal, Action::ReadBusinesses, target)?;
    }
    fields.finish()?;
    let page = app.businesses.search(request.principal.scope(), filter, page).await?;
    let max_page = page.max_page();
    let links = request.page_links(page.request.page, max_page);
    let Page { request, count, items } = &page;
    let businesses = items.iter().map(|business| BusinessBody::new(business)).collect();
    Ok(Answer::page(&BusinessPage { page: request.page, max_page, count: *count, businesses }).linked(links))
}

fn read_filter(fields: &mut Fields<'_>) -> BusinessFilter {
    BusinessFilter {
        org_id: fields.optional("org_id", read::org_id),
        query: fields.optional("query", query),
        city_key: fields.optional("city", read::city),
    }
}

fn query(raw: RawValue<'_>) -> Result<BusinessQuery, FieldError> {
    // Refuses what is too long. The words are folded one by one, because a folded text may have other blanks.
    read::city(raw)?;
    BusinessQuery::parse(read::text(raw)?).ok_or_else(|| "has nothing to search for".into())
}
