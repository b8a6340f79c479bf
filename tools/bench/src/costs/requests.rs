//! Requests whose costs are counted: at least one for each route.

use anyhow::{Context as _, ensure};
use presence_api::Route;
use serde_json::{Value, json};

use crate::lambda::REPLY;

/// Role of the callers of all requests but one.
pub(super) const ORG_ADMIN: &str = "ORG_ADMIN";

/// Request of an operation.
pub(super) struct SampleRequest {
    /// Name of the route.
    pub(super) route: &'static str,
    /// Words that tell this request from others of its route.
    variant: &'static str,
    pub(super) path: String,
    /// Body of the request, or null.
    pub(super) body: Value,
    /// Role of the caller.
    pub(super) caller: &'static str,
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
    /// The caller, and a key of the caller.
    pub(super) caller: String,
    pub(super) key: String,
    pub(super) webhook: String,
    /// Cursor of the oldest event of the caller's organisation.
    pub(super) oldest: String,
}

/// Returns a request without a body.
fn request(
    route: &'static str,
    variant: &'static str,
    path: impl Into<String>,
    timed_as: &'static str,
) -> SampleRequest {
    SampleRequest { route, variant, path: path.into(), body: Value::Null, caller: ORG_ADMIN, header: None, timed_as }
}

impl SampleRequest {
    fn with_body(self, body: Value) -> Self {
        Self { body, ..self }
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

    /// Returns the operation whose measured time counts: the most similar one.
    pub(super) fn timed_operation(&self) -> &'static str {
        match self.route {
            "get_webhook" | "list_deliveries" => "list_webhooks",
            route if route.ends_with("_webhook") => "update_webhook",
            route => route,
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
    let SampleIds { invited_user, active_user, category, review, caller, key, webhook, oldest } = ids;
    let user = format!("/user/{active_user}");
    let keys = format!("/user/{caller}/keys");
    let (review, reply) = (format!("/reviews/{review}"), format!("/reviews/{review}/reply"));
    let set = |variant, state| request("set_review_state", variant, &review, "").with_body(json!({ "state": state }));
    let hook = format!("/webhooks/{webhook}");
    let of_hook = |route, path: &str| request(route, "", format!("{hook}{path}"), "");
    let outcome = json!({ "version": 1, "outcome": "published" });
    let create = |variant, name, status, timed_as| {
        request("create_user", variant, "/user", timed_as).with_body(user_body(name, status))
    };
    let create_with_key = |variant, timed_as| {
        create(variant, "fourth", "active", timed_as).with_header("idempotency-key", "a-key-of-the-benchmark")
    };
    let update = |variant, timed_as, body| request("update_user", variant, &user, timed_as).with_body(body);
    #[rustfmt::skip]
    let requests = vec![
        request("get_me", "", "/user/me", ""),
        request("get_user", "", format!("/user/{invited_user}"), ""),
        request("get_user_stats", "", "/user/stats", ""),
        request("search_users", "without business ids", "/user/search?query=martin&display_business_ids=False", "fuzzy query"),
        request("search_users", "a page of 9, with business ids", "/user/search?per_page=9", "with business ids"),
        create("active, with a password", "another", "active", "active, with a password"),
        create("invited: the mail is a row below", "third", "invited", "invited"),
        create_with_key("with an idempotency key", "with an idempotency key"),
        create_with_key("the same again: the stored answer", "the same again"),
        update("a phone number", "a phone number", json!({ "phone": "+33 1 23 45 67 89" })),
        update("an address", "a phone number", json!({ "email": "friend-2@bench.example" })),
        update("a password", "a password", json!({ "password": "lovelace2" })),
        request("invite_user", "the mail is a row below", format!("/user/{invited_user}/invite"), ""),
        request("delete_user", "", &user, ""),
        request("search_categories", "", "/category/search?lang=FR&name=boul", ""),
        request("get_category", "", format!("/category/{category}?lang=FR"), ""),
        request("search_reviews", "page 1 of the sample's 3,450", "/reviews", "page 1"),
        request("search_reviews", "the same, with gzip", "/reviews", "page 1, with gzip").with_header("accept-encoding", "gzip"),
        request("search_reviews", "a city, a rating", "/reviews?business_city=saint-etienne&rating__in=1,2", "a city"),
        request("get_review_stats", "of all reviews", "/reviews/stats", "of all reviews"),
        request("get_review_stats", "by month", "/reviews/stats?group_by=month", "by month"),
        request("get_review", "", &review, ""),
        request("search_businesses", "", "/business/search?query=verte", ""),
        set("the first change of this process", "treated"),
        set("", "not_treated"),
        request("put_reply", "", &reply, "").with_body(json!({ "content": REPLY })),
        request("get_reply", "", &reply, ""),
        SampleRequest { caller: "PROVIDER", ..request("report_reply_outcome", "", format!("{reply}/outcome"), "").with_body(outcome) },
        request("delete_reply", "", &reply, ""),
        request("list_keys", "of two keys", &keys, ""),
        request("create_key", "", &keys, "").with_body(json!({ "label": "till" })),
        request("rotate_key", "", format!("{keys}/{key}/rotate"), "").with_body(json!({})),
        request("revoke_key", "", format!("{keys}/{key}"), ""),
        request("list_events", "a page of 30", "/events", ""),
        request("list_webhooks", "of one", "/webhooks", ""),
        request("create_webhook", "", "/webhooks", "").with_body(json!({ "url": "https://example.com/events" })),
        of_hook("get_webhook", ""),
        of_hook("update_webhook", "").with_body(json!({ "label": "till" })),
        of_hook("rotate_webhook", "/rotate"),
        of_hook("test_webhook", "/test"),
        request("enable_webhook", "of an enabled one: no write", format!("{hook}/enable"), ""),
        of_hook("replay_webhook", "/replay").with_body(json!({ "after": oldest })),
        request("list_deliveries", "of none", format!("{hook}/deliveries"), ""),
        of_hook("delete_webhook", ""),
    ];
    requests
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
    routes.extend(names_and_methods(&presence_feed::ROUTES));
    routes
}
