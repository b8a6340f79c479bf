//! Way of a request: headers and repetition.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use progenitor_client::{ClientHooks, ClientInfo as _, OperationInfo};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use reqwest::{Method, Request, Response};
use secrecy::{ExposeSecret as _, SecretString};

use crate::generated::Client;
use crate::options::{CallOptions, IdempotencyKey};
use crate::retry::{FailedAttempt, Retry};

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
const CLIENT_REQUEST_ID: HeaderName = HeaderName::from_static("x-client-request-id");
const API_KEY: HeaderName = HeaderName::from_static("x-api-key");

/// State that each request of a client needs. It has no key in its `Debug`.
#[derive(Clone)]
pub struct Layer {
    pub(crate) api_key: Arc<SecretString>,
    pub(crate) retry: Retry,
    pub(crate) call: CallOptions,
}

impl fmt::Debug for Layer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Layer").field("retry", &self.retry).field("call", &self.call).finish_non_exhaustive()
    }
}

impl ClientHooks<Layer> for Client {
    /// Sends a request until it is answered or the bounds of repetition are reached.
    async fn exec(&self, mut request: Request, _: &OperationInfo) -> reqwest::Result<Response> {
        let layer = self.inner();
        layer.add_headers(&mut request);
        let repeatable = is_repeatable(&request);
        for retries in 0.. {
            // Bodies are texts in memory, so that each of them can be copied.
            let Some(copy) = request.try_clone() else { break };
            let answer = attempt(self.client(), copy).await;
            let failure = match &answer {
                Ok(response) if response.status().is_success() => return answer,
                Ok(response) => {
                    let retry_after = retry_after(response.headers(), Timestamp::now());
                    FailedAttempt { status: Some(response.status().as_u16()), retry_after }
                }
                Err(_) => FailedAttempt { status: None, retry_after: None },
            };
            match layer.retry.pause_after(failure, retries, repeatable, fastrand::f64()) {
                Some(pause) => tokio::time::sleep(pause).await,
                None => return answer,
            }
        }
        self.client().execute(request).await
    }
}

impl Layer {
    /// Adds the key, and what the options of the call say. All attempts share them.
    fn add_headers(&self, request: &mut Request) {
        let is_change = !matches!(*request.method(), Method::GET | Method::HEAD);
        let headers = request.headers_mut();
        if let Ok(mut value) = HeaderValue::from_str(self.api_key.expose_secret()) {
            value.set_sensitive(true);
            headers.insert(API_KEY, value);
        }
        let key = match &self.call.idempotency_key {
            IdempotencyKey::Automatic => Some(uuid::Uuid::new_v4().to_string()),
            IdempotencyKey::Own(key) => Some(key.clone()),
            IdempotencyKey::Off => None,
        };
        let key = key.filter(|_| is_change && !headers.contains_key(&IDEMPOTENCY_KEY));
        // The service answers 400 to a value that is left out here, or has no use for it.
        for (name, value) in [(IDEMPOTENCY_KEY, key), (CLIENT_REQUEST_ID, self.call.client_request_id.clone())] {
            if let Some(value) = value.and_then(|value| HeaderValue::from_str(&value).ok()) {
                headers.insert(name, value);
            }
        }
    }
}

/// True if sending the request twice has the effect of sending it once.
fn is_repeatable(request: &Request) -> bool {
    matches!(*request.method(), Method::GET | Method::HEAD) || request.headers().contains_key(IDEMPOTENCY_KEY)
}

/// Returns an answer with its whole body, so that a connection that breaks within it counts as no answer.
async fn attempt(client: &reqwest::Client, request: Request) -> reqwest::Result<Response> {
    let response = client.execute(request).await?;
    let (status, headers) = (response.status(), response.headers().clone());
    let mut whole = http::Response::new(response.bytes().await?);
    *whole.status_mut() = status;
    *whole.headers_mut() = headers;
    Ok(whole.into())
}

/// Returns the time that a `Retry-After` header asks for: it holds seconds or a date.
pub(crate) fn retry_after(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?;
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        return text.parse().ok().map(Duration::from_secs);
    }
    let date = jiff::fmt::rfc2822::parse(text).ok()?.timestamp();
    Some(Duration::try_from(date.duration_since(now)).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let now = Timestamp::from_second(2).expect("a time");
        let read = |text| retry_after(&HeaderMap::from_iter([(RETRY_AFTER, HeaderValue::from_static(text))]), now);
        assert_eq!(read("7"), Some(Duration::from_secs(7)));
        assert_eq!(read("Thu, 01 Jan 1970 00:00:09 GMT"), Some(Duration::from_secs(7)));
        assert_eq!(read("Thu, 01 Jan 1970 00:00:01 GMT"), Some(Duration::ZERO));
        assert_eq!(read("soon"), None);
        assert_eq!(retry_after(&HeaderMap::new(), now), None);
    }
}
