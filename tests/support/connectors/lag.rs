//! Connector that makes secondary indexes and eventual reads lag, which the embedded `DynamoDB` never does.
//!
//! On AWS a secondary index follows its table with a delay: a query of an index after a write may be answered as if the write
//! had not happened. So may an eventual read of a table. The model keeps the last genuine answer to each such read (one with an
//! `IndexName`, or without `ConsistentRead`), by the document of the request. After a write, the next N reads with the same
//! document get that answer, byte for byte. The read after those is genuine, and its answer is kept. Each further write starts
//! the N again.
//!
//! Limits of the model:
//! - A request that was never made before has no older answer, so it gets a genuine one.
//! - Requests that differ in anything (a start key, a limit) lag apart. So one walk over pages may mix old and new, as on AWS.
//! - A write counts even if it was refused or abandoned. A refused one changes nothing, so the kept answer equals the genuine
//!   one.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use aws_smithy_runtime_api::client::result::ConnectorError;
use serde_json::Value;

use super::{Answer, ConnectorLayer, Next};
use crate::wire::{Call, RecordedReply};

/// Maximum number of index requests whose answers are kept. Past it all are forgotten, and the lag starts afresh.
const MAX_KEPT: usize = 10_000;

/// Connector that makes indexes and eventual reads lag, and the handle that steers it. Clones share one state.
#[derive(Clone)]
pub struct LagConnector {
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    /// Reads of each request that get the old answer after a write.
    reads: u64,
    writes: u64,
    stale_answers: u64,
    kept: HashMap<Value, KeptAnswer>,
}

struct KeptAnswer {
    reply: RecordedReply,
    /// Writes that had passed when the request was sent.
    as_of: u64,
    /// Writes that had passed when `times_given` was last set to zero.
    lagging_behind: u64,
    /// Number of times that the answer was given since then.
    times_given: u64,
}

impl LagConnector {
    /// Returns a connector in which, after a write, `reads` reads of each request get the old answer. 0 is no lag.
    pub fn new(reads: u64) -> Self {
        Self { state: Arc::new(Mutex::new(State { reads, ..State::default() })) }
    }

    /// Changes the number of reads that lag, from the next read on. `u64::MAX` freezes what lags, 0 lets it catch up.
    pub fn set_reads(&self, reads: u64) {
        self.state().reads = reads;
    }

    /// Returns the number of outdated answers so far, so that a test can show that there was a lag at all.
    pub fn stale_answers(&self) -> u64 {
        self.state().stale_answers
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn read_lagging(
        &self,
        request: HttpRequest,
        document: Value,
        next: &Next,
    ) -> Result<RecordedReply, ConnectorError> {
        if let Some(old) = self.state().outdated(&document) {
            return Ok(old);
        }
        // Counted before the read is sent: an answer that a write overtakes may be the older one, and is taken for it.
        let as_of = self.state().writes;
        let reply = RecordedReply::of(next, request).await?;
        if reply.is_success() {
            self.state().keep(document, reply.clone(), as_of);
        }
        Ok(reply)
    }
}

impl State {
    /// Returns the outdated answer to this request, if the request is to get one.
    fn outdated(&mut self, document: &Value) -> Option<RecordedReply> {
        let kept = self.kept.get_mut(document)?;
        if kept.lagging_behind < self.writes {
            kept.lagging_behind = self.writes;
            kept.times_given = 0;
        }
        if kept.as_of == self.writes || kept.times_given >= self.reads {
            return None;
        }
        kept.times_given += 1;
        self.stale_answers += 1;
        Some(kept.reply.clone())
    }

    fn keep(&mut self, document: Value, reply: RecordedReply, as_of: u64) {
        if self.kept.get(&document).is_some_and(|newer| newer.as_of > as_of) {
            return;
        }
        if self.kept.len() >= MAX_KEPT {
            self.kept.clear();
        }
        self.kept.insert(document, KeptAnswer { reply, as_of, lagging_behind: as_of, times_given: 0 });
    }
}

/// Guard that counts a write when it ends, also when its caller gives up on it.
struct PassingWrite(LagConnector);

impl Drop for PassingWrite {
    fn drop(&mut self) {
        self.0.state().writes += 1;
    }
}

impl ConnectorLayer for LagConnector {
    async fn call(&self, request: HttpRequest, next: Next) -> Answer {
        let call = Call::read(&request);
        if call.reads_an_index() || call.reads_eventually() {
            return self.read_lagging(request, call.body, &next).await?.into_response();
        }
        let passing = call.is_write().then(|| PassingWrite(self.clone()));
        let reply = RecordedReply::of(&next, request).await;
        drop(passing);
        reply?.into_response()
    }
}
