//! Requests to publish or remove a reply, as messages of a FIFO queue: shared/docs/connectors.md.

use std::collections::BTreeMap;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use presence_domain::error::Error;
use presence_domain::instant::format_second;
use presence_domain::review::ReplyRequest;
use presence_runtime::aws::{QueueMessage, SqsQueue};
use presence_runtime::telemetry::Metric;
use presence_store::streamed_change::{HandedOn, request_of};
use serde::Serialize;
use serde_json::Value;

use crate::bus::{Bus, Entry, PutError};

/// Message that asks a connector to publish or remove a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplyMessage(pub QueueMessage);

/// Body of a message.
#[derive(Serialize)]
struct Body<'a> {
    action: &'static str,
    review_id: &'a str,
    version: u64,
    org_id: u64,
    business_id: &'a str,
    partner: &'static str,
    partner_id: &'a str,
    content: Option<&'a str>,
    requested_at: String,
}

impl Entry for ReplyMessage {
    const SENT: Metric = Metric::RepliesSent;

    fn of_record(record: &Value) -> Result<Vec<Self>, Error> {
        Ok(request_of(record)?.iter().map(Self::from).collect())
    }

    fn group(&self) -> Option<&str> {
        Some(&self.0.group_id)
    }
}

impl From<&HandedOn> for ReplyMessage {
    /// The queue drops a second message about the same request, unless an operator asked for it. After a restore, versions come again.
    fn from(HandedOn { request, resent_at }: &HandedOn) -> Self {
        let id = format!("{}-{}-{}", request.review_id.as_str(), request.version, request.requested_at);
        let deduplication_id = resent_at.as_ref().map_or_else(|| id.clone(), |resent_at| format!("{id}-{resent_at}"));
        let body = serde_json::to_string(&Body::from(request)).expect("texts and numbers are JSON");
        let group_id = request.review_id.as_str().to_owned();
        Self(QueueMessage { group_id, deduplication_id, body, attributes: BTreeMap::new() })
    }
}

impl<'a> From<&'a ReplyRequest> for Body<'a> {
    fn from(request: &'a ReplyRequest) -> Self {
        Self {
            action: request.action.as_str(),
            review_id: request.review_id.as_str(),
            version: request.version,
            org_id: request.org_id.get(),
            business_id: request.business_id.as_str(),
            partner: request.partner.as_str(),
            partner_id: &request.partner_id,
            content: request.content.as_deref(),
            requested_at: format_second(request.requested_at),
        }
    }
}

impl Bus for SqsQueue {
    type Entry = ReplyMessage;

    fn put<'a>(&'a self, entries: &'a [ReplyMessage]) -> BoxFuture<'a, Result<Vec<Option<String>>, PutError>> {
        async move {
            let messages: Vec<_> = entries.iter().map(|ReplyMessage(message)| message).collect();
            let refusals = self.send_call(&messages).await.map_err(|error| PutError::of_call(&error))?;
            Ok(refusals.into_iter().map(|refusal| refusal.map(|refusal| refusal.code)).collect())
        }
        .boxed()
    }
}
