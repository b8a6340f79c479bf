//! The cost of every operation: calls, waves and units counted on a warm function, its duration as the benchmark `lambda`
//! measured it, and the price that follows; and what the tables hold.

mod bill;
pub(crate) mod prices;
mod storage;

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, ensure};
use jiff::Timestamp;
use presence_api::Route;
use presence_domain::ids::UserId;
use presence_domain::invitation::WINDOW;
use presence_local::{Options, Stack, sdk_config};
use presence_mailer::Delivered;
use presence_runtime::clock::ManualClock;
use presence_store::meter::{Cost, Meter};
use serde_json::{Value, json};

use self::bill::{Bill, BilledTime, Kind, OperationUsage, find_billed_time};
use crate::lambda::results::BenchmarkResults;
use crate::{lambda, request_log};

/// When it is: the beginning of an hour, so that the use of the key is noted once, before anything is counted. 2026-03-01.
const START_SECONDS: i64 = 1_772_323_200;

/// The line that the mailer logs of a mail.
const MAIL_LINE: &str = r#"{"timestamp":"2026-03-10T06:00:10.066123Z","level":"INFO","message":"mail","user_id":"4503599627370495","outcome":"Sent","target":"presence_mailer::event"}"#;
/// The minutes of a month of 30 days: so often the mailer sweeps.
const SWEEPS: f64 = 43_200.0;

/// A row of the report.
struct ReportRow {
    what: String,
    usage: OperationUsage,
}

/// A request of an operation.
struct SampleRequest {
    /// The name of its route.
    route: &'static str,
    what: &'static str,
    path: String,
    body: Value,
    /// The name in the benchmark `lambda` of the same operation, or of the one most like it.
    measured: (&'static str, &'static str),
}

/// Counts everything and renders the report. The durations are those of a file.
pub(crate) async fn run(durations: &Path) -> anyhow::Result<String> {
    request_log::capture();
    let figures = lambda::read(durations)?;
    let clock = Arc::new(ManualClock::at(Timestamp::from_second(START_SECONDS)?));
    let stack = Stack::start(Options { sample: true, clock: Arc::clone(&clock) as _, ..Options::default() }).await?;
    let key = stack.keys().get("ORG_ADMIN").context("sample data")?.clone();
    let client = aws_sdk_dynamodb::Client::new(&sdk_config(stack.dynamodb_url()));
    let storage = storage::report(&client, stack.stores()).await?;
    let bench = CostBenchmark { stack, key, clock, figures };
    let mut rows = Vec::new();
    let sample_requests = bench.sample_requests().await?;
    ensure_all_covered(&sample_requests)?;
    for sample in &sample_requests {
        rows.push(bench.measure(sample).await?);
    }
    rows.extend(bench.invitation().await?);
    let sweep = find_billed_time(&bench.figures, "sweep", "nothing is due")?;
    bench.stack.stop().await;
    Ok(report(&rows, sweep, &storage))
}

/// What the last request cost, which was of this operation.
fn cost_of(operation: &str) -> anyhow::Result<Cost> {
    let (last, cost) = request_log::last_cost();
    ensure!(last == operation, "{last} in the place of {operation}");
    Ok(cost)
}

/// Every route has a sample.
fn ensure_all_covered(sample_requests: &[SampleRequest]) -> anyhow::Result<()> {
    fn names<Operation>(routes: &[Route<Operation>]) -> impl Iterator<Item = &'static str> {
        routes.iter().map(|route| route.name)
    }
    let all = names(&presence_users::ROUTES).chain(names(&presence_categories::ROUTES));
    for name in all.chain(names(&presence_reviews::ROUTES)) {
        ensure!(sample_requests.iter().any(|sample| sample.route == name), "{name} has no row");
    }
    Ok(())
}

struct CostBenchmark {
    stack: Stack,
    key: String,
    clock: Arc<ManualClock>,
    figures: BenchmarkResults,
}

