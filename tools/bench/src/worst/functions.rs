//! Functions that are measured: in this process, cold for each request, on a thread whose processor time is read.
//!
//! Counters of instructions would be steadier, but virtual machines often have none.

use std::cell::{Cell, RefCell};
use std::time::Duration;

use anyhow::Context as _;
use presence_local::start_functions;
use serde_json::Value;
use tokio::runtime::{Builder, Handle, Runtime};

use super::candidate::{Candidate, RequestSpace};
use super::climb::Reading;
use super::database::{HostileDatabase, create_webhook, only_key};
use crate::lambda::environment::send;
use crate::lambda::operation_rounds::deployed_memory;
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
    database: &'a HostileDatabase,
    runtime: Handle,
    meter: RefCell<CpuMeter>,
    /// Number of ids that paths have taken.
    taken: Cell<usize>,
}

impl<'a> Functions<'a> {
    pub(super) fn new(database: &'a HostileDatabase, runtime: Handle) -> Self {
        let meter = RefCell::new(CpuMeter::of_threads(std::process::id(), THREAD));
        Self { database, runtime, meter, taken: Cell::new(0) }
    }

    /// Sends a request to a function that was just started.
    pub(super) async fn measure(&self, space: &RequestSpace<'_>, candidate: &Candidate) -> anyhow::Result<Reading> {
        let (route_key, key) = (&space.operation.route_key, &self.database.callers[candidate.caller].1);
        let event = space.event(candidate, &self.path(route_key).await?, key)?;
        let (database, options) = (self.database.stores.database.clone(), self.database.options.clone());
        let started = self.runtime.spawn(async move { start_functions(&database, &options).await }).await??;
        let (_, function) = started.into_iter().find(|(key, _)| key == route_key).context("a function")?;
        let name = function.name().to_owned();
        let before = self.cpu_ms().await?;
        let invoked = self.runtime.spawn(async move { function.invoke(event.into_bytes(), "").await }).await?;
        let cpu_ms = self.cpu_ms().await? - before;
        let answer = invoked.with_context(|| format!("{route_key}: {}", space.describe(candidate)))?;
        Ok(Reading { cpu_ms, memory: deployed_memory(&name)?, status: answer.status_code })
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

    /// Returns the path of an operation with ids that no recent request has taken. Makes the key or the webhook that it names.
    async fn path(&self, route_key: &str) -> anyhow::Result<String> {
        let number = self.taken.replace(self.taken.get() + 1);
        let (method, path) = route_key.split_once(' ').context("a method")?;
        let users = &self.database.users[number % self.database.users.len()];
        let user = match (method, path) {
            ("POST", "/api/v2/user/{user_id}" | "/api/v2/user/{user_id}/invite") => users.changed,
            ("DELETE", "/api/v2/user/{user_id}") => users.deleted,
            _ => users.kept,
        };
        let mut path = path.replace("{user_id}", &user.to_string());
        for name in ["review_id", "categoryId"] {
            let ids = &self.database.known[name];
            path = path.replace(&format!("{{{name}}}"), ids[number % ids.len()].as_str().unwrap_or_default());
        }
        if path.contains("{key_id}") {
            path = path.replace("{key_id}", &only_key(&self.database.stores, user).await?.1);
        }
        if path.contains("/webhooks") {
            path = path.replace("{webhook_id}", &self.webhook(method).await?);
        }
        Ok(path)
    }

    /// Returns the webhook with deliveries for a request that only reads, and else a new one. Deletes all others: there may be ten.
    async fn webhook(&self, method: &str) -> anyhow::Result<String> {
        let lasting = &self.database.webhook;
        for webhook in self.send("GET", "/webhooks", &Value::Null).await?["webhooks"].as_array().into_iter().flatten() {
            let id = webhook["id"].as_str().context("an id")?;
            if id != lasting {
                self.send("DELETE", &format!("/webhooks/{id}"), &Value::Null).await?;
            }
        }
        if method == "GET" {
            return Ok(lasting.clone());
        }
        create_webhook(&self.database.stack, &self.database.callers[0].1).await
    }

    /// Sends a request of the `ORG_ADMIN` that is not measured.
    async fn send(&self, method: &str, path: &str, body: &Value) -> anyhow::Result<Value> {
        send(&self.database.stack, method, path, &self.database.callers[0].1, body).await
    }
}
