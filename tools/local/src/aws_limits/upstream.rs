//! The `DynamoDB` behind the limits.

use bytes::Bytes;
use http::header::{ACCEPT_ENCODING, CONNECTION, CONTENT_LENGTH, HOST, TRANSFER_ENCODING};
use http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;

use super::response::DynamoDbResponse;

/// Names the operation.
pub(super) const TARGET: HeaderName = HeaderName::from_static("x-amz-target");
/// The first part of the targets of the data and control plane.
pub(super) const SERVICE: &str = "DynamoDB_20120810.";

/// Headers that belong to a connection, or that would have the answer compressed.
const REMOVED_HEADERS: [HeaderName; 5] = [ACCEPT_ENCODING, CONNECTION, CONTENT_LENGTH, HOST, TRANSFER_ENCODING];

/// DynamoDB did not answer, or not in JSON.
#[derive(Debug, thiserror::Error)]
#[error("DynamoDB does not answer")]
pub(super) struct UpstreamError;

/// A client of the database's protocol, which passes the caller's credentials on.
#[derive(Debug)]
pub(super) struct Upstream {
    url: String,
    client: reqwest::Client,
}

impl Upstream {
    pub(super) fn new(url: &str) -> Self {
        Self { url: url.to_owned(), client: reqwest::Client::new() }
    }

    /// Sends a request as it is.
    pub(super) async fn pass(
        &self,
        headers: &HeaderMap,
        body: Bytes,
    ) -> Result<(u16, HeaderMap, Bytes), UpstreamError> {
        let mut headers = headers.clone();
        for name in &REMOVED_HEADERS {
            headers.remove(name);
        }
        let sent = self.client.post(&self.url).headers(headers).body(body).send().await.map_err(|_| UpstreamError)?;
        let (status, headers) = (sent.status().as_u16(), sent.headers().clone());
        Ok((status, headers, sent.bytes().await.map_err(|_| UpstreamError)?))
    }

    /// Sends a request of this operation, with the credentials of another one.
    pub(super) async fn call(
        &self,
        headers: &HeaderMap,
        operation: &str,
        body: &Value,
    ) -> Result<DynamoDbResponse, UpstreamError> {
        let mut headers = headers.clone();
        let target = HeaderValue::try_from(format!("{SERVICE}{operation}")).map_err(|_| UpstreamError)?;
        headers.insert(TARGET, target);
        let (status, _, body) = self.pass(&headers, body.to_string().into()).await?;
        Ok(DynamoDbResponse { status, body: serde_json::from_slice(&body).map_err(|_| UpstreamError)? })
    }
}
