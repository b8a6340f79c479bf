//! Publisher on AWS Lambda.

use std::sync::Arc;

use lambda_runtime::Error;
use presence_publisher::{EventBridge, handle};
use presence_runtime::aws::Aws;
use presence_runtime::config::event_bus_from_env;
use presence_runtime::invocations::serve;
use presence_runtime::telemetry;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    telemetry::init(std::io::stdout);
    let bus = Arc::new(EventBridge::new(&Aws::from_env()?.event_bridge(), event_bus_from_env()?));
    serve(move |event, deadline| {
        let bus = Arc::clone(&bus);
        async move { Ok::<_, Error>(handle(bus.as_ref(), &event, deadline).await) }
    })
    .await
}
