//! The requests that are measured.

use serde_json::{Value, json};

use super::environment::{LambdaEnvironment, OneTimeRequest, Organisation};
use crate::sandbox::event;

/// A request of the benchmark.
#[derive(Clone, Copy, Debug)]
pub(super) enum RequestKind {
    /// A GET of the API: its route, and what stands in its path and query.
    Read(&'static str, &'static str),
    CreateActive,
    CreateInvited,
    UpdatePhone,
    UpdatePassword,
    Invite,
    Delete,
    SendMail,
    Sweep,
}

/// A kind of request.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operation {
    /// The name of its route, or what the mailer does.
    pub(super) name: &'static str,
    pub(super) what: &'static str,
    ask: RequestKind,
}

/// Requests that one process answers one after the other. Only the first of them is its first request.
#[derive(Clone, Debug)]
pub(super) struct OperationGroup {
    pub(super) function: &'static str,
    pub(super) operations: Vec<Operation>,
    /// True if it is measured in organisations of each size.
    pub(super) grows: bool,
}

const fn operation(name: &'static str, what: &'static str, ask: RequestKind) -> Operation {
    Operation { name, what, ask }
}

const fn read(name: &'static str, what: &'static str, route: &'static str, query: &'static str) -> Operation {
    operation(name, what, RequestKind::Read(route, query))
}

const USER: &str = "/api/v2/user/{user_id}";
const SEARCH: &str = "/api/v2/user/search";
const REVIEWS: &str = "/api/v2/reviews";

/// All of them. The sweep comes first: it finds nothing, since no mail waits yet.
pub(super) fn groups() -> Vec<OperationGroup> {
    let alone = |function, operation| OperationGroup { function, operations: vec![operation], grows: false };
    let users = |operation| alone("users", operation);
    let searches = vec![
        read("search_users", "no filter", SEARCH, "display_business_ids=False"),
        read("search_users", "status", SEARCH, "display_business_ids=False&status=invited"),
        read("search_users", "last_name", SEARCH, "display_business_ids=False&last_name=mart"),
        read("search_users", "fuzzy query", SEARCH, "display_business_ids=False&query=lefevrre"),
        read("search_users", "with business ids", SEARCH, ""),
    ];
    let address = read("search_users", "email", SEARCH, "display_business_ids=False&email={email}");
    vec![
        alone("mailer", operation("sweep", "nothing is due", RequestKind::Sweep)),
        users(read("get_me", "", "/api/v2/user/me", "")),
        users(read("get_user", "", USER, "")),
        users(read("get_user_stats", "", "/api/v2/user/stats", "")),
        OperationGroup { function: "users", operations: searches, grows: true },
        OperationGroup { function: "users", operations: vec![address], grows: true },
        users(operation("create_user", "active, with a password", RequestKind::CreateActive)),
        users(operation("create_user", "invited", RequestKind::CreateInvited)),
        users(operation("update_user", "a phone number", RequestKind::UpdatePhone)),
        users(operation("update_user", "a password", RequestKind::UpdatePassword)),
        users(operation("invite_user", "", RequestKind::Invite)),
        users(operation("delete_user", "", RequestKind::Delete)),
        alone("categories", read("search_categories", "", "/api/v2/category/search", "lang=FR&name=boul")),
        alone("categories", read("get_category", "", "/api/v2/category/{categoryId}", "lang=FR")),
        alone("reviews", read("search_reviews", "page 1", REVIEWS, "")),
        alone("reviews", read("search_reviews", "a state, two ratings", REVIEWS, "state=not_treated&rating__in=1,2")),
        alone("reviews", read("search_reviews", "a city", REVIEWS, "business_city={city}")),
        alone("reviews", read("search_reviews", "20 businesses", REVIEWS, "business__in={businesses}")),
        alone("mailer", operation("send_mail", "one, from the stream", RequestKind::SendMail)),
    ]
}

impl Operation {
    /// Returns the next event of this kind, for a caller of an organisation.
    pub(super) async fn event(&self, stage: &LambdaEnvironment, org: &Organisation) -> anyhow::Result<String> {
        let key = org.key.as_str();
        let of_user = |method, rest: &str, id: u64, body: &Value| {
            let route = format!("{method} {USER}{rest}");
            event::request(&route, &format!("/api/v2/user/{id}{rest}"), "", key, body)
        };
        Ok(match self.ask {
            RequestKind::Read(route, query) => read_event(route, query, stage, org)?,
            RequestKind::CreateActive => create(key, &json!({ "status": "active", "password": "lovelace" })),
            RequestKind::CreateInvited => create(key, &json!({ "status": "invited" })),
            RequestKind::UpdatePhone => {
                of_user("POST", "", org.next(OneTimeRequest::Update)?, &json!({ "phone": "+33 1 23 45 67 89" }))
            }
            RequestKind::UpdatePassword => {
                of_user("POST", "", org.next(OneTimeRequest::Update)?, &json!({ "password": "lovelace2" }))
            }
            RequestKind::Invite => of_user("POST", "/invite", org.next(OneTimeRequest::Invite)?, &Value::Null),
            RequestKind::Delete => of_user("DELETE", "", org.next(OneTimeRequest::Delete)?, &Value::Null),
            RequestKind::SendMail => {
                let id = org.next(OneTimeRequest::Mail)?.to_string();
                stage.ask("POST", &format!("/user/{id}/invite"), key, &Value::Null).await?;
                event::mail(&id)
            }
            RequestKind::Sweep => event::sweep(),
        })
    }
}

/// Returns a GET with what belongs in the braces of its path and query.
fn read_event(route: &str, query: &str, stage: &LambdaEnvironment, org: &Organisation) -> anyhow::Result<String> {
    let path = route.replace("{categoryId}", &stage.category);
    let path = if path.contains("{user_id}") {
        path.replace("{user_id}", &org.next(OneTimeRequest::Update)?.to_string())
    } else {
        path
    };
    let query = query.replace("{city}", &LambdaEnvironment::city()).replace("{businesses}", &stage.businesses);
    let query = if query.contains("{email}") { query.replace("{email}", &org.an_address()?) } else { query };
    let key = if route == REVIEWS { stage.key_of_reviews()? } else { &org.key };
    Ok(event::get(&format!("GET {route}"), &path, &query, key))
}

fn create(key: &str, with: &Value) -> String {
    let mut person = with.clone();
    person["email"] = format!("bench-{:016x}@bench.example", fastrand::u64(..)).into();
    person["first_name"] = "Ada".into();
    person["last_name"] = "Byron".into();
    event::request("POST /api/v2/user", "/api/v2/user", "", key, &person)
}
