//! Auditor on AWS Lambda.

use lambda_runtime::{Error, LambdaEvent, run, service_fn};
use presence_auditor::handle;
use presence_runtime::clock::SystemClock;
use presence_runtime::config::AuditConfig;
use presence_runtime::telemetry::{self, Invocation};
use presence_store::{AuditSettings, Database, ReviewStore};
use serde_json::Value;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    telemetry::init(std::io::stdout);
    let config = AuditConfig::from_env()?;
    let settings = AuditSettings::new(config.units, config.mends);
    let reviews = ReviewStore::new(&Database::from_env()?);
    let serve = move |event: LambdaEvent<Value>| {
        let reviews = reviews.clone();
        async move {
            let LambdaEvent { context, .. } = event;
            let deadline = context.deadline();
            let function_version = context.env_config.version.clone();
            let invocation = Invocation { request_id: context.request_id, function_version };
            let work = handle(&reviews, &SystemClock, settings, deadline);
            Box::pin(invocation.run(work)).await.map_err(Error::from)
        }
    };
    run(service_fn(serve)).await
}
