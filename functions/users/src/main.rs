//! The users function on AWS Lambda.

use std::sync::Arc;

use lambda_http::{Error, run, service_fn};
use presence_api::EdgeGate;
use presence_runtime::clock::SystemClock;
use presence_runtime::config::rate_limit_from_env;
use presence_runtime::sign_in_url::SignInUrl;
use presence_runtime::telemetry;
use presence_store::Database;
use presence_users::App;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    telemetry::init(std::io::stdout);
    let database = Database::from_env()?;
    let app = App::new(&database, Arc::new(SystemClock), rate_limit_from_env()?);
    let app = app.with_sign_in_url(SignInUrl::from_env()?).start().await;
    let gate = EdgeGate::from_env()?;
    let handle = move |request| {
        let app = Arc::clone(&app);
        gate.handle(request, |request| presence_users::handle(app, request))
    };
    run(service_fn(handle)).await
}
