//! The users function as it is, but for one thing: it opens no connection while it starts. What that is worth is measured.

use std::sync::Arc;

use lambda_http::{Error, run, service_fn};
use presence_api::app::App;
use presence_runtime::telemetry;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    telemetry::init(std::io::stdout);
    let app = Arc::new(App::from_env()?);
    run(service_fn(move |request| presence_users::handle(Arc::clone(&app), request))).await
}
