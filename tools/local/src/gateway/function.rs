//! Function behind the gateway, invoked as Lambda does it.

use std::fmt::Debug;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use aws_lambda_events::apigw::ApiGatewayV2httpResponse;
use futures::FutureExt;
use futures::future::BoxFuture;
use lambda_http::lambda_runtime::{Config, Diagnostic};
use lambda_http::request::LambdaRequest;
use lambda_http::{Adapter, Body, Context, LambdaEvent, Request, Response, Service, service_fn};
use presence_runtime::clock::{Clock as _, SystemClock};

use super::ACCOUNT_ID;
use crate::connectors::count_waves;
use crate::history;

/// Default time limit of an invocation: that of the functions in the template.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(10);

/// Header with the number of round trips of an invocation, from a function that counts them.
pub const WAVES_HEADER: &str = "x-waves";

/// Largest JSON of an event, and of a response: the limit of Lambda.
const MAX_PAYLOAD_BYTES: usize = 6 * 1024 * 1024;

/// Memory of each function in MB: that of the template.
pub const MEMORY_MB: [(&str, i32); 10] = [
    ("users", 512),
    ("categories", 256),
    ("reviews", 512),
    ("mailer", 256),
    ("auditor", 512),
    ("ingest", 512),
    ("publisher", 256),
    ("replies", 256),
    ("feed", 256),
    ("deliverer", 512),
];

type Handler = dyn Fn(LambdaEvent<LambdaRequest>) -> BoxFuture<'static, Result<Vec<u8>, InvokeError>> + Send + Sync;

/// Function of the API: its name and its handler.
///
/// Invocations run concurrently, each in its own task. They run to their end even if the client disconnects, as on Lambda.
#[derive(Clone)]
pub struct LocalFunction {
    name: Arc<str>,
    timeout: Duration,
    counts_waves: bool,
    config: Arc<Config>,
    handler: Arc<Handler>,
}

/// Error of an invocation without a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvokeError {
    /// The event exceeds Lambda's payload limit.
    #[error("the event is too large for a function")]
    EventTooLarge,
    /// The handler failed or panicked, or Lambda would not accept its response.
    #[error("the function failed")]
    Failed,
    /// The handler exceeded its time limit.
    #[error("the function timed out")]
    TimedOut,
}

impl LocalFunction {
    /// Creates a function from the handler that its binary passes to `lambda_http::run`.
    pub fn new<H, F, E>(name: impl Into<Arc<str>>, handler: H) -> Self
    where
        H: Fn(Request) -> F + Send + Sync + 'static,
        F: Future<Output = Result<Response<Body>, E>> + Send + 'static,
        E: Debug + Into<Diagnostic> + Send + 'static,
    {
        let name: Arc<str> = name.into();
        let config = Config {
            function_name: name.to_string(),
            memory: MEMORY_MB.iter().find(|(function, _)| *function == &*name).map_or(0, |(_, megabytes)| *megabytes),
            version: "$LATEST".to_owned(),
            log_stream: "local".to_owned(),
            log_group: format!("/aws/lambda/{name}"),
        };
        let handler = Arc::new(handler);
        let invoke = move |event: LambdaEvent<LambdaRequest>| {
            let handler = Arc::clone(&handler);
            async move {
                let mut adapter = Adapter::from(service_fn(move |request| handler(request)));
                match adapter.call(event).await {
                    Ok(response) => encode_response(&response),
                    Err(error) => Err(log_failure(&error.into())),
                }
            }
            .boxed()
        };
        Self {
            name,
            timeout: DEFAULT_TIMEOUT,
            counts_waves: false,
            config: Arc::new(config),
            handler: Arc::new(invoke),
        }
    }

    /// Returns the function with another time limit.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Returns the function with the count of round trips on or off. If it is on, each invocation runs in virtual time, and its
    /// response has the number of its round trips in the header [`WAVES_HEADER`]. The SDK client of the handler must have the
    /// [`WavesConnector`](crate::connectors::WavesConnector).
    #[must_use]
    pub fn counting_waves(mut self, counts_waves: bool) -> Self {
        self.counts_waves = counts_waves;
        self
    }

