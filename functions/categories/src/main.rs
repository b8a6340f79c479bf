//! The categories function on AWS Lambda.

use std::sync::Arc;

use lambda_http::{Error, run, service_fn};
use presence_api::app::App;
use presence_runtime::telemetry;
use presence_store::schema::API_KEYS;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    telemetry::init(std::io::stdout);
    let app = Arc::new(App::from_env()?);
    app.store.connect(&API_KEYS).await;
    run(service_fn(move |request| presence_categories::handle(Arc::clone(&app), request))).await
}
