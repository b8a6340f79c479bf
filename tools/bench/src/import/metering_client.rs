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

/// What was sent and used.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Usage {
    pub(super) calls: u64,
    /// Among the calls.
    pub(super) transactions: u64,
    pub(super) read_units: f64,
    pub(super) write_units: f64,
}

impl Usage {
    /// What was used after that.
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
pub(super) struct MeteringClient {
    inner: SharedHttpClient,
    usage: Arc<Mutex<Usage>>,
}

impl MeteringClient {
    pub(super) fn over(inner: impl HttpClient + 'static) -> Self {
        Self { inner: SharedHttpClient::new(inner), usage: Arc::default() }
    }

    pub(super) fn usage(&self) -> Usage {
        *self.usage.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for MeteringClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("MeteringClient").field(&self.usage()).finish()
    }
}

impl HttpClient for MeteringClient {
    fn http_connector(&self, settings: &HttpConnectorSettings, components: &RuntimeComponents) -> SharedHttpConnector {
        let inner = self.inner.http_connector(settings, components);
        SharedHttpConnector::new(MeteringConnector { inner, usage: Arc::clone(&self.usage) })
    }
}

#[derive(Debug)]
struct MeteringConnector {
    inner: SharedHttpConnector,
    usage: Arc<Mutex<Usage>>,
}

impl HttpConnector for MeteringConnector {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let (inner, usage) = (self.inner.clone(), Arc::clone(&self.usage));
        HttpConnectorFuture::new(async move {
            let target = request.headers().get("x-amz-target").unwrap_or_default().to_owned();
            let mut response = inner.call(request).await?;
            let bytes = ByteStream::new(response.take_body()).collect().await;
            let bytes = bytes.map_err(|error| ConnectorError::io(error.into()))?.into_bytes();
            count(&target, &bytes, &mut usage.lock().unwrap_or_else(PoisonError::into_inner));
            *response.body_mut() = SdkBody::from(bytes);
            Ok(response)
        })
    }
}

/// Adds up the `ConsumedCapacity` of an answer: one object, or a list with one for each table.
fn count(target: &str, answer: &[u8], usage: &mut Usage) {
    let answer: Value = serde_json::from_slice(answer).unwrap_or_default();
    let capacity = &answer["ConsumedCapacity"];
    let of_tables = capacity.as_array().map_or(std::slice::from_ref(capacity), Vec::as_slice);
    let units: f64 = of_tables.iter().filter_map(|one| one["CapacityUnits"].as_f64()).sum();
    usage.calls += 1;
    usage.transactions += u64::from(target.ends_with("TransactWriteItems"));
    if ["TransactWriteItems", "PutItem", "UpdateItem"].iter().any(|write| target.ends_with(write)) {
        usage.write_units += units;
    } else {
        usage.read_units += units;
    }
}
