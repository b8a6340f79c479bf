//! Feed function on AWS Lambda.

use std::sync::Arc;

use lambda_http::{Error, run, service_fn};
use presence_api::EdgeGate;
use presence_domain::webhook::WebhookReach;
use presence_feed::App;
use presence_runtime::clock::SystemClock;
use presence_runtime::config::{events_from_env, rate_limit_from_env, webhooks_from_env};
use presence_runtime::telemetry;
use presence_store::Database;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    telemetry::init(std::io::stdout);
    let database = Database::from_env()?;
    let app = App::new(&database, Arc::new(SystemClock), rate_limit_from_env()?);
    let app = app.with_events(events_from_env()).with_webhooks(webhooks_from_env().then_some(WebhookReach::Public));
    let app = app.start().await;
    let gate = EdgeGate::from_env()?;
    let handle = move |request| {
        let app = Arc::clone(&app);
        gate.handle(request, |request| presence_feed::handle(app, request))
    };
    run(service_fn(handle)).await
}
