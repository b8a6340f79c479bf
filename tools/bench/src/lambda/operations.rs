//! Requests that are measured.

use anyhow::Context as _;
use serde_json::{Value, json};

use super::REPLY;
use super::environment::LambdaEnvironment;
use super::organisation::{Organisation, UserUse};
use crate::distribution::CITIES_BY_SIZE;
use crate::sandbox::event;

/// Kind of a request, from which its event is made.
#[derive(Clone, Copy, Debug)]
enum RequestKind {
    /// GET request of the API. Path and query may have parameters in braces.
    Get {
        path: &'static str,
        query: &'static str,
    },
    /// Search of a PROVIDER, who sees the reviews of so many organisations.
    SearchAllReviews {
        orgs: u64,
    },
    /// Search of the first page, with this method and these accepted codings.
    FirstPage {
        method: &'static str,
        accept_encoding: &'static str,
    },
    CreateActive,
    /// Creation with an idempotency key that no other request has.
    CreateWithKey,
    /// Creation that is always the same: only the first one creates the user, and the others get the stored answer.
    CreateAgain,
    CreateInvited,
    UpdatePhone,
    UpdatePassword,
    Invite,
    Delete,
    /// Request about the keys of a user who has one.
    OfKeys {
        method: &'static str,
        suffix: &'static str,
    },
    /// Change of the state of the review, each time to the other one.
    SetState,
    /// Request about the reply of the review. Before each other than PUT, there is a new reply.
    OfReply {
        method: &'static str,
        suffix: &'static str,
    },
    /// Change of the label of a webhook.
    UpdateWebhook,
    SendMail,
    Sweep,
}

/// Operation that is measured, in one of its variants.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operation {
    /// Name of the route, or of the mailer's work.
    pub(super) name: &'static str,
    pub(super) variant: &'static str,
    kind: RequestKind,
}

/// Operations that one process answers in this order. Only the first of them meets a cold process.
#[derive(Clone, Debug)]
pub(super) struct OperationGroup {
    pub(super) function: &'static str,
    pub(super) operations: Vec<Operation>,
    /// True if the cost depends on the number of users of the organisation.
    pub(super) depends_on_size: bool,
}

impl OperationGroup {
    fn single(function: &'static str, operation: Operation) -> Self {
        Self { function, operations: vec![operation], depends_on_size: false }
    }

    fn for_all_sizes(operations: Vec<Operation>) -> Self {
        Self { function: "users", operations, depends_on_size: true }
    }
}

const USER: &str = "/api/v2/user/{user_id}";
const SEARCH: &str = "/api/v2/user/search";
const CATEGORY_SEARCH: &str = "/api/v2/category/search";
const REVIEWS: &str = "/api/v2/reviews";
const REVIEW_STATS: &str = "/api/v2/reviews/stats";
const REVIEW: &str = "/api/v2/reviews/{review_id}";
const BUSINESS_SEARCH: &str = "/api/v2/business/search";
const EVENTS: &str = "/api/v2/events";
const WEBHOOKS: &str = "/api/v2/webhooks";

