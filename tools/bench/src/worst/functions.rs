//! Functions that are measured: in this process, cold for each request, on a thread whose processor time is read.

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use presence_domain::ids::UserId;
use presence_domain::webhook::WebhookReach;
use presence_local::gateway::LocalFunction;
use presence_runtime::clock::{Clock, SystemClock};
use presence_store::Database;
use serde_json::{Value, json};
use tokio::runtime::{Builder, Handle, Runtime};

use super::candidate::{Candidate, RequestSpace};
use super::climb::Reading;
use super::database::HostileDatabase;
use crate::lambda::environment::send;
use crate::review_database::PATIENCE;
use crate::sandbox::process::CpuMeter;

/// Name of the threads of a function, also of those that hash passwords.
const THREAD: &str = "function";
/// Pause between two readings of the threads: the kernel counts the time of a thread when it waits.
const PAUSE: Duration = Duration::from_millis(2);

/// Returns the runtime of the functions. A function of Lambda has one thread, too.
pub(super) fn runtime() -> std::io::Result<Runtime> {
    Builder::new_multi_thread().worker_threads(1).thread_name(THREAD).enable_all().build()
}

/// Functions over a database.
pub(super) struct Functions<'a> {
    pub(super) database: &'a HostileDatabase,
    pub(super) runtime: Handle,
    meter: RefCell<CpuMeter>,
    /// Number of ids that paths have taken.
    taken: Cell<usize>,
}

impl<'a> Functions<'a> {
    pub(super) fn new(database: &'a HostileDatabase, runtime: Handle) -> Self {
        let meter = RefCell::new(CpuMeter::of_threads(std::process::id(), THREAD));
        Self { database, runtime, meter, taken: Cell::new(0) }
    }

    /// Sends a request to a function that was just started. Returns `None` if the gateway would refuse it.
    pub(super) async fn measure(
        &self,
        space: &RequestSpace<'_>,
        candidate: &Candidate,
    ) -> anyhow::Result<Option<Reading>> {
        let path = self.path(space.operation.path).await?;
        let (_, key) = &self.database.callers[candidate.caller];
        let Some(event) = space.event(candidate, &path, key)? else { return Ok(None) };
        let (name, database) = (space.operation.function, self.database.database.clone());
        let function = self.runtime.spawn(async move { start(name, &database).await }).await?;
        let before = self.cpu_ms().await?;
        let invoked = self.runtime.spawn(async move { function.invoke(event.into_bytes(), "").await }).await?;
        let cpu_ms = self.cpu_ms().await? - before;
        let answer = invoked.with_context(|| format!("{}: {}", space.operation.name, space.describe(candidate)))?;
        self.tidy(&path).await?;
        Ok(Some(Reading { cpu_ms, status: answer.status_code }))
    }

    /// Returns the processor time of the functions' threads, as soon as they wait.
    async fn cpu_ms(&self) -> anyhow::Result<f64> {
        let used_ms = || self.meter.borrow_mut().used_ms();
        let mut before = used_ms()?;
        loop {
            tokio::time::sleep(PAUSE).await;
            let now = used_ms()?;
            if now.to_bits() == before.to_bits() {
                return Ok(now);
            }
            before = now;
        }
    }

    /// Returns the path with ids that no recent request has taken. Makes the key or the webhook that the path names.
    async fn path(&self, path: &str) -> anyhow::Result<String> {
        let number = self.taken.replace(self.taken.get() + 1);
        let user = self.database.users[number % self.database.users.len()];
        let mut path = path.replace("{user_id}", &user.to_string());
        for name in ["review_id", "categoryId"] {
            let ids = &self.database.known[name];
            path = path.replace(&format!("{{{name}}}"), ids[number % ids.len()].as_str().unwrap_or_default());
        }
        if path.contains("{key_id}") {
            path = path.replace("{key_id}", &self.key_id(user).await?);
        }
        if path.contains("{webhook_id}") {
            let webhook = self.send("POST", "/webhooks", &json!({ "url": "http://127.0.0.1:9/hook" })).await?;
            path = path.replace("{webhook_id}", webhook["id"].as_str().context("a webhook")?);
        }
        Ok(path)
    }

    async fn key_id(&self, user: UserId) -> anyhow::Result<String> {
        self.database.issue_key(user).await.map(|(_, id)| id)
    }

    /// Deletes the webhooks of the organisation, which may have ten.
    async fn tidy(&self, path: &str) -> anyhow::Result<()> {
        if path.contains("/webhooks") {
            let list = self.send("GET", "/webhooks", &Value::Null).await?;
            for webhook in list["webhooks"].as_array().into_iter().flatten() {
                let id = webhook["id"].as_str().context("an id")?;
                self.send("DELETE", &format!("/webhooks/{id}"), &Value::Null).await?;
            }
        }
        Ok(())
    }

    /// Sends a request of the ORG_ADMIN that is not measured.
    async fn send(&self, method: &str, path: &str, body: &Value) -> anyhow::Result<Value> {
        send(&self.database.stack, method, path, &self.database.callers[0].1, body).await
    }
}

/// Starts a function as its program does.
async fn start(name: &str, database: &Database) -> LocalFunction {
    let clock = Arc::new(SystemClock) as Arc<dyn Clock>;
    let function = match name {
        "users" => {
            let app = presence_users::App::new(database, clock).start().await;
            LocalFunction::new(name, move |request| presence_users::handle(Arc::clone(&app), request))
        }
        "categories" => {
            let app = presence_categories::App::new(database, clock).start().await;
            LocalFunction::new(name, move |request| presence_categories::handle(Arc::clone(&app), request))
        }
        "reviews" => {
            let app = presence_reviews::App::new(database, clock).with_replies(true).start().await;
            LocalFunction::new(name, move |request| presence_reviews::handle(Arc::clone(&app), request))
        }
        _ => {
            let app = presence_feed::App::new(database, clock).with_events(true);
            let app = app.with_webhooks(Some(WebhookReach::ThisMachine)).start().await;
            LocalFunction::new(name, move |request| presence_feed::handle(Arc::clone(&app), request))
        }
    };
    function.with_timeout(PATIENCE)
}
