//! `DynamoDB` behind the limits.

use bytes::Bytes;
use http::header::{ACCEPT_ENCODING, CONNECTION, CONTENT_LENGTH, HOST, TRANSFER_ENCODING};
use http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;

use super::response::DynamoDbResponse;

/// Header that names the operation.
pub(super) const TARGET_HEADER: HeaderName = HeaderName::from_static("x-amz-target");
/// Prefix of the target in calls of the data and control plane. Streams have another one.
pub(super) const TARGET_PREFIX: &str = "DynamoDB_20120810.";

/// Headers that are not forwarded: those of a connection, and the one that would make the response compressed.
const REMOVED_HEADERS: [HeaderName; 5] = [ACCEPT_ENCODING, CONNECTION, CONTENT_LENGTH, HOST, TRANSFER_ENCODING];

/// Error of a call to `DynamoDB`: no response, or one that is not JSON.
#[derive(Debug, thiserror::Error)]
#[error("DynamoDB does not answer")]
pub(super) struct UpstreamError;

/// Client of the upstream `DynamoDB`. It forwards the credentials of its caller.
#[derive(Debug)]
pub(super) struct Upstream {
    url: String,
    client: reqwest::Client,
}

impl Upstream {
    pub(super) fn new(url: &str) -> Self {
        Self { url: url.to_owned(), client: reqwest::Client::new() }
    }

    /// Forwards a request unchanged. Returns status, headers and body of the response.
    pub(super) async fn forward(
        &self,
        headers: &HeaderMap,
        body: Bytes,
    ) -> Result<(u16, HeaderMap, Bytes), UpstreamError> {
        let mut headers = headers.clone();
        for name in &REMOVED_HEADERS {
            headers.remove(name);
        }
        let response =
            self.client.post(&self.url).headers(headers).body(body).send().await.map_err(|_| UpstreamError)?;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        Ok((status, headers, response.bytes().await.map_err(|_| UpstreamError)?))
    }

    /// Calls an operation with the headers of another request, which carry its credentials.
    pub(super) async fn call(
        &self,
        headers: &HeaderMap,
        operation: &str,
        body: &Value,
    ) -> Result<DynamoDbResponse, UpstreamError> {
        let mut headers = headers.clone();
        let target = HeaderValue::try_from(format!("{TARGET_PREFIX}{operation}")).map_err(|_| UpstreamError)?;
        headers.insert(TARGET_HEADER, target);
        let (status, _, body) = self.forward(&headers, body.to_string().into()).await?;
        Ok(DynamoDbResponse { status, body: serde_json::from_slice(&body).map_err(|_| UpstreamError)? })
    }
}
