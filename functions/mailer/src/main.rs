//! The mailer on AWS Lambda.

use std::sync::Arc;

use lambda_runtime::{Error, LambdaEvent, run, service_fn};
use presence::aws::Aws;
use presence::clock::SystemClock;
use presence::config::{Config, MailConfig};
use presence::store::Store;
use presence::store::schema::USERS;
use presence::telemetry;
use presence_mailer::{Outbox, SesMailer, handle};
use serde_json::Value;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    telemetry::init(std::io::stdout);
    let config = MailConfig::from_env()?;
    let aws = Aws::from_env()?;
    let store = Store::new(&aws.dynamodb(), &Config::from_env().table_prefix);
    store.connect(&USERS).await;
    let outbox = Arc::new(Outbox {
        store,
        clock: Arc::new(SystemClock),
        mailer: Arc::new(SesMailer::new(&aws.ses(), config.sender.clone())),
        config,
    });
    let serve = move |event: LambdaEvent<Value>| {
        let outbox = Arc::clone(&outbox);
        async move { handle(&outbox, &event.payload, event.context.deadline()).await.map_err(Error::from) }
    };
    run(service_fn(serve)).await
}
