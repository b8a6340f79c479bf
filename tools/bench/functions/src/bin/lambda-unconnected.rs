//! Users function that opens no connection while it starts. The benchmark shows the effect of the early connection.

use std::sync::Arc;

use lambda_http::{Error, run, service_fn};
use presence_runtime::clock::SystemClock;
use presence_runtime::telemetry;
use presence_store::Database;
use presence_users::App;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    telemetry::init(std::io::stdout);
    let app = Arc::new(App::new(&Database::from_env()?, Arc::new(SystemClock)));
    run(service_fn(move |request| presence_users::handle(Arc::clone(&app), request))).await
}
