//! What every operation costs: calls, waves and units counted on a warm function, and the price that follows.

mod prices;

use std::fmt::Write as _;
use std::sync::Arc;

use anyhow::{Context as _, ensure};
use jiff::Timestamp;
use presence::clock::ManualClock;
use presence::domain::ids::UserId;
use presence::domain::invitation::WINDOW;
use presence::http::Route;
use presence::store::meter::{Cost, Meter};
use presence_local::{Options, Stack};
use presence_mailer::Delivered;
use serde_json::{Value, json};

use self::prices::{
    API_REQUESTS, GB_SECOND, INVOCATIONS, MAILS, MEMORY_GB, OWN_MS, PASSWORD_MS, READ_UNITS, WAVE_MS, WRITE_UNITS,
};
use crate::last_request;

/// When it is: the beginning of an hour, so that the use of the key is noted once, before anything is counted. 2026-03-01.
const AN_HOUR: i64 = 1_772_323_200;

/// A row of the report.
struct Row {
    what: String,
    cost: Cost,
    kind: Kind,
}

/// What an operation costs beside its calls to `DynamoDB`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A request of the API.
    Request,
    /// One that hashes a password.
    Hash,
    /// A mail, and an invocation by the stream.
    Mail,
}

/// A request of an operation.
struct Sample {
    /// The name of its route.
    route: &'static str,
    what: &'static str,
    path: String,
    body: Value,
    kind: Kind,
}

/// Counts everything and renders the report.
pub(crate) async fn run() -> anyhow::Result<String> {
    last_request::capture();
    let clock = Arc::new(ManualClock::at(Timestamp::from_second(AN_HOUR)?));
    let stack = Stack::start(Options { sample: true, clock: Arc::clone(&clock) as _, ..Options::default() }).await?;
    let bench = Bench { key: stack.keys().get("ORG_ADMIN").context("sample data")?.clone(), stack, clock };
    let mut rows = Vec::new();
    let samples = bench.samples().await?;
    ensure_all_covered(&samples)?;
    for sample in &samples {
        rows.push(bench.measure(sample).await?);
    }
    rows.extend(bench.invitation().await?);
    bench.stack.stop().await;
    Ok(report(&rows))
}

/// What the last request cost, which was of this operation.
fn cost_of(operation: &str) -> anyhow::Result<Cost> {
    let (last, cost) = last_request::cost();
    ensure!(last == operation, "{last} in the place of {operation}");
    Ok(cost)
}

/// Every route has a sample.
fn ensure_all_covered(samples: &[Sample]) -> anyhow::Result<()> {
    fn names<Operation>(routes: &[Route<Operation>]) -> impl Iterator<Item = &'static str> {
        routes.iter().map(|route| route.name)
    }
    let all = names(&presence_users::ROUTES).chain(names(&presence_categories::ROUTES));
    for name in all.chain(names(&presence_reviews::ROUTES)) {
        ensure!(samples.iter().any(|sample| sample.route == name), "{name} has no row");
    }
    Ok(())
}

struct Bench {
    stack: Stack,
    key: String,
    clock: Arc<ManualClock>,
}

impl Bench {
    async fn samples(&self) -> anyhow::Result<Vec<Sample>> {
        let reads = |route, what, path: &str| Sample {
            route,
            what,
            path: path.to_owned(),
            body: Value::Null,
            kind: Kind::Request,
        };
        let person = |local: &str, status: &str| {
            json!({ "email": format!("{local}@bench.example"), "first_name": "Ada", "last_name": "Byron", "status": status,
                "password": "lovelace" })
        };
        let (guest, friend) =
            (self.create(&person("guest", "invited")).await?, self.create(&person("friend", "active")).await?);
        let categories = self.ask("GET", "/category/search?lang=FR&per_page=1", &Value::Null).await?;
        let category = categories["categories"][0]["id"].as_str().context("a category")?;
        let writes = |route, what, path: String, body, kind| Sample { route, what, path, body, kind };
        let post = |what, path: &str, body, kind| {
            writes(if path == "/user" { "create_user" } else { "update_user" }, what, path.to_owned(), body, kind)
        };
        let (of_guest, of_friend) = (format!("/user/{guest}"), format!("/user/{friend}"));
        Ok(vec![
            reads("get_me", "", "/user/me"),
            reads("get_user", "", &of_guest),
            reads("get_user_stats", "", "/user/stats"),
            reads("search_users", "without business ids", "/user/search?query=martin&display_business_ids=False"),
            reads("search_users", "a page of 9, with business ids", "/user/search?per_page=9"),
            post("active, with a password", "/user", person("another", "active"), Kind::Hash),
            post("invited: the mail is a row below", "/user", person("third", "invited"), Kind::Request),
            post("a phone number", &of_friend, json!({ "phone": "+33 1 23 45 67 89" }), Kind::Request),
            post("an address", &of_friend, json!({ "email": "friend-2@bench.example" }), Kind::Request),
            post("a password", &of_friend, json!({ "password": "lovelace2" }), Kind::Hash),
            writes("invite_user", "the mail is a row below", format!("{of_guest}/invite"), Value::Null, Kind::Request),
            writes("delete_user", "", of_friend, Value::Null, Kind::Request),
            reads("search_categories", "", "/category/search?lang=FR&name=boul"),
            reads("get_category", "", &format!("/category/{category}?lang=FR")),
            reads("search_reviews", "page 1 of the sample's 3,450", "/reviews"),
            reads("search_reviews", "a city, a rating", "/reviews?business_city=saint-etienne&rating__in=1,2"),
        ])
    }