impl CostBenchmark {
    async fn sample_requests(&self) -> anyhow::Result<Vec<SampleRequest>> {
        let person = |local: &str, status: &str| {
            json!({ "email": format!("{local}@bench.example"), "first_name": "Ada", "last_name": "Byron", "status": status,
                "password": "lovelace" })
        };
        let (guest, friend) =
            (self.create(&person("guest", "invited")).await?, self.create(&person("friend", "active")).await?);
        let (categories, _) = self.send("GET", "/category/search?lang=FR&per_page=1", &Value::Null).await?;
        let category = categories["categories"][0]["id"].as_str().context("a category")?;
        let writes = |route, what, path: &str, body, like| {
            let path = path.to_owned();
            SampleRequest { route, what, path, body, measured: (route, like) }
        };
        let reads = |route, what, path: &str, like| writes(route, what, path, Value::Null, like);
        let create = |what, body, like| writes("create_user", what, "/user", body, like);
        let (of_guest, of_friend) = (format!("/user/{guest}"), format!("/user/{friend}"));
        let update = |what, body, like| writes("update_user", what, &of_friend, body, like);
        let cities = "/reviews?business_city=saint-etienne&rating__in=1,2";
        Ok(vec![
            reads("get_me", "", "/user/me", ""),
            reads("get_user", "", &of_guest, ""),
            reads("get_user_stats", "", "/user/stats", ""),
            reads(
                "search_users",
                "without business ids",
                "/user/search?query=martin&display_business_ids=False",
                "fuzzy query",
            ),
            reads("search_users", "a page of 9, with business ids", "/user/search?per_page=9", "with business ids"),
            create("active, with a password", person("another", "active"), "active, with a password"),
            create("invited: the mail is a row below", person("third", "invited"), "invited"),
            update("a phone number", json!({ "phone": "+33 1 23 45 67 89" }), "a phone number"),
            update("an address", json!({ "email": "friend-2@bench.example" }), "a phone number"),
            update("a password", json!({ "password": "lovelace2" }), "a password"),
            reads("invite_user", "the mail is a row below", &format!("{of_guest}/invite"), ""),
            reads("delete_user", "", &of_friend, ""),
            reads("search_categories", "", "/category/search?lang=FR&name=boul", ""),
            reads("get_category", "", &format!("/category/{category}?lang=FR"), ""),
            reads("search_reviews", "page 1 of the sample's 3,450", "/reviews", "page 1"),
            reads("search_reviews", "a city, a rating", cities, "a city"),
        ])
    }

    async fn create(&self, person: &Value) -> anyhow::Result<String> {
        let (created, _) = self.send("POST", "/user", person).await?;
        Ok(created["id"].as_str().with_context(|| created.to_string())?.to_owned())
    }

    async fn measure(&self, sample: &SampleRequest) -> anyhow::Result<ReportRow> {
        let method = method_of(sample.route)?;
        if method == "GET" {
            // Warm: the key is known, directories are in memory, its use is noted.
            self.send(method, &sample.path, &sample.body).await?;
        }
        if sample.route == "invite_user" {
            self.clock.advance(WINDOW);
        }
        let (_, answer_bytes) = self.send(method, &sample.path, &sample.body).await?;
        let (operation, like) = sample.measured;
        let usage = OperationUsage {
            cost: cost_of(sample.route)?,
            kind: Kind::Request,
            log_bytes: request_log::last_line_bytes(),
            answer_bytes,
            measured: find_billed_time(&self.figures, operation, like)?,
        };
        let what = if sample.what.is_empty() {
            format!("`{}`", sample.route)
        } else {
            format!("`{}`: {}", sample.route, sample.what)
        };
        Ok(ReportRow { what, usage })
    }

    /// Sending a mail, and accepting the invitation.
    async fn invitation(&self) -> anyhow::Result<[ReportRow; 2]> {
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
        let (_, answer_bytes) = text_and_bytes(done).await?;
        let sent = OperationUsage {
            cost: meter.cost(),
            kind: Kind::Mail,
            log_bytes: MAIL_LINE.len(),
            answer_bytes: 0,
            measured: find_billed_time(&self.figures, "send_mail", "one, from the stream")?,
        };
        let accepted = OperationUsage {
            cost: cost_of("accept_invitation")?,
            kind: Kind::Request,
            log_bytes: request_log::last_line_bytes(),
            answer_bytes,
            measured: find_billed_time(&self.figures, "update_user", "a password")?,
        };
        Ok([
            ReportRow { what: "sending the mail of an invitation".to_owned(), usage: sent },
            ReportRow { what: "`accept_invitation`".to_owned(), usage: accepted },
        ])
    }

