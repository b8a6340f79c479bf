//! Cost of every operation: counted calls, waves and units of a warm function, measured time, and the price of both. The
//! report also has the cost of storage.

mod bill;
mod month;
pub(crate) mod prices;
mod report;
mod requests;
mod storage;

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, ensure};
use jiff::Timestamp;
use presence_domain::ids::{OrgId, UserId};
use presence_domain::invitation::WINDOW;
use presence_local::connectors::WavesConnector;
use presence_local::gateway::WAVES_HEADER;
use presence_local::{Options, Stack, sdk_config};
use presence_mailer::DeliveryOutcome;
use presence_runtime::aws::http_client;
use presence_runtime::clock::{Clock as _, ManualClock};
use serde_json::{Value, json};

use self::bill::{OperationUsage, Trigger, find_billed_time};
use self::report::ReportRow;
use self::requests::{ORG_ADMIN, SampleIds, SampleRequest, ensure_all_covered, sample_requests, user_body};
use crate::cost::{Cost, measure_cost};
use crate::feed_events::append_events;
use crate::lambda::results::OperationResults;
use crate::{lambda, request_log};

/// Time of the benchmark: 2026-03-01T00:00Z. At the start of an hour the use of the key is recorded once, before the first
/// counted request.
const START_SECONDS: i64 = 1_772_323_200;

/// Lines of the mailer for one mail.
const MAIL_LINES: [&str; 2] = [
    r#"{"timestamp":"2026-03-10T06:00:10.066123Z","level":"INFO","message":"mail","user_id":"4503599627370495","outcome":"Sent","target":"presence_mailer::event"}"#,
    r#"{"_aws":{"CloudWatchMetrics":[{"Namespace":"presence/prod","Dimensions":[[]],"Metrics":[{"Name":"invitations_sent","Unit":"Count"}]}],"Timestamp":1773122410066},"timestamp":"2026-03-10T06:00:10.066123Z","level":"INFO","message":"metric","invitations_sent":1.0}"#,
];

/// Local stack whose requests are counted, and the measured times.
struct CostBenchmark {
    stack: Stack,
    clock: Arc<ManualClock>,
    times: Vec<OperationResults>,
}

/// Answer of the API.
struct Answer {
    text: String,
    /// Size of the text and of the headers.
    bytes: usize,
    waves: u32,
}

/// Counts every operation and renders the report. Reads the measured times from a file.
pub(crate) async fn run(durations: &Path) -> anyhow::Result<String> {
    request_log::capture();
    let times = lambda::read(durations)?;
    let clock = Arc::new(ManualClock::at(Timestamp::from_second(START_SECONDS)?));
    let stack = Stack::start(Options {
        sample: true,
        clock: Arc::clone(&clock) as _,
        http_client: Some(http_client()),
        waves: Some(WavesConnector),
        ..Options::default()
    });
    let stack = stack.await?;
    let client = aws_sdk_dynamodb::Client::new(&sdk_config(stack.dynamodb_url()));
    let storage = storage::report(&client, stack.stores()).await?;
    let benchmark = CostBenchmark { stack, clock, times };
    let rows = benchmark.rows().await?;
    let sweep = find_billed_time(&benchmark.times, "sweep", "nothing is due")?;
    benchmark.stack.stop().await;
    let month = month::render(&rows, sweep, storage.bytes)?;
    Ok(report::render(&rows, sweep, &storage.text, &month))
}

impl CostBenchmark {
    async fn rows(&self) -> anyhow::Result<Vec<ReportRow>> {
        let requests = sample_requests(&self.create_sample_data().await?);
        ensure_all_covered(&requests)?;
        let mut rows = Vec::new();
        for request in &requests {
            rows.push(self.measure(request).await?);
        }
        rows.extend(self.measure_invitation().await?);
        Ok(rows)
    }

    async fn create_sample_data(&self) -> anyhow::Result<SampleIds> {
        let invited_user = self.create_user(&user_body("guest", "invited")).await?;
        let active_user = self.create_user(&user_body("friend", "active")).await?;
        let categories = self.send("GET", "/category/search?lang=FR&per_page=1", &Value::Null).await?;
        let categories: Value = serde_json::from_str(&categories.text)?;
        let category = categories["categories"][0]["id"].as_str().context("a category")?.to_owned();
        let reviews = self.send("GET", "/reviews?per_page=1", &Value::Null).await?;
        let reviews: Value = serde_json::from_str(&reviews.text)?;
        let review = reviews["reviews"][0]["id"].as_str().context("a review")?.to_owned();
        let me: Value = serde_json::from_str(&self.send("GET", "/user/me", &Value::Null).await?.text)?;
        let caller = me["id"].as_str().context("an id")?.to_owned();
        let key = self.send("POST", &format!("/user/{caller}/keys"), &json!({ "label": "first" })).await?;
        let key: Value = serde_json::from_str(&key.text)?;
        let key = key["id"].as_str().context("a key")?.to_owned();
        // The function knows the caller who reports an outcome, too.
        self.send_as("PROVIDER", "GET", &format!("/reviews/{review}"), &Value::Null, None).await?;
        let org = me["org_id"].as_u64().and_then(OrgId::new).context("an organisation")?;
        append_events(self.stack.stores(), org, &review, self.clock.now()).await?;
        let url = format!("{}webhook-receiver/ok", self.stack.home_url());
        let webhook = self.send("POST", "/webhooks", &json!({ "url": url })).await?;
        let webhook: Value = serde_json::from_str(&webhook.text)?;
        let webhook = webhook["id"].as_str().context("a webhook")?.to_owned();
        let oldest = format!("{}-0", org.get());
        Ok(SampleIds { invited_user, active_user, category, review, caller, key, webhook, oldest })
    }