/// Returns all groups. The sweep is the first one: it must find nothing, and later operations leave mails in the outbox.
pub(super) fn groups() -> Vec<OperationGroup> {
    use RequestKind::{CreateActive, CreateAgain, CreateInvited, CreateWithKey, Delete, Invite, SendMail, Sweep};
    use RequestKind::{FirstPage, OfKeys, OfReply, SearchAllReviews, SetState};
    use RequestKind::{UpdatePassword, UpdatePhone, UpdateWebhook};
    let single = |function, name, variant, kind| OperationGroup::single(function, Operation { name, variant, kind });
    let get = |function, name, variant, path, query| {
        OperationGroup::single(function, Operation::get(name, variant, path, query))
    };
    let reviews = |variant, query| get("reviews", "search_reviews", variant, REVIEWS, query);
    let stats = |variant, query| get("reviews", "get_review_stats", variant, REVIEW_STATS, query);
    let keys = |name, method, suffix| single("users", name, "", OfKeys { method, suffix });
    let reply = |name, method, suffix| single("reviews", name, "", OfReply { method, suffix });
    let users = |variant, query| Operation::get("search_users", variant, SEARCH, query);
    #[rustfmt::skip]
    let groups = vec![
        single("mailer", "sweep", "nothing is due", Sweep),
        get("users", "get_me", "", "/api/v2/user/me", ""),
        get("users", "get_user", "", USER, ""),
        get("users", "get_user_stats", "", "/api/v2/user/stats", ""),
        OperationGroup::for_all_sizes(vec![
            users("no filter", "display_business_ids=False"),
            users("status", "display_business_ids=False&status=invited"),
            users("last_name", "display_business_ids=False&last_name=mart"),
            users("fuzzy query", "display_business_ids=False&query=lefevrre"),
            users("with business ids", ""),
        ]),
        OperationGroup::for_all_sizes(vec![users("email", "display_business_ids=False&email={email}")]),
        single("users", "create_user", "active, with a password", CreateActive),
        single("users", "create_user", "with an idempotency key", CreateWithKey),
        single("users", "create_user", "the same again", CreateAgain),
        single("users", "create_user", "invited", CreateInvited),
        single("users", "update_user", "a phone number", UpdatePhone),
        single("users", "update_user", "a password", UpdatePassword),
        single("users", "invite_user", "", Invite),
        single("users", "delete_user", "", Delete),
        keys("list_keys", "GET", "/keys"),
        keys("create_key", "POST", "/keys"),
        keys("rotate_key", "POST", "/keys/{key_id}/rotate"),
        keys("revoke_key", "DELETE", "/keys/{key_id}"),
        get("categories", "search_categories", "", CATEGORY_SEARCH, "lang=FR&name=boul"),
        get("categories", "get_category", "", "/api/v2/category/{categoryId}", "lang=FR"),
        reviews("page 1", ""),
        reviews("page 1000", "page=1000"),
        reviews("a state and two ratings", "state=not_treated&rating__in=1,2"),
        reviews("a city", "business_city={city}"),
        reviews("20 businesses", "business__in={20 businesses}"),
        reviews("100 businesses", "business__in={100 businesses}"),
        reviews("385 businesses", "business__in={385 businesses}"),
        single("reviews", "search_reviews", "page 1, with gzip", FirstPage { method: "GET", accept_encoding: "gzip" }),
        single("reviews", "search_reviews", "page 1, HEAD", FirstPage { method: "HEAD", accept_encoding: "identity" }),
        stats("of all reviews", ""),
        stats("by month", "group_by=month"),
        stats("by business", "group_by=business"),
        get("reviews", "get_review", "", REVIEW, ""),
        get("reviews", "search_businesses", "", BUSINESS_SEARCH, "query=shop"),
        single("reviews", "set_review_state", "", SetState),
        reply("put_reply", "PUT", ""),
        reply("get_reply", "GET", ""),
        reply("report_reply_outcome", "POST", "/outcome"),
        reply("delete_reply", "DELETE", ""),
        get("feed", "list_events", "", EVENTS, ""),
        get("feed", "list_webhooks", "", WEBHOOKS, ""),
        single("feed", "update_webhook", "", UpdateWebhook),
        // More organisations are loaded for the second one, so that it must be the last search.
        single("reviews", "search_reviews", "PROVIDER of 100 organisations", SearchAllReviews { orgs: 100 }),
        single("reviews", "search_reviews", "PROVIDER of 1500 organisations", SearchAllReviews { orgs: 1_500 }),
        single("mailer", "send_mail", "one, from the stream", SendMail),
    ];
    groups
}

impl Operation {
    const fn get(name: &'static str, variant: &'static str, path: &'static str, query: &'static str) -> Self {
        Self { name, variant, kind: RequestKind::Get { path, query } }
    }

    /// Returns the event of a request that the same function gets before, and that is not measured.
    pub(super) fn preparation(&self, environment: &LambdaEnvironment) -> Option<String> {
        let needs_reply = matches!(self.kind, RequestKind::OfReply { method, .. } if method != "PUT");
        needs_reply.then(|| reply_event("PUT", "", environment))
    }

    /// Returns the next event of this operation, for a caller of the organisation.
    pub(super) async fn event(&self, environment: &LambdaEnvironment, org: &Organisation) -> anyhow::Result<String> {
        let key = org.key.as_str();
        Ok(match self.kind {
            RequestKind::Get { path, query } => get_event(path, query, environment, org)?,
            RequestKind::SearchAllReviews { orgs } => {
                environment.load_small_orgs(orgs)?;
                event::get(&format!("GET {REVIEWS}"), REVIEWS, "", &environment.provider_key)
            }
            RequestKind::FirstPage { method, accept_encoding } => {
                let search = format!("{method} {REVIEWS}");
                let search = event::request(&search, REVIEWS, "", &environment.reviews_key, &Value::Null);
                event::with_header(&search, "accept-encoding", accept_encoding)?
            }
            RequestKind::CreateActive => create_active_event(key, &random_name()),
            RequestKind::CreateWithKey => {
                let name = random_name();
                event::with_header(&create_active_event(key, &name), "idempotency-key", &name)?
            }
            RequestKind::CreateAgain => {
                event::with_header(&create_active_event(key, "again"), "idempotency-key", "again")?
            }
            RequestKind::CreateInvited => create_event(key, &random_name(), json!({ "status": "invited" })),
            RequestKind::UpdatePhone => {
                user_event("POST", "", org.take_user(UserUse::Update)?, key, &json!({ "phone": "+33 1 23 45 67 89" }))
            }
            RequestKind::UpdatePassword => {
                user_event("POST", "", org.take_user(UserUse::Update)?, key, &json!({ "password": "lovelace2" }))
            }
            RequestKind::Invite => user_event("POST", "/invite", org.take_user(UserUse::Invite)?, key, &Value::Null),
            RequestKind::Delete => user_event("DELETE", "", org.take_user(UserUse::Delete)?, key, &Value::Null),
            RequestKind::OfKeys { method, suffix } => {
                let id = org.take_user(UserUse::Update)?;
                let created =
                    environment.send("POST", &format!("/user/{id}/keys"), key, &json!({ "label": "first" })).await?;
                keys_event(method, suffix, id, created["id"].as_str().context("a key")?, key)
            }
            RequestKind::SetState => {
                let is_treated = environment.states.replace(environment.states.get() + 1).is_multiple_of(2);
                let state = if is_treated { "treated" } else { "not_treated" };
                review_event("PUT", "", environment, &json!({ "state": state }))
            }
            RequestKind::OfReply { method, suffix } => reply_event(method, suffix, environment),
            RequestKind::UpdateWebhook => {
                let (number, id) = (environment.states.replace(environment.states.get() + 1), &environment.webhook);
                let body = json!({ "label": number.to_string() });
                let route = format!("POST {WEBHOOKS}/{{webhook_id}}");
                event::request(&route, &format!("{WEBHOOKS}/{id}"), "", &environment.reviews_key, &body)
            }
            RequestKind::SendMail => {
                let id = org.take_user(UserUse::Mail)?.to_string();
                environment.send("POST", &format!("/user/{id}/invite"), key, &Value::Null).await?;
                event::mail(&id)
            }
            RequestKind::Sweep => event::sweep(),
        })
    }
}

