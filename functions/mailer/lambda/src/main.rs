//! The mailer on AWS Lambda.

use std::sync::Arc;

use lambda_runtime::Error;
use presence_mailer::{OutboxProcessor, handle};
use presence_mailer_lambda::SesMailer;
use presence_runtime::aws::Aws;
use presence_runtime::clock::SystemClock;
use presence_runtime::config::{Config, MailConfig};
use presence_runtime::invocations::serve;
use presence_runtime::telemetry;
use presence_store::schema::USERS;
use presence_store::{Database, OutboxStore, UserStore};

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
    serve(move |event, deadline| {
        let processor = Arc::clone(&processor);
        async move { handle(&processor, &event, deadline).await }
    })
    .await
}
