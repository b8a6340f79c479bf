//! Functions of the API behind the gateway, started as Lambda starts them.

use std::convert::Infallible;
use std::sync::Arc;

use lambda_http::{Body, Request, Response};
use presence_api::{DocsUrl, EdgeGate, Route};
use presence_domain::webhook::WebhookReach;
use presence_store::Database;

use crate::connectors::count_waves;
use crate::gateway::LocalFunction;
use crate::options::Options;

/// Starts the functions of the API as Lambda does. Returns the routes of the template, each with its function. The functions share a
/// connection, and nothing else.
pub async fn start(database: &Database, options: &Options) -> anyhow::Result<Vec<(String, LocalFunction)>> {
    let (clock, limit) = (|| Arc::clone(&options.clock), options.rate_limit);
    let users = presence_users::App::new(database, clock(), limit);
    let users = users.with_sign_in_url(options.sign_in_url.clone()).start();
    let categories = presence_categories::App::new(database, clock(), limit).start();
    let reviews = presence_reviews::App::new(database, clock(), limit).with_replies(true).start();
    let feed = presence_feed::App::new(database, clock(), limit).with_events(true);
    let feed = feed.with_webhooks(Some(WebhookReach::ThisMachine)).start();
    let started = async { futures::join!(users, categories, reviews, feed) };
    // A connector that counts round trips works in virtual time only.
    let (users, categories, reviews, feed) = if options.waves.is_some() {
        tokio::task::spawn_blocking(|| count_waves(started)).await?.0
    } else {
        Box::pin(started).await
    };
    let users = function("users", users, presence_users::handle);
    let categories = function("categories", categories, presence_categories::handle);
    let reviews = function("reviews", reviews, presence_reviews::handle);
    let feed = function("feed", feed, presence_feed::handle);
    let users_keys = [&presence_users::CATCH_ALL[..], &presence_users::PAGES].concat();
    let categories_keys = [&presence_categories::CATCH_ALL[..], &presence_categories::DOCUMENTS].concat();
    let functions = [
        (users, route_keys(&presence_users::ROUTES, &users_keys)),
        (categories, route_keys(&presence_categories::ROUTES, &categories_keys)),
        (reviews, route_keys(&presence_reviews::ROUTES, &presence_reviews::CATCH_ALL)),
        (feed, route_keys(&presence_feed::ROUTES, &presence_feed::CATCH_ALL)),
    ];
    let routes = functions.into_iter().flat_map(|(function, keys)| {
        let function = function.with_timeout(options.function_timeout).counting_waves(options.waves.is_some());
        keys.into_iter().map(move |key| (key, function.clone()))
    });
    Ok(routes.collect())
}

/// Returns a function behind the gate that its program has. Errors link to the guide of this stack.
fn function<App, Handling>(
    name: &'static str,
    app: Arc<App>,
    handle: impl Fn(Arc<App>, Request) -> Handling + Copy + Send + Sync + 'static,
) -> LocalFunction
where
    App: Send + Sync + 'static,
    Handling: Future<Output = Result<Response<Body>, Infallible>> + Send + 'static,
{
    let gate = EdgeGate::new(None).with_docs_url(DocsUrl::CalledHost);
    LocalFunction::new(name, move |request| {
        let app = Arc::clone(&app);
        gate.handle(request, move |request| handle(app, request))
    })
}

/// Returns the gateway's route keys of a function: those of its operations, then others.
fn route_keys<Operation>(routes: &[Route<Operation>], others: &[&str]) -> Vec<String> {
    let operations = routes.iter().map(|route| format!("{} {}", route.method, route.path));
    operations.chain(others.iter().map(ToString::to_string)).collect()
}