    async fn create(&self, person: &Value) -> anyhow::Result<String> {
        let created = self.ask("POST", "/user", person).await?;
        Ok(created["id"].as_str().with_context(|| created.to_string())?.to_owned())
    }

    async fn measure(&self, sample: &Sample) -> anyhow::Result<Row> {
        let method = method_of(sample.route)?;
        if method == "GET" {
            // Warm: the key is known, directories are in memory, its use is noted.
            self.ask(method, &sample.path, &sample.body).await?;
        }
        if sample.route == "invite_user" {
            self.clock.advance(WINDOW);
        }
        self.ask(method, &sample.path, &sample.body).await?;
        let cost = cost_of(sample.route)?;
        let what = if sample.what.is_empty() {
            format!("`{}`", sample.route)
        } else {
            format!("`{}`: {}", sample.route, sample.what)
        };
        Ok(Row { what, cost, kind: sample.kind })
    }

    /// Sending a mail, and accepting the invitation.
    async fn invitation(&self) -> anyhow::Result<[Row; 2]> {
        let person = json!({ "email": "grace@bench.example", "first_name": "Grace", "last_name": "Hopper", "status": "invited" });
        let id = self.create(&person).await?;
        let meter = Arc::new(Meter::default());
        let user_id = UserId::parse(&id).context("an id")?;
        let delivered = Arc::clone(&meter).watch(Box::pin(self.stack.outbox().deliver(user_id))).await?;
        ensure!(delivered == Delivered::Sent, "{delivered:?}");
        let mails = self.stack.mailbox().mails();
        let link = mails.iter().find_map(|mail| mail.links.first()).context("a link")?;
        let (page, of_link) = link.split_once('?').context("a query")?;
        let form = format!("{of_link}&password=lovelace&confirmation=lovelace");
        let request = reqwest::Client::new().post(page).header("content-type", "application/x-www-form-urlencoded");
        let done = request.body(form).send().await?;
        ensure!(done.status() == 200, "{}", done.text().await?);
        Ok([
            Row { what: "sending the mail of an invitation".to_owned(), cost: meter.cost(), kind: Kind::Mail },
            Row { what: "`accept_invitation`".to_owned(), cost: cost_of("accept_invitation")?, kind: Kind::Hash },
        ])
    }

    async fn ask(&self, method: &str, path: &str, body: &Value) -> anyhow::Result<Value> {
        let url = format!("{}{path}", self.stack.base_url());
        let request = reqwest::Client::new().request(method.parse()?, url).header("x-api-key", &self.key);
        let request = if body.is_null() { request } else { request.json(body) };
        let answer = request.send().await?;
        let (status, text) = (answer.status(), answer.text().await?);
        ensure!(status == 200, "{method} {path}: {status} {text}");
        Ok(serde_json::from_str(&text)?)
    }
}

fn method_of(route: &str) -> anyhow::Result<&'static str> {
    fn find<Operation>(routes: &'static [Route<Operation>], name: &str) -> Option<&'static str> {
        routes.iter().find(|route| route.name == name).map(|route| route.method)
    }
    let users = find(&presence_users::ROUTES, route);
    let others = || find(&presence_categories::ROUTES, route).or_else(|| find(&presence_reviews::ROUTES, route));
    users.or_else(others).context("a route")
}

/// Dollars for a million: DynamoDB, then all.
fn price(row: &Row) -> (f64, f64) {
    let Cost { waves, read_units, write_units, .. } = row.cost;
    let dynamodb = read_units * READ_UNITS + write_units * WRITE_UNITS;
    let hashing = if row.kind == Kind::Hash { PASSWORD_MS } else { 0.0 };
    let seconds = (f64::from(waves) * WAVE_MS + OWN_MS + hashing) / 1e3;
    let lambda = INVOCATIONS + seconds * MEMORY_GB * GB_SECOND * 1e6;
    let way = if row.kind == Kind::Mail { MAILS } else { API_REQUESTS };
    (dynamodb, dynamodb + lambda + way)
}

fn report(rows: &[Row]) -> String {
    let mut report = format!(
        "# What each operation costs\n\nMade by `cargo run --profile bench -p presence-bench -- costs`. Calls, waves and units are \
         counted, on the sample data, for a warm function whose caller it knows: exact. A wave is a call, or several side by \
         side, that the next ones wait for. What a search of 10 million reviews reads is in \
         [benchmarks/reviews.md](benchmarks/reviews.md).\n\nThe price is for a million, in US dollars (us-east-1, on demand, prices \
         of July 2025; the constants and their sources are in `tools/bench/src/costs/prices.rs`): units, one request of the API, \
         one invocation, and its duration on arm64 at {MEMORY_GB} GB. That duration is an assumption: {WAVE_MS} ms for each wave, \
         {OWN_MS} ms of the function's own, and {PASSWORD_MS} ms to hash a password.\n\n\
         | operation | calls | waves | read units | write units | DynamoDB $ | all $ |\n|---|---:|---:|---:|---:|---:|---:|\n"
    );
    for row in rows {
        let Cost { calls, waves, read_units, write_units } = row.cost;
        let (dynamodb, all) = price(row);
        let _ = writeln!(
            report,
            "| {} | {calls} | {waves} | {read_units} | {write_units} | {dynamodb:.2} | {all:.2} |",
            row.what
        );
    }
    report
}
