//! The auditor on AWS Lambda.

use lambda_runtime::{Error, LambdaEvent, run, service_fn};
use presence::aws::Aws;
use presence::clock::SystemClock;
use presence::config::{AuditConfig, Config};
use presence::store::Store;
use presence::telemetry;
use presence_auditor::handle;
use serde_json::Value;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    telemetry::init(std::io::stdout);
    let settings = AuditConfig::from_env()?.settings();
    let store = Store::new(&Aws::from_env()?.dynamodb(), &Config::from_env().table_prefix);
    let serve = move |event: LambdaEvent<Value>| {
        let store = store.clone();
        async move { handle(&store, &SystemClock, settings, event.context.deadline()).await.map_err(Error::from) }
    };
    run(service_fn(serve)).await
}
