//! Counts what an import sends and spends, where its calls leave the process: it makes them from many tasks.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use aws_sdk_dynamodb::config::RuntimeComponents;
use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpClient, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_types::body::SdkBody;
use aws_smithy_types::byte_stream::ByteStream;
use serde_json::Value;

/// What was sent and spent.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spent {
    pub(super) calls: u64,
    /// Among the calls.
    pub(super) transactions: u64,
    pub(super) read_units: f64,
    pub(super) write_units: f64,
}

impl Spent {
    /// What was spent after that.
    pub(super) fn since(self, before: Self) -> Self {
        Self {
            calls: self.calls - before.calls,
            transactions: self.transactions - before.transactions,
            read_units: self.read_units - before.read_units,
            write_units: self.write_units - before.write_units,
        }
    }
}

/// An HTTP client that counts. Clones count together.
#[derive(Clone)]
pub(super) struct Counter {
    inner: SharedHttpClient,
    spent: Arc<Mutex<Spent>>,
}

impl Counter {
    pub(super) fn over(inner: impl HttpClient + 'static) -> Self {
        Self { inner: SharedHttpClient::new(inner), spent: Arc::default() }
    }

    pub(super) fn spent(&self) -> Spent {
        *self.spent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Counter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Counter").field(&self.spent()).finish()
    }
}

impl HttpClient for Counter {
    fn http_connector(&self, settings: &HttpConnectorSettings, components: &RuntimeComponents) -> SharedHttpConnector {
        let inner = self.inner.http_connector(settings, components);
        SharedHttpConnector::new(Connector { inner, spent: Arc::clone(&self.spent) })
    }
}

#[derive(Debug)]
struct Connector {
    inner: SharedHttpConnector,
    spent: Arc<Mutex<Spent>>,
}

impl HttpConnector for Connector {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let (inner, spent) = (self.inner.clone(), Arc::clone(&self.spent));
        HttpConnectorFuture::new(async move {
            let target = request.headers().get("x-amz-target").unwrap_or_default().to_owned();
            let mut response = inner.call(request).await?;
            let bytes = ByteStream::new(response.take_body()).collect().await;
            let bytes = bytes.map_err(|error| ConnectorError::io(error.into()))?.into_bytes();
            count(&target, &bytes, &mut spent.lock().unwrap_or_else(PoisonError::into_inner));
            *response.body_mut() = SdkBody::from(bytes);
            Ok(response)
        })
    }
}

/// Adds up the `ConsumedCapacity` of an answer: one object, or a list with one for each table.
fn count(target: &str, answer: &[u8], spent: &mut Spent) {
    let answer: Value = serde_json::from_slice(answer).unwrap_or_default();
    let capacity = &answer["ConsumedCapacity"];
    let of_tables = capacity.as_array().map_or(std::slice::from_ref(capacity), Vec::as_slice);
    let units: f64 = of_tables.iter().filter_map(|one| one["CapacityUnits"].as_f64()).sum();
    spent.calls += 1;
    spent.transactions += u64::from(target.ends_with("TransactWriteItems"));
    if ["TransactWriteItems", "PutItem", "UpdateItem"].iter().any(|write| target.ends_with(write)) {
        spent.write_units += units;
    } else {
        spent.read_units += units;
    }
}
