//! The mailer on AWS Lambda.

use std::sync::Arc;

use lambda_runtime::{Error, LambdaEvent, run, service_fn};
use presence_mailer::{OutboxProcessor, handle};
use presence_mailer_lambda::SesMailer;
use presence_runtime::aws::Aws;
use presence_runtime::clock::SystemClock;
use presence_runtime::config::{Config, MailConfig};
use presence_runtime::telemetry::{self, Invocation};
use presence_store::schema::USERS;
use presence_store::{Database, OutboxStore, UserStore};
use serde_json::Value;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    telemetry::init(std::io::stdout);
    let config = MailConfig::from_env()?;
    let aws = Aws::from_env()?;
    let database = Database::of(&aws.dynamodb(), &Config::from_env());
    database.connect(&USERS).await;
    let processor = Arc::new(OutboxProcessor {
        users: UserStore::new(&database),
        outbox: OutboxStore::new(&database),
        clock: Arc::new(SystemClock),
        mailer: Arc::new(SesMailer::new(&aws.ses(), config.sender.clone())),
        config,
    });
    let serve = move |event: LambdaEvent<Value>| {
        let processor = Arc::clone(&processor);
        async move {
            let LambdaEvent { payload, context, .. } = event;
            let deadline = context.deadline();
            let function_version = context.env_config.version.clone();
            let invocation = Invocation { request_id: context.request_id, function_version };
            let work = handle(&processor, &payload, deadline);
            Box::pin(invocation.run(work)).await.map_err(Error::from)
        }
    };
    run(service_fn(serve)).await
}
