//! Users: what a search costs, cold and warm, and how fast the local stack is.

pub(crate) mod generated_users;
pub(crate) mod load_users;
mod local_stack;
mod users_function;

use std::fmt::Write as _;

use presence_local::embedded::EmbeddedDynamo;
use users_function::{RequestCost, UsersFunction};

/// Warm requests of which the median is taken.
const WARM_REQUESTS: usize = 101;

struct Case {
    name: &'static str,
    orgs: u64,
    users_of_each: usize,
    /// Whether the caller sees all organisations.
    provider: bool,
}

const CASES: [Case; 3] = [
    Case { name: "1 org, 10,000 users", orgs: 1, users_of_each: 10_000, provider: false },
    Case { name: "1 org, 100,000 users", orgs: 1, users_of_each: 100_000, provider: false },
    Case { name: "200 orgs, 100,000 users", orgs: 200, users_of_each: 500, provider: true },
];

const QUERIES: [(&str, &str); 3] = [
    ("one word, one typo", "/api/v2/user/search?display_business_ids=False&query=lefevrre"),
    ("two words", "/api/v2/user/search?display_business_ids=False&query=marie+dubois"),
    ("page of 30 with business ids", "/api/v2/user/search?query=martin"),
];

/// Runs everything and renders the report.
pub(crate) async fn run() -> anyhow::Result<String> {
    let mut report = String::from(
        "# Users\n\nMade by `cargo run --profile bench -p presence-bench -- users`. Units, calls and waves are exact, key \
         included; CPU is that of the function's own thread (SDK and JSON included, `DynamoDB` not), in one run.\n\n\
         ## Fuzzy search\n\n| users | query | function | read units | calls | waves | found | CPU ms |\n\
         |---|---|---|---:|---:|---:|---:|---:|\n",
    );
    for case in &CASES {
        searches(case, &mut report).await?;
    }
    report.push_str(&local_stack::report().await?);
    Ok(report)
}

async fn searches(case: &Case, report: &mut String) -> anyhow::Result<()> {
    let dynamodb = EmbeddedDynamo::start(0, None)?;
    let key = load_users::load(&dynamodb.endpoint_url(), case.orgs, case.users_of_each, case.provider).await?;
    for (name, path) in QUERIES {
        let function = UsersFunction::start(&dynamodb.endpoint_url(), &key);
        // The key's use is noted once an hour: not part of what is compared.
        function.get("/api/v2/user/me").await?;
        row(report, case.name, name, "cold", &function.get(path).await?);
        let mut samples = Vec::with_capacity(WARM_REQUESTS);
        for _ in 0..WARM_REQUESTS {
            samples.push(function.get(path).await?);
        }
        samples.sort_by(|one, other| one.cpu_ms.total_cmp(&other.cpu_ms));
        row(report, case.name, name, "warm, median", &samples[WARM_REQUESTS / 2]);
    }
    dynamodb.stop();
    Ok(())
}

fn row(report: &mut String, case: &str, query: &str, state: &str, sample: &RequestCost) {
    let RequestCost { units, calls, waves, found, cpu_ms } = sample;
    let _ = writeln!(report, "| {case} | {query} | {state} | {units} | {calls} | {waves} | {found} | {cpu_ms:.2} |");
}