    /// Creates a user. Returns its id.
    async fn create_user(&self, body: &Value) -> anyhow::Result<String> {
        let created: Value = serde_json::from_str(&self.send("POST", "/user", body).await?.text)?;
        Ok(created["id"].as_str().with_context(|| created.to_string())?.to_owned())
    }

    async fn measure(&self, request: &SampleRequest) -> anyhow::Result<ReportRow> {
        let method = request.method()?;
        if method == "GET" {
            // Warms the function: it then knows the caller, holds the directories, and has recorded the use of the key.
            self.send(method, &request.path, &request.body).await?;
        }
        if request.route == "invite_user" {
            // The user was invited just now. An address takes another invitation only after this window.
            self.clock.advance(WINDOW);
        }
        let answer = self.send_as(request.caller, method, &request.path, &request.body, request.header).await?;
        let usage = OperationUsage {
            cost: last_cost_of(request.route, &answer)?,
            trigger: Trigger::ApiRequest,
            log_bytes: request_log::counted_bytes(),
            answer_bytes: answer.bytes,
            time: find_billed_time(&self.times, request.timed_operation(), request.timed_as)?,
        };
        Ok(ReportRow { label: request.label(), usage })
    }

    /// Measures the mail of an invitation and its acceptance.
    async fn measure_invitation(&self) -> anyhow::Result<[ReportRow; 2]> {
        let body = json!({ "email": "grace@bench.example", "first_name": "Grace", "last_name": "Hopper", "status": "invited" });
        let user_id = UserId::parse(&self.create_user(&body).await?).context("an id")?;
        let outbox = self.stack.outbox().clone();
        let (delivered, cost) = measure_cost(async move { outbox.deliver(user_id).await }).await;
        let delivered = delivered?;
        ensure!(delivered == DeliveryOutcome::Sent, "{delivered:?}");
        let answer = self.accept_invitation().await?;
        let sent = OperationUsage {
            cost,
            trigger: Trigger::OutboxStream,
            log_bytes: MAIL_LINES.iter().map(|line| line.len()).sum(),
            answer_bytes: 0,
            time: find_billed_time(&self.times, "send_mail", "one, from the stream")?,
        };
        let accepted = OperationUsage {
            cost: last_cost_of("accept_invitation", &answer)?,
            trigger: Trigger::ApiRequest,
            log_bytes: request_log::counted_bytes(),
            answer_bytes: answer.bytes,
            time: find_billed_time(&self.times, "update_user", "a password")?,
        };
        Ok([
            ReportRow { label: "sending the mail of an invitation".to_owned(), usage: sent },
            ReportRow { label: "`accept_invitation`".to_owned(), usage: accepted },
        ])
    }

    /// Sends the password form of the first mail in the mailbox.
    async fn accept_invitation(&self) -> anyhow::Result<Answer> {
        let mails = self.stack.mailbox().mails();
        let link = mails.iter().find_map(|mail| mail.links.first()).context("a link")?;
        let (page, token_parameters) = link.split_once('?').context("a query")?;
        request_log::restart_count();
        let form = format!("{token_parameters}&password=lovelace&confirmation=lovelace");
        let request = reqwest::Client::new().post(page).header("content-type", "application/x-www-form-urlencoded");
        read_answer(request.body(form).send().await?).await
    }

    async fn send(&self, method: &str, path: &str, body: &Value) -> anyhow::Result<Answer> {
        self.send_as(ORG_ADMIN, method, path, body, None).await
    }

    /// Sends a request of a role with a further header, by name and value.
    async fn send_as(
        &self,
        caller: &str,
        method: &str,
        path: &str,
        body: &Value,
        header: Option<(&str, &str)>,
    ) -> anyhow::Result<Answer> {
        request_log::restart_count();
        let url = format!("{}{path}", self.stack.base_url());
        let key = self.stack.keys().get(caller).context("sample data")?;
        let request = reqwest::Client::new().request(method.parse()?, url).header("x-api-key", key);
        let request = header.into_iter().fold(request, |request, (name, value)| request.header(name, value));
        let request = if body.is_null() { request } else { request.json(body) };
        read_answer(request.send().await?).await.with_context(|| format!("{method} {path}"))
    }
}

/// Returns the cost of the last request, to which this is the answer. Fails if it was of another operation.
fn last_cost_of(operation: &str, answer: &Answer) -> anyhow::Result<Cost> {
    let (last_operation, cost) = request_log::last_cost(answer.waves);
    ensure!(last_operation == operation, "the last request was of {last_operation}, not of {operation}");
    Ok(cost)
}

/// Reads an answer with the status 200. Other answers are errors.
async fn read_answer(response: reqwest::Response) -> anyhow::Result<Answer> {
    let status = response.status();
    let waves = response.headers().get(WAVES_HEADER).context("a stack that counts waves")?.to_str()?.parse()?;
    // Only the benchmark's own stack has that header.
    let service_headers = response.headers().iter().filter(|(name, _)| *name != WAVES_HEADER);
    // A header takes two more bytes for ": " and two for the end of its line.
    let header_bytes: usize = service_headers.map(|(name, value)| name.as_str().len() + value.len() + 4).sum();
    let body = response.bytes().await?;
    // Compressed bodies are only counted.
    let text = String::from_utf8_lossy(&body).into_owned();
    ensure!(status == 200, "{status} {text}");
    Ok(Answer { bytes: header_bytes + body.len(), text, waves })
}