/// Returns a GET request with values for the parameters in braces.
fn get_event(route: &str, query: &str, environment: &LambdaEnvironment, org: &Organisation) -> anyhow::Result<String> {
    let mut path = route.replace("{categoryId}", &environment.category).replace("{review_id}", &environment.review);
    // To read a user takes one, so that each request reads another user.
    if path.contains("{user_id}") {
        path = path.replace("{user_id}", &org.take_user(UserUse::Update)?.to_string());
    }
    // 3 % of the reviews are of this city.
    let mut query = query.replace("{city}", &CITIES_BY_SIZE[1].to_lowercase());
    for count in [20, 100, 385] {
        query = query.replace(&format!("{{{count} businesses}}"), &environment.businesses(count));
    }
    if query.contains("{email}") {
        query = query.replace("{email}", &org.unchanged_email()?);
    }
    let is_of_reviews = [REVIEWS, REVIEW_STATS, REVIEW, BUSINESS_SEARCH, EVENTS, WEBHOOKS].contains(&route);
    let key = if is_of_reviews { &environment.reviews_key } else { &org.key };
    Ok(event::get(&format!("GET {route}"), &path, &query, key))
}

fn user_event(method: &str, suffix: &str, id: u64, key: &str, body: &Value) -> String {
    event::request(&format!("{method} {USER}{suffix}"), &format!("/api/v2/user/{id}{suffix}"), "", key, body)
}

fn keys_event(method: &str, suffix: &str, id: u64, key_id: &str, caller: &str) -> String {
    let path = format!("/api/v2/user/{id}{}", suffix.replace("{key_id}", key_id));
    let body = match (method, suffix) {
        ("POST", "/keys") => json!({ "label": "second" }),
        ("POST", _) => json!({}),
        _ => Value::Null,
    };
    event::request(&format!("{method} {USER}{suffix}"), &path, "", caller, &body)
}

/// Returns the next request about the reply. Each that asks for something of the partner has a version.
fn reply_event(method: &str, suffix: &str, environment: &LambdaEnvironment) -> String {
    let version = &environment.reply_version;
    version.set(version.get() + u64::from(matches!(method, "PUT" | "DELETE")));
    let body = match method {
        "PUT" => json!({ "content": REPLY }),
        "POST" => json!({ "version": version.get(), "outcome": "published" }),
        _ => Value::Null,
    };
    review_event(method, &format!("/reply{suffix}"), environment, &body)
}

/// Returns a request about the review. Only a PROVIDER reports outcomes.
fn review_event(method: &str, suffix: &str, environment: &LambdaEnvironment, body: &Value) -> String {
    let LambdaEnvironment { review, reviews_key, provider_key, .. } = environment;
    let key = if method == "POST" { provider_key } else { reviews_key };
    event::request(&format!("{method} {REVIEW}{suffix}"), &format!("{REVIEWS}/{review}{suffix}"), "", key, body)
}

fn create_active_event(key: &str, name: &str) -> String {
    create_event(key, name, json!({ "status": "active", "password": "lovelace" }))
}

fn create_event(key: &str, name: &str, mut body: Value) -> String {
    body["email"] = format!("bench-{name}@bench.example").into();
    body["first_name"] = "Ada".into();
    body["last_name"] = "Byron".into();
    event::request("POST /api/v2/user", "/api/v2/user", "", key, &body)
}

fn random_name() -> String {
    format!("{:016x}", fastrand::u64(..))
}
