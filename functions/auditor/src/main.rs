//! Auditor on AWS Lambda.

use lambda_runtime::Error;
use presence_auditor::handle;
use presence_runtime::clock::SystemClock;
use presence_runtime::config::AuditConfig;
use presence_runtime::invocations::serve;
use presence_runtime::telemetry;
use presence_store::{AuditSettings, Database, ReviewStore};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    telemetry::init(std::io::stdout);
    let config = AuditConfig::from_env()?;
    let settings = AuditSettings::new(config.units, config.mends);
    let reviews = ReviewStore::new(&Database::from_env()?);
    serve(move |_, deadline| {
        let reviews = reviews.clone();
        async move { handle(&reviews, &SystemClock, settings, deadline).await }
    })
    .await
}
