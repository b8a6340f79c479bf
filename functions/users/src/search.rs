//! GET /api/v2/user/search

use std::collections::HashMap;

use presence::access::{Action, Target, authorize};
use presence::app::App;
use presence::domain::directory::{ListedUser, UserFilter};
use presence::domain::fuzzy::FuzzyQuery;
use presence::domain::ids::{OrgId, UserId};
use presence::domain::page::{Page, PageRequest};
use presence::domain::user::Role;
use presence::error::{Error, FieldError};
use presence::http::{Answer, Call, Fields, Given, read};

use crate::wire::{FoundUserBody, PageEnvelope, display_business_ids, email, status};

/// How often a page is found anew because one of its users was deleted before its businesses were read.
const ATTEMPTS: u32 = 3;

struct Search {
    org_id: Option<OrgId>,
    filter: UserFilter,
    page: PageRequest,
    with_business_ids: bool,
}

pub(crate) async fn run(app: &App, call: &Call) -> Result<Answer, Error> {
    let mut fields = call.query();
    let search = Search::read(&mut fields);
    if let Some(org_id) = search.org_id {
        let target = Target { user_id: None, org_id: Some(org_id), role: Role::Provider };
        authorize(&call.principal, Action::ReadUsers, target)?;
    }
    fields.finish()?;
    let (page, mut business_ids) = search.find(app, call).await?;
    let max_page = page.max_page();
    let Page { request, count, items } = page;
    let users = items.into_iter().map(|user| FoundUserBody::new(user, business_ids.as_mut())).collect();
    Ok(Answer::ok(&PageEnvelope { page: request.page, max_page, count, users }))
}

impl Search {
    fn read(fields: &mut Fields<'_>) -> Self {
        Self {
            org_id: fields.optional("org_id", read::org_id),
            filter: UserFilter {
                status: fields.optional("status", status),
                last_name: fields.optional("last_name", read::search_text),
                email_key: fields.optional("email", email).map(|address| address.key().to_owned()),
                query: fields.optional("query", query),
            },
            page: PageRequest {
                page: fields.optional("page", read::page).unwrap_or(1),
                size: fields.optional("per_page", read::per_page).unwrap_or(PageRequest::DEFAULT_SIZE),
            },
            with_business_ids: display_business_ids(fields),
        }
    }

    async fn find(
        &self,
        app: &App,
        call: &Call,
    ) -> Result<(Page<ListedUser>, Option<HashMap<UserId, Vec<String>>>), Error> {
        for attempt in 1.. {
            let page = app.store.find_users(call.principal.scope(), self.org_id, &self.filter, self.page).await?;
            if !self.with_business_ids {
                return Ok((page, None));
            }
            let ids: Vec<_> = page.items.iter().map(|user| user.id).collect();
            let business_ids = app.store.business_ids_of(&ids).await?;
            if business_ids.len() == ids.len() || attempt == ATTEMPTS {
                return Ok((page, Some(business_ids)));
            }
        }
        unreachable!("the last attempt returns")
    }
}

fn query(given: Given<'_>) -> Result<FuzzyQuery, FieldError> {
    FuzzyQuery::parse(&read::search_text(given)?).ok_or_else(|| "has nothing to search for".into())
}
