//! A function behind the gateway, invoked as Lambda would do it.

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

/// How long an invocation may take: what the template gives every function.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(10);

/// Lambda's limit for the JSON of an event and for that of an answer.
const PAYLOAD_BYTES: usize = 6 * 1024 * 1024;

/// The memory of each function in MB, as the template has it.
pub const MEMORY_MB: [(&str, i32); 5] =
    [("users", 512), ("categories", 256), ("reviews", 512), ("mailer", 256), ("auditor", 512)];

type Handler = dyn Fn(LambdaEvent<LambdaRequest>) -> BoxFuture<'static, Result<Vec<u8>, InvokeError>> + Send + Sync;

/// A function of the API: its name and its handler.
///
/// Invocations run side by side, each on its own task, and go on to their end when the client leaves, as on Lambda.
#[derive(Clone)]
pub struct LocalFunction {
    name: Arc<str>,
    timeout: Duration,
    config: Arc<Config>,
    handler: Arc<Handler>,
}

/// Why an invocation gave no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvokeError {
    /// The event is larger than Lambda takes.
    #[error("the event is too large for a function")]
    EventTooLarge,
    /// The handler failed or panicked, or its answer is none that Lambda takes.
    #[error("the function failed")]
    Failed,
    /// The handler took longer than it may.
    #[error("the function timed out")]
    TimedOut,
}

impl LocalFunction {
    /// A function of this name, from the handler that its binary would give to `lambda_http::run`.
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
                    Ok(answer) => encoded(&answer),
                    Err(error) => Err(failed(&error.into())),
                }
            }
            .boxed()
        };
        Self { name, timeout: DEFAULT_TIMEOUT, config: Arc::new(config), handler: Arc::new(invoke) }
    }

    /// The same function with another limit of time for an invocation.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// As in its ARN.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Hands the JSON of an event to the function and reads the JSON of its answer. Runs inside a tokio runtime.
    pub async fn invoke(&self, event: Vec<u8>, trace_id: &str) -> Result<ApiGatewayV2httpResponse, InvokeError> {
        if event.len() > PAYLOAD_BYTES {
            return Err(InvokeError::EventTooLarge);
        }
        let context = self.context(trace_id);
        let (handler, limit) = (Arc::clone(&self.handler), self.timeout);
        let run = async move {
            // Inside the task, because `lambda_http` panics on some events where it turns them into requests.
            let payload = serde_json::from_slice(&event).map_err(|error| {
                tracing::error!(%error, "the function cannot read the event");
                InvokeError::Failed
            })?;
            handler(LambdaEvent::new(payload, context)).await
        };
        let outcome = tokio::spawn(tokio::time::timeout(limit, run)).await;
        let answer = match outcome {
            Ok(Ok(answer)) => answer,
            Ok(Err(_)) => Err(InvokeError::TimedOut),
            // The panic hook has already said where.
            Err(_) => Err(InvokeError::Failed),
        };
        let answer = answer.and_then(|json| decoded(&json));
        if let Err(error) = &answer {
            tracing::error!(function = %self.name, %error, "no answer");
        }
        answer
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

/// In the form of a version 4 UUID. Identifies, protects nothing.
fn invocation_id() -> String {
    let (version, variant) = (0x4_u128 << 76, 0x8_u128 << 60);
    let bits = fastrand::u128(..) & !(0xf << 76) & !(0xc << 60) | version | variant;
    let hex = format!("{bits:032x}");
    [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
}

fn encoded(answer: &impl serde::Serialize) -> Result<Vec<u8>, InvokeError> {
    serde_json::to_vec(answer).map_err(|error| {
        tracing::error!(%error, "the answer has no JSON");
        InvokeError::Failed
    })
}

fn decoded(json: &[u8]) -> Result<ApiGatewayV2httpResponse, InvokeError> {
    if json.len() > PAYLOAD_BYTES {
        tracing::error!(bytes = json.len(), "the answer is larger than Lambda takes");
        return Err(InvokeError::Failed);
    }
    serde_json::from_slice(json).map_err(|error| {
        tracing::error!(%error, "the gateway cannot read the answer");
        InvokeError::Failed
    })
}

fn failed(error: &Diagnostic) -> InvokeError {
    tracing::error!(kind = error.error_type, message = error.error_message, "the handler failed");
    InvokeError::Failed
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

    async fn outcome<H, F, E>(handler: H) -> Result<ApiGatewayV2httpResponse, InvokeError>
    where
        H: Fn(Request) -> F + Send + Sync + 'static,
        F: Future<Output = Result<Response<Body>, E>> + Send + 'static,
        E: Debug + Into<Diagnostic> + Send + 'static,
    {
        LocalFunction::new("users", handler).with_timeout(Duration::from_millis(50)).invoke(event(), TRACE).await
    }

    #[tokio::test]
    async fn a_handler_sees_the_context_of_an_invocation() {
        let answer = outcome(|request| async move {
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
    async fn failures_panics_and_delays_are_told_apart_from_answers() {
        let failed = outcome(|_| async { Err::<Response<Body>, _>("broken") }).await;
        assert_eq!(failed, Err(InvokeError::Failed));
        let panicked = outcome(|_| async { panicking() }).await;
        assert_eq!(panicked, Err(InvokeError::Failed));
        let late = outcome(|_| std::future::pending::<Result<Response<Body>, Infallible>>()).await;
        assert_eq!(late, Err(InvokeError::TimedOut));
    }

    #[tokio::test]
    async fn payloads_beyond_the_limits_of_lambda_are_refused() {
        let large = "x".repeat(PAYLOAD_BYTES);
        let answer = outcome(move |_| {
            let response = Response::new(Body::from(large.clone()));
            async { Ok::<_, Infallible>(response) }
        });
        assert_eq!(answer.await, Err(InvokeError::Failed));
        // Lambda counts the answer as a JSON string in its own reply: a quotation mark is two bytes.
        let marks = |count: usize| {
            outcome(move |_| {
                let response = Response::new(Body::from("\"".repeat(count)));
                async { Ok::<_, Infallible>(response) }
            })
        };
        assert_eq!(marks(PAYLOAD_BYTES / 2).await, Err(InvokeError::Failed));
        assert!(marks(PAYLOAD_BYTES / 2 - 200).await.is_ok());
        let function = LocalFunction::new("users", |_| async { Ok::<_, Infallible>(Response::new(Body::Empty)) });
        let answer = function.invoke(vec![b' '; PAYLOAD_BYTES + 1], TRACE).await;
        assert_eq!(answer, Err(InvokeError::EventTooLarge));
        assert_eq!(function.invoke(b"{}".to_vec(), TRACE).await, Err(InvokeError::Failed));
    }
}
