//! Functions that a stream, a queue or a schedule invokes.

use lambda_runtime::{Error, LambdaEvent, run, service_fn};
use serde::Serialize;
use serde_json::Value;

use crate::clock::Deadline;
use crate::telemetry::Invocation;

/// Answers the invocations of Lambda until it stops the process. `handle` gets the event and the instant by which it must answer.
pub async fn serve<T, E, W>(handle: impl Fn(Value, Deadline) -> W) -> Result<(), Error>
where
    T: Serialize,
    E: Into<Error>,
    W: Future<Output = Result<T, E>>,
{
    let serve = |event: LambdaEvent<Value>| {
        let deadline = Deadline::of_runtime(event.context.deadline());
        let function_version = event.context.env_config.version.clone();
        let invocation = Invocation { request_id: event.context.request_id, function_version };
        let work = invocation.run(handle(event.payload, deadline));
        Box::pin(async { work.await.map_err(E::into) })
    };
    run(service_fn(serve)).await
}