    async fn send(&self, method: &str, path: &str, body: &Value) -> anyhow::Result<(Value, usize)> {
        let url = format!("{}{path}", self.stack.base_url());
        let request = reqwest::Client::new().request(method.parse()?, url).header("x-api-key", &self.key);
        let request = if body.is_null() { request } else { request.json(body) };
        let answer = request.send().await?;
        let status = answer.status();
        let (text, bytes) = text_and_bytes(answer).await?;
        ensure!(status == 200, "{method} {path}: {status} {text}");
        Ok((serde_json::from_str(&text)?, bytes))
    }
}

/// Returns the text of an answer, and its bytes with those of its headers.
async fn text_and_bytes(answer: reqwest::Response) -> anyhow::Result<(String, usize)> {
    let headers: usize = answer.headers().iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum();
    let text = answer.text().await?;
    let bytes = headers + text.len();
    Ok((text, bytes))
}

fn method_of(route: &str) -> anyhow::Result<&'static str> {
    fn find<Operation>(routes: &'static [Route<Operation>], name: &str) -> Option<&'static str> {
        routes.iter().find(|route| route.name == name).map(|route| route.method)
    }
    let users = find(&presence_users::ROUTES, route);
    let others = || find(&presence_categories::ROUTES, route).or_else(|| find(&presence_reviews::ROUTES, route));
    users.or_else(others).context("a route")
}

fn report(rows: &[ReportRow], sweep: BilledTime, storage: &str) -> String {
    let mut report = String::from(
        "# What each operation costs\n\nMade by `cargo run --profile bench -p presence-bench -- costs`. Calls, waves and units are \
         counted, on the sample data, for a warm function whose caller it knows: exact. A wave is a call, or several side by \
         side, that the next ones wait for. What a search of 10 million reviews reads is in \
         [benchmarks/reviews.md](benchmarks/reviews.md).\n\nThe price is for a million, in US dollars (us-east-1, on demand; the \
         constants, their sources and dates are in `tools/bench/src/costs/prices.rs`; what AWS gives free is not taken off):\n\n\
         - DynamoDB: the units;\n\
         - Lambda: one invocation, and the time that is billed on arm64, in the memory that the template gives. The time is not assumed: \
         it is that of warm requests with this share of a processor ([benchmarks/lambda.md](benchmarks/lambda.md)), where each answer of \
         DynamoDB takes 3 ms and a little more. It was measured on x86-64: Graviton was not. A change of an address is taken for one of a \
         phone number, and `accept_invitation` for a change of a password;\n\
         - API or mail: one request of the HTTP API, or one mail;\n\
         - logs: the line of the function, counted, the two lines of Lambda, and the line of the API's access log;\n\
         - data out: the answer with its headers, counted, as if all callers were outside AWS.\n\n\
         | operation | calls | waves | read units | write units | billed ms | log bytes | answer bytes | DynamoDB $ | Lambda $ \
         | API or mail $ | logs $ | data out $ | all $ |\n\
         |---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    for ReportRow { what, usage } in rows {
        let Cost { calls, waves, read_units, write_units } = usage.cost;
        let bill = Bill::of(usage);
        let _ = writeln!(
            report,
            "| {what} | {calls} | {waves} | {read_units} | {write_units} | {:.0} | {} | {} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} \
             | {:.2} |",
            usage.measured.billed_ms,
            usage.log_bytes,
            usage.answer_bytes,
            bill.dynamodb,
            bill.lambda,
            bill.way,
            bill.logs,
            bill.data_out,
            bill.sum(),
        );
    }
    let sweeps = prices::lambda(sweep.memory, sweep.billed_ms) * SWEEPS / 1e6;
    let _ = writeln!(
        report,
        "\nThe sweep of the outbox costs ${sweeps:.3} of Lambda in a month of 30 days, {:.0} ms every minute, whether mails are due or \
         not. The first request of a process takes longer, and its start is billed too: what that costs is in \
         [benchmarks/lambda.md](benchmarks/lambda.md).",
        sweep.billed_ms,
    );
    report.push_str(storage);
    report
}
