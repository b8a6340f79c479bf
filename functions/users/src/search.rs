//! GET `/api/v2/user/search`: returns one page of the users that match.

use presence_api::{Answer, AuthenticatedRequest, Fields, Operation, read};
use presence_domain::access::{Action, Principal, Target, authorize};
use presence_domain::error::{Error, FieldErrors};
use presence_domain::fuzzy::FuzzyQuery;
use presence_domain::ids::OrgId;
use presence_domain::page::{Page, PageRequest};
use presence_domain::user::Role;
use presence_domain::user_directory::{ListedUser, UserFilter};
use presence_domain::work::Work;
use presence_store::BusinessIds;

use crate::App;
use crate::wire::{FoundUserBody, PageEnvelope, display_business_ids, email, status};

pub(crate) struct Search {
    org_id: Option<OrgId>,
    filter: UserFilter,
    page: PageRequest,
    with_business_ids: bool,
}

impl Operation for Search {
    type App = App;
    type Outcome = Answer;

    fn read(fields: &mut Fields<'_>) -> Self {
        Self {
            org_id: fields.optional("org_id", read::org_id),
            filter: UserFilter {
                status: fields.optional("status", status),
                last_name: fields.optional("last_name", read::search_text),
                email_key: fields.optional("email", email).map(|address| address.key().to_owned()),
                query: fields.optional("query", |raw| Ok(FuzzyQuery::parse(&read::search_text(raw)?)?)),
                work: Work::default(),
            },
            page: fields.page_request(),
            with_business_ids: display_business_ids(fields),
        }
    }

    fn authorize(&self, caller: &Principal) -> Result<(), Error> {
        let Some(org_id) = self.org_id else { return Ok(()) };
        authorize(caller, Action::ReadUsers, Target::in_org(Some(org_id), Role::Provider))
    }

    async fn run(self, app: &App, request: &AuthenticatedRequest, errors: FieldErrors) -> Result<Answer, Error> {
        errors.into_result()?;
        let (page, mut business_ids) = self.find(app, request).await?;
        let max_page = page.max_page();
        let links = request.page_links(page.request.page, max_page);
        let Page { request, count, items } = page;
        let users = items.into_iter().map(|user| FoundUserBody::new(user, business_ids.as_mut())).collect();
        Ok(Answer::page(&PageEnvelope { page: request.page, max_page, count, users }).linked(links))
    }
}

impl Search {
    /// Returns the page, and the businesses of its users if they are wanted.
    async fn find(
        &self,
        app: &App,
        request: &AuthenticatedRequest,
    ) -> Result<(Page<ListedUser>, Option<BusinessIds>), Error> {
        let (scope, org_id, filter) = (request.principal.scope(), self.org_id, &self.filter);
        if self.with_business_ids {
            let found = app.users.search_with_businesses(scope, org_id, filter, self.page).await?;
            return Ok((found.0, Some(found.1)));
        }
        Ok((app.users.search(scope, org_id, filter, self.page).await?, None))
    }
}
