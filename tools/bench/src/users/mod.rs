//! Benchmark of user searches, cold and warm, and of the speed of the local stack.

pub(crate) mod generated_users;
pub(crate) mod load_users;
mod local_stack;
mod users_function;

use presence_domain::user::Role;
use presence_local::embedded::EmbeddedDynamo;
use users_function::{RequestCost, UsersFunction};

/// Number of warm requests, of which the median counts.
const WARM_REQUESTS: usize = 101;

/// Size of the data, and the role of the caller.
struct Case {
    label: &'static str,
    orgs: u64,
    users_of_each: usize,
    role: Role,
}

const CASES: [Case; 3] = [
    Case { label: "1 org, 10,000 users", orgs: 1, users_of_each: 10_000, role: Role::OrgAdmin },
    Case { label: "1 org, 100,000 users", orgs: 1, users_of_each: 100_000, role: Role::OrgAdmin },
    Case { label: "200 orgs, 100,000 users", orgs: 200, users_of_each: 500, role: Role::Provider },
];

/// Labels and paths of the searches.
const QUERIES: [(&str, &str); 3] = [
    ("one word, one typo", "/api/v2/user/search?display_business_ids=False&query=lefevrre"),
    ("two words", "/api/v2/user/search?display_business_ids=False&query=marie+dubois"),
    ("page of 30 with business ids", "/api/v2/user/search?query=martin"),
];

/// Runs everything and renders the report.
pub(crate) async fn run() -> anyhow::Result<String> {
    let mut report = String::from(
        "# Users\n\nMade by `cargo run --profile bench -p presence-bench -- users`. Units, calls and waves are \
         exact, and include the key. CPU is that of the function's own thread in one run, with SDK and JSON, without `DynamoDB`.\n\n\
         ## Fuzzy search\n\n| users | query | function | read units | calls | waves | found | CPU ms |\n\
         |---|---|---|---:|---:|---:|---:|---:|\n",
    );
    for case in &CASES {
        report.push_str(&measure_searches(case).await?);
    }
    report.push_str(&local_stack::report().await?);
    Ok(report)
}

/// Measures the searches of a case. Returns their rows.
async fn measure_searches(case: &Case) -> anyhow::Result<String> {
    let mut rows = String::new();
    let dynamodb = EmbeddedDynamo::start(0, None)?;
    let key = load_users::load(&dynamodb.endpoint_url(), case.orgs, case.users_of_each, case.role).await?;
    for (query, path) in QUERIES {
        let function = UsersFunction::start(&dynamodb.endpoint_url(), &key);
        // The use of the key is recorded once an hour: the first request does it before the measurement.
        function.get("/api/v2/user/me").await?;
        rows.push_str(&row(case.label, query, "cold", &function.get(path).await?));
        let mut costs = Vec::with_capacity(WARM_REQUESTS);
        for _ in 0..WARM_REQUESTS {
            costs.push(function.get(path).await?);
        }
        costs.sort_by(|one, other| one.cpu_ms.total_cmp(&other.cpu_ms));
        rows.push_str(&row(case.label, query, "warm, median", &costs[WARM_REQUESTS / 2]));
    }
    dynamodb.stop();
    Ok(rows)
}

fn row(case: &str, query: &str, state: &str, cost: &RequestCost) -> String {
    let RequestCost { units, calls, waves, found, cpu_ms } = cost;
    format!("| {case} | {query} | {state} | {units} | {calls} | {waves} | {found} | {cpu_ms:.2} |\n")
}
