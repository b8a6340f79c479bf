//! Requests whose costs are counted: at least one for each route.

use anyhow::{Context as _, ensure};
use presence_api::Route;
use serde_json::{Value, json};

/// Request of an operation.
pub(super) struct SampleRequest {
    /// Name of the route.
    pub(super) route: &'static str,
    /// Words that tell this request from others of its route.
    variant: &'static str,
    pub(super) path: String,
    /// Body of the request, or null.
    pub(super) body: Value,
    /// Header beside the key, by name and value.
    pub(super) header: Option<(&'static str, &'static str)>,
    /// Variant of the same operation, or the most similar one, in the benchmark `lambda`.
    pub(super) timed_as: &'static str,
}

/// Ids of the data that the requests name.
pub(super) struct SampleIds {
    pub(super) invited_user: String,
    pub(super) active_user: String,
    pub(super) category: String,
    pub(super) review: String,
}

impl SampleRequest {
    fn new(
        route: &'static str,
        variant: &'static str,
        path: impl Into<String>,
        body: Value,
        timed_as: &'static str,
    ) -> Self {
        Self { route, variant, path: path.into(), body, header: None, timed_as }
    }

    fn without_body(
        route: &'static str,
        variant: &'static str,
        path: impl Into<String>,
        timed_as: &'static str,
    ) -> Self {
        Self::new(route, variant, path, Value::Null, timed_as)
    }

    fn with_header(self, name: &'static str, value: &'static str) -> Self {
        Self { header: Some((name, value)), ..self }
    }

    /// Returns the name of the operation in the report.
    pub(super) fn label(&self) -> String {
        match self.variant {
            "" => format!("`{}`", self.route),
            variant => format!("`{}`: {variant}", self.route),
        }
    }

    /// Returns the method of the route.
    pub(super) fn method(&self) -> anyhow::Result<&'static str> {
        let route = routes().into_iter().find(|(name, _)| *name == self.route);
        route.map(|(_, method)| method).with_context(|| format!("no route {}", self.route))
    }
}

/// Returns the requests in the order in which they are sent. The last request for a user deletes the user.
pub(super) fn sample_requests(ids: &SampleIds) -> Vec<SampleRequest> {
    let SampleIds { invited_user, active_user, category, review } = ids;
    let mut requests = Vec::from(user_reads(invited_user));
    requests.extend(user_writes(invited_user, active_user));
    requests.extend([
        SampleRequest::without_body("search_categories", "", "/category/search?lang=FR&name=boul", ""),
        SampleRequest::without_body("get_category", "", format!("/category/{category}?lang=FR"), ""),
        SampleRequest::without_body("search_reviews", "page 1 of the sample's 3,450", "/reviews", "page 1"),
        SampleRequest::without_body("search_reviews", "the same, with gzip", "/reviews", "page 1, with gzip")
            .with_header("accept-encoding", "gzip"),
        SampleRequest::without_body(
            "search_reviews",
            "a city, a rating",
            "/reviews?business_city=saint-etienne&rating__in=1,2",
            "a city",
        ),
    ]);
    let statistics = [("of all reviews", "/reviews/stats"), ("by month", "/reviews/stats?group_by=month")];
    let statistics =
        statistics.map(|(variant, path)| SampleRequest::without_body("get_review_stats", variant, path, variant));
    requests.extend(statistics);
    requests.extend([
        SampleRequest::without_body("get_review", "", format!("/reviews/{review}"), ""),
        SampleRequest::without_body("search_businesses", "", "/business/search?query=verte", ""),
    ]);
    requests
}

fn user_reads(user: &str) -> [SampleRequest; 5] {
    [
        SampleRequest::without_body("get_me", "", "/user/me", ""),
        SampleRequest::without_body("get_user", "", format!("/user/{user}"), ""),
        SampleRequest::without_body("get_user_stats", "", "/user/stats", ""),
        SampleRequest::without_body(
            "search_users",
            "without business ids",
            "/user/search?query=martin&display_business_ids=False",
            "fuzzy query",
        ),
        SampleRequest::without_body(
            "search_users",
            "a page of 9, with business ids",
            "/user/search?per_page=9",
            "with business ids",
        ),
    ]
}

fn user_writes(invited_user: &str, active_user: &str) -> [SampleRequest; 9] {
    let create = |variant, body, timed_as| SampleRequest::new("create_user", variant, "/user", body, timed_as);
    let path = format!("/user/{active_user}");
    let update = |variant, body, timed_as| SampleRequest::new("update_user", variant, path.clone(), body, timed_as);
    [
        create("active, with a password", user_body("another", "active"), "active, with a password"),
        create("invited: the mail is a row below", user_body("third", "invited"), "invited"),
        create("with an idempotency key", user_body("fourth", "active"), "with an idempotency key")
            .with_header("idempotency-key", "a-key-of-the-benchmark"),
        create("the same again: the stored answer", user_body("fourth", "active"), "the same again")
            .with_header("idempotency-key", "a-key-of-the-benchmark"),
        update("a phone number", json!({ "phone": "+33 1 23 45 67 89" }), "a phone number"),
        update("an address", json!({ "email": "friend-2@bench.example" }), "a phone number"),
        update("a password", json!({ "password": "lovelace2" }), "a password"),
        SampleRequest::without_body(
            "invite_user",
            "the mail is a row below",
            format!("/user/{invited_user}/invite"),
            "",
        ),
        SampleRequest::without_body("delete_user", "", path.clone(), ""),
    ]
}

/// Returns the body that creates a user.
pub(super) fn user_body(local_part: &str, status: &str) -> Value {
    json!({
        "email": format!("{local_part}@bench.example"),
        "first_name": "Ada",
        "last_name": "Byron",
        "status": status,
        "password": "lovelace",
    })
}

/// Fails if a route has no request.
pub(super) fn ensure_all_covered(requests: &[SampleRequest]) -> anyhow::Result<()> {
    for (name, _) in routes() {
        ensure!(requests.iter().any(|request| request.route == name), "{name} has no row");
    }
    Ok(())
}

/// Returns the name and the method of every route.
fn routes() -> Vec<(&'static str, &'static str)> {
    fn names_and_methods<Operation>(routes: &[Route<Operation>]) -> Vec<(&'static str, &'static str)> {
        routes.iter().map(|route| (route.name, route.method)).collect()
    }
    let mut routes = names_and_methods(&presence_users::ROUTES);
    routes.extend(names_and_methods(&presence_categories::ROUTES));
    routes.extend(names_and_methods(&presence_reviews::ROUTES));
    routes
}
