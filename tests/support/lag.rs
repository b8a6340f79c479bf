//! A connector that makes secondary indexes lag, which the embedded `DynamoDB` never does.
//!
//! What it models: on AWS a secondary index follows its table with a delay, so a Query on an index that comes after a write
//! may answer as if that write had not happened. Here every index read (a `Query` or `Scan` with an `IndexName`) has its
//! last genuine answer kept, by the request's document. Once a write has passed, the next N reads of each such request get
//! that kept answer, byte for byte; the read after those is genuine, and is kept for the next time. Every further write
//! begins the N anew.
//!
//! Limits of the model: a request that was never asked before has no older answer, so it is answered genuinely; requests
//! that differ in anything (a page's start key, a limit) lag apart, so one walk over pages may mix old and new, as it may on
//! AWS; base tables never lag. A write counts whether it was accepted, refused or abandoned: a refused one changes nothing,
//! so the kept answer equals the genuine one.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use aws_sdk_dynamodb::config::{ConfigBag, RuntimeComponents};
use aws_smithy_runtime_api::box_error::BoxError;
use aws_smithy_runtime_api::client::connector_metadata::ConnectorMetadata;
use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpClient, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponentsBuilder;
use serde_json::Value;

use crate::wire::{Call, Reply};

/// Different index requests whose answers are kept; past it all are forgotten and lag begins afresh.
const MAX_KEPT: usize = 10_000;

/// The lagging connector, and the handle that steers it. Clones share everything.
#[derive(Clone)]
pub struct LaggingIndexes {
    inner: SharedHttpClient,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    reads: u64,
    writes: u64,
    stale: u64,
    kept: HashMap<Value, Kept>,
}

struct Kept {
    reply: Reply,
    /// Writes that had passed when the answer was asked for.
    as_of: u64,
    /// Writes that had passed when `given` was last counted from zero.
    lagging_behind: u64,
    /// How often the answer was given since then.
    given: u64,
}

impl LaggingIndexes {
    /// After a write, `reads` index reads of each request get the old answer; 0 is no lag.
    pub fn over(inner: impl HttpClient + 'static, reads: u64) -> Self {
        let state = State { reads, ..State::default() };
        Self { inner: SharedHttpClient::new(inner), state: Arc::new(Mutex::new(state)) }
    }

    /// Changes how many reads lag, from the next read on. `u64::MAX` freezes the indexes, 0 lets them catch up.
    pub fn set_reads(&self, reads: u64) {
        lock(&self.state).reads = reads;
    }

    /// How many outdated answers were given so far, so that a test can show that there was a lag at all.
    pub fn stale_answers(&self) -> u64 {
        lock(&self.state).stale
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl State {
    /// The outdated answer that this request is to get, if it is to get one.
    fn outdated(&mut self, request: &Value) -> Option<Reply> {
        let kept = self.kept.get_mut(request)?;
        if kept.lagging_behind < self.writes {
            kept.lagging_behind = self.writes;
            kept.given = 0;
        }
        if kept.as_of == self.writes || kept.given >= self.reads {
            return None;
        }
        kept.given += 1;
        self.stale += 1;
        Some(kept.reply.clone())
    }

    fn keep(&mut self, request: Value, reply: Reply, as_of: u64) {
        if self.kept.get(&request).is_some_and(|newer| newer.as_of > as_of) {
            return;
        }
        if self.kept.len() >= MAX_KEPT {
            self.kept.clear();
        }
        self.kept.insert(request, Kept { reply, as_of, lagging_behind: as_of, given: 0 });
    }
}

/// Counts a write when it ends, also when its caller gave up on it.
struct PassingWrite(Arc<Mutex<State>>);

impl Drop for PassingWrite {
    fn drop(&mut self) {
        lock(&self.0).writes += 1;
    }
}

/// Prints nothing of what passed: the SDK logs its connector, and answers hold personal data.
impl fmt::Debug for LaggingIndexes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LaggingIndexes").finish_non_exhaustive()
    }
}

impl HttpClient for LaggingIndexes {
    fn http_connector(&self, settings: &HttpConnectorSettings, components: &RuntimeComponents) -> SharedHttpConnector {
        let inner = self.inner.http_connector(settings, components);
        SharedHttpConnector::new(Connector { inner, state: self.state.clone() })
    }

    fn validate_base_client_config(
        &self,
        components: &RuntimeComponentsBuilder,
        config: &ConfigBag,
    ) -> Result<(), BoxError> {
        HttpClient::validate_base_client_config(&self.inner, components, config)
    }

    fn validate_final_config(&self, components: &RuntimeComponents, config: &ConfigBag) -> Result<(), BoxError> {
        HttpClient::validate_final_config(&self.inner, components, config)
    }

    fn connector_metadata(&self) -> Option<ConnectorMetadata> {
        self.inner.connector_metadata()
    }
}

struct Connector {
    inner: SharedHttpConnector,
    state: Arc<Mutex<State>>,
}

impl fmt::Debug for Connector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("lag::Connector").finish_non_exhaustive()
    }
}

impl HttpConnector for Connector {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let (inner, state) = (self.inner.clone(), self.state.clone());
        HttpConnectorFuture::new(async move {
            let call = Call::read(&request);
            if call.reads_an_index() {
                return index_read(&inner, &state, request, call.body).await?.into_response();
            }
            let passing = call.is_write().then(|| PassingWrite(state));
            let reply = Reply::of(&inner, request).await;
            drop(passing);
            reply?.into_response()
        })
    }
}

async fn index_read(
    inner: &SharedHttpConnector,
    state: &Mutex<State>,
    request: HttpRequest,
    body: Value,
) -> Result<Reply, ConnectorError> {
    if let Some(old) = lock(state).outdated(&body) {
        return Ok(old);
    }
    // Counted before the read is sent: an answer that a write overtakes is then taken for the older one that it may be.
    let as_of = lock(state).writes;
    let reply = Reply::of(inner, request).await?;
    if reply.is_success() {
        lock(state).keep(body, reply.clone(), as_of);
    }
    Ok(reply)
}