    /// Returns the name, as in the ARN.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Invokes the function with the JSON of an event and parses the JSON of its response. Requires a tokio runtime.
    pub async fn invoke(&self, event: Vec<u8>, trace_id: &str) -> Result<ApiGatewayV2httpResponse, InvokeError> {
        if event.len() > MAX_PAYLOAD_BYTES {
            return Err(InvokeError::EventTooLarge);
        }
        let context = self.context(trace_id);
        let request_id = context.request_id.clone();
        let (handler, limit) = (Arc::clone(&self.handler), self.timeout);
        let run = async move {
            // Parsed inside the task, because `lambda_http` panics on some events when it converts them to requests.
            let payload = serde_json::from_slice(&event).map_err(|error| {
                tracing::error!(%error, "the function cannot parse the event");
                InvokeError::Failed
            })?;
            handler(LambdaEvent::new(payload, context)).await
        };
        // The function runs in a task of its own.
        let run = history::carry(run);
        let limited = async move { tokio::time::timeout(limit, run).await.unwrap_or(Err(InvokeError::TimedOut)) };
        let outcome = if self.counts_waves {
            tokio::task::spawn_blocking(|| count_waves(limited)).await.map(|(result, waves)| (result, Some(waves)))
        } else {
            tokio::spawn(limited).await.map(|result| (result, None))
        };
        // If the task panicked, the panic hook has already logged it.
        let (result, waves) = outcome.unwrap_or((Err(InvokeError::Failed), None));
        let response = result.and_then(|json| decode_response(&json)).map(|response| with_waves(response, waves));
        if let Err(error) = &response {
            tracing::error!(function = %self.name, request_id, %error, "the invocation failed");
        }
        response
    }

    fn context(&self, trace_id: &str) -> Context {
        let deadline = SystemClock
            .now()
            .as_millisecond()
            .saturating_add(i64::try_from(self.timeout.as_millis()).unwrap_or(i64::MAX));
        let mut context = Context::default();
        context.request_id = invocation_id();
        context.deadline = u64::try_from(deadline).unwrap_or_default();
        context.invoked_function_arn = format!("arn:aws:lambda:local:{ACCOUNT_ID}:function:{}", self.name);
        context.xray_trace_id = Some(trace_id.to_owned());
        context.env_config = Arc::clone(&self.config);
        context
    }
}

impl Debug for LocalFunction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LocalFunction")
            .field("name", &self.name)
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

