//! Publisher on AWS Lambda.

use std::sync::Arc;

use lambda_runtime::{Error, LambdaEvent, run, service_fn};
use presence_publisher::handle;
use presence_publisher_lambda::EventBridge;
use presence_runtime::aws::Aws;
use presence_runtime::config::event_bus_from_env;
use presence_runtime::telemetry::{self, Invocation};
use serde_json::Value;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    telemetry::init(std::io::stdout);
    let bus = Arc::new(EventBridge::new(&Aws::from_env()?.event_bridge(), event_bus_from_env()?));
    let serve = move |event: LambdaEvent<Value>| {
        let bus = Arc::clone(&bus);
        async move {
            let LambdaEvent { payload, context, .. } = event;
            let deadline = context.deadline();
            let function_version = context.env_config.version.clone();
            let invocation = Invocation { request_id: context.request_id, function_version };
            let answer = invocation.run(Box::pin(handle(bus.as_ref(), &payload, deadline))).await;
            Ok::<_, Error>(answer)
        }
    };
    run(service_fn(serve)).await
}
