//! GET `/api/v2/events`: returns the events of an organisation after a cursor.

use presence_api::{Answer, AuthenticatedRequest, Fields, Operation, RawValue, read};
use presence_domain::access::{Action, Principal};
use presence_domain::error::{Error, FieldError, FieldErrors};
use presence_domain::feed::{EventFilter, EventPattern, FeedCursor, FeedPage, FeedStart};
use presence_domain::ids::OrgId;

use crate::App;
use crate::org::{authorize_org, org_of, org_or_none};
use crate::wire::EventsBody;

/// Largest number of events in a page.
const MAX_LIMIT: usize = 100;
/// Number of events in a page if the request names none.
pub(crate) const DEFAULT_LIMIT: usize = 30;

#[expect(clippy::option_option, reason = "`none` names the users without an organisation")]
pub(crate) struct ListEvents {
    org_id: Option<Option<OrgId>>,
    after: Option<String>,
    limit: usize,
    filter: EventFilter,
}

impl Operation for ListEvents {
    type App = App;
    type Outcome = Answer;

    fn read(fields: &mut Fields<'_>) -> Self {
        Self {
            org_id: fields.optional("org_id", org_or_none),
            after: fields.optional("after", |raw| read::text(raw).map(str::to_owned)),
            limit: fields.optional("limit", limit).unwrap_or(DEFAULT_LIMIT),
            filter: EventFilter(
                fields.list("type__in", |raw| EventPattern::parse(read::text(raw)?)).unwrap_or_default(),
            ),
        }
    }

    fn authorize(&self, caller: &Principal) -> Result<(), Error> {
        authorize_org(caller, Action::ReadEvents, self.org_id)
    }

    async fn run(self, app: &App, request: &AuthenticatedRequest, mut errors: FieldErrors) -> Result<Answer, Error> {
        if !app.has_events {
            return Err(Error::invalid("events are not set up"));
        }
        let org_id = org_of(&request.principal, self.org_id, &mut errors);
        let start = match (self.after.as_deref(), org_id) {
            (Some(after), Some(org_id)) => FeedCursor::parse_start(after, org_id),
            _ => Ok(FeedStart::Oldest),
        };
        let start = start.map_err(|error| errors.add("after", error.to_string())).unwrap_or_default();
        errors.into_result()?;
        let org_id = org_id.flatten();
        // With a filter, a page looks at as many events as any page may.
        let considered = if self.filter.0.is_empty() { self.limit } else { MAX_LIMIT };
        let page = app.feed.read(org_id, start, considered, app.clock.now()).await?;
        let page = matching(page, &self.filter, self.limit);
        Ok(Answer::ok(&EventsBody::new(org_id, &page)))
    }
}

/// Returns the page with at most this many events that the filter admits. It ends at the last of them, or where it ended.
fn matching(page: FeedPage, filter: &EventFilter, limit: usize) -> FeedPage {
    let mut events = page.events;
    events.retain(|event| filter.admits(event.kind));
    if events.len() <= limit {
        return FeedPage { events, ..page };
    }
    events.truncate(limit);
    let last = events.last().map_or(page.last, |event| event.number);
    FeedPage { events, last, has_more: true }
}

/// Reads the largest number of rows of a page.
pub(crate) fn limit(raw: RawValue<'_>) -> Result<usize, FieldError> {
    let limit = usize::try_from(read::integer(raw)?).ok().filter(|limit| (1..=MAX_LIMIT).contains(limit));
    limit.ok_or_else(|| format!("must be an integer from 1 to {MAX_LIMIT}").into())
}