/// Returns a random id in the format of a version 4 UUID. It needs no secure random numbers: it only labels logs.
fn invocation_id() -> String {
    let (version, variant) = (0x4_u128 << 76, 0x8_u128 << 60);
    let bits = fastrand::u128(..) & !(0xf << 76) & !(0xc << 60) | version | variant;
    let hex = format!("{bits:032x}");
    [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
}

fn encode_response(response: &impl serde::Serialize) -> Result<Vec<u8>, InvokeError> {
    serde_json::to_vec(response).map_err(|error| {
        tracing::error!(%error, "the response cannot be serialized");
        InvokeError::Failed
    })
}

fn decode_response(json: &[u8]) -> Result<ApiGatewayV2httpResponse, InvokeError> {
    if json.len() > MAX_PAYLOAD_BYTES {
        tracing::error!(bytes = json.len(), "the response exceeds Lambda's payload limit");
        return Err(InvokeError::Failed);
    }
    serde_json::from_slice(json).map_err(|error| {
        tracing::error!(%error, "the gateway cannot parse the response");
        InvokeError::Failed
    })
}

fn log_failure(error: &Diagnostic) -> InvokeError {
    tracing::error!(kind = error.error_type, message = error.error_message, "the handler failed");
    InvokeError::Failed
}

/// Adds the number of round trips to the headers of a response, if they were counted.
fn with_waves(mut response: ApiGatewayV2httpResponse, waves: Option<u32>) -> ApiGatewayV2httpResponse {
    if let Some(waves) = waves {
        response.headers.insert(WAVES_HEADER, waves.into());
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use lambda_http::RequestExt;
    use std::convert::Infallible;

    const TRACE: &str = "Root=1-6b019b48-0123456789abcdef01234567";

    fn event() -> Vec<u8> {
        br#"{"version":"2.0","routeKey":"GET /","rawPath":"/","rawQueryString":"","headers":{"host":"localhost"},
            "requestContext":{"http":{"method":"GET","path":"/"},"stage":"$default"},"isBase64Encoded":false}"#
            .to_vec()
    }

    async fn invoke<H, F, E>(handler: H) -> Result<ApiGatewayV2httpResponse, InvokeError>
    where
        H: Fn(Request) -> F + Send + Sync + 'static,
        F: Future<Output = Result<Response<Body>, E>> + Send + 'static,
        E: Debug + Into<Diagnostic> + Send + 'static,
    {
        LocalFunction::new("users", handler).with_timeout(Duration::from_millis(50)).invoke(event(), TRACE).await
    }

    #[tokio::test]
    async fn handler_receives_the_context_of_its_invocation() {
        let answer = invoke(|request| async move {
            let context = request.lambda_context();
            let left = context.deadline - u64::try_from(SystemClock.now().as_millisecond()).expect("after 1970");
            assert!(left <= 50, "{left} ms");
            assert_eq!(context.invoked_function_arn, "arn:aws:lambda:local:000000000000:function:users");
            assert_eq!(context.env_config.function_name, "users");
            assert_eq!(request.headers()["x-amzn-trace-id"], TRACE);
            Ok::<_, Infallible>(Response::new(Body::from(context.request_id)))
        })
        .await
        .expect("an answer");
        let Some(Body::Text(id)) = answer.body else { panic!("a text") };
        let shape: Vec<usize> = id.split('-').map(str::len).collect();
        assert_eq!((shape, &id[14..15]), (vec![8, 4, 4, 4, 12], "4"), "{id}");
    }

    fn panicking() -> Result<Response<Body>, Infallible> {
        panic!("on purpose")
    }

    #[tokio::test]
    async fn failures_panics_and_timeouts_are_errors() {
        let failed = invoke(|_| async { Err::<Response<Body>, _>("broken") }).await;
        assert_eq!(failed, Err(InvokeError::Failed));
        let panicked = invoke(|_| async { panicking() }).await;
        assert_eq!(panicked, Err(InvokeError::Failed));
        let late = invoke(|_| std::future::pending::<Result<Response<Body>, Infallible>>()).await;
        assert_eq!(late, Err(InvokeError::TimedOut));
    }

    #[tokio::test]
    async fn payloads_over_the_limit_of_lambda_are_refused() {
        let large = "x".repeat(MAX_PAYLOAD_BYTES);
        let answer = invoke(move |_| {
            let response = Response::new(Body::from(large.clone()));
            async { Ok::<_, Infallible>(response) }
        });
        assert_eq!(answer.await, Err(InvokeError::Failed));
        // Lambda puts the response into its own JSON reply as a string, where a quotation mark takes two bytes.
        let quotation_marks = |count: usize| {
            invoke(move |_| {
                let response = Response::new(Body::from("\"".repeat(count)));
                async { Ok::<_, Infallible>(response) }
            })
        };
        assert_eq!(quotation_marks(MAX_PAYLOAD_BYTES / 2).await, Err(InvokeError::Failed));
        assert!(quotation_marks(MAX_PAYLOAD_BYTES / 2 - 200).await.is_ok());
        let function = LocalFunction::new("users", |_| async { Ok::<_, Infallible>(Response::new(Body::Empty)) });
        let answer = function.invoke(vec![b' '; MAX_PAYLOAD_BYTES + 1], TRACE).await;
        assert_eq!(answer, Err(InvokeError::EventTooLarge));
        assert_eq!(function.invoke(b"{}".to_vec(), TRACE).await, Err(InvokeError::Failed));
    }
}
