//! Path of a request: route, read, authenticate, run the operation, answer, log.

use std::future::Future;
use std::sync::Arc;

use lambda_http::Request;
use lambda_http::http::Response;
use secrecy::ExposeSecret;

use super::error_answer::{RequestError, error_answer};
use super::invocation::{Invocation, Outcome};
use super::operation::{Handler, Starting};
use super::speculation::{self, WaitingOperation};
use super::unverified_request::UnverifiedRequest;
use super::{Answer, Route, route};
use crate::auth::{Authenticator, PresentedKey};
use presence_domain::api_key::PlaintextApiKey;
use presence_domain::error::Error;

/// Name in the log of a request that has no route.
const NO_ROUTE: &str = "none";

/// Serves one request of a function. It never fails, and it answers before the runtime's deadline.
pub async fn serve<App>(
    app: &Arc<App>,
    authenticator: &Authenticator,
    routes: &'static [Route<Handler<App>>],
    request: Request,
) -> Response<lambda_http::Body> {
    respond(routes, &request, |request| run(app, authenticator, request)).await
}

/// Routes and reads a request, runs it, logs it and makes its response.
async fn respond<Operation: Copy, Running>(
    routes: &'static [Route<Operation>],
    request: &Request,
    run: impl FnOnce(UnverifiedRequest<Operation>) -> Running,
) -> Response<lambda_http::Body>
where
    Running: Future<Output = Result<Answer, Error>>,
{
    let invocation = Invocation::start(request);
    let matched = route::find(routes, request);
    let name = matched.as_ref().map_or(NO_ROUTE, |matched| matched.route.name);
    let result = match matched.and_then(|matched| UnverifiedRequest::read(matched, request)) {
        Ok(mut unverified) => {
            if let Some(notice) = unverified.deprecation.take() {
                let _ = invocation.deprecation.set(notice);
            }
            let result = invocation.run(Box::pin(run(unverified))).await;
            let result = result.map(|answer| with_notices(answer, &invocation).encoded(invocation.form));
            result.and_then(|answer| answer.check_size(&invocation.ids)).map_err(RequestError::from)
        }
        Err(error) => Err(error),
    };
    end(&invocation, name, result)
}

/// Adds what every answer tells: the remaining requests of the key, and deprecated parts that the request uses.
fn with_notices(answer: Answer, invocation: &Invocation) -> Answer {
    answer.with_quota(invocation.quota()).with_deprecation(invocation.deprecation.get())
}

/// Logs a request that has ended, and makes its response.
pub(super) fn end(
    invocation: &Invocation,
    operation: &'static str,
    result: Result<Answer, RequestError>,
) -> Response<lambda_http::Body> {
    let (answer, outcome) = match result {
        Ok(answer) => {
            let outcome = Outcome::success(operation, answer.status);
            (answer, outcome)
        }
        Err(error) => {
            if let RequestError::Domain(error) = &error {
                invocation.log_error(operation, error);
            }
            let help = invocation.error_headers(error.kind());
            let answer = with_notices(error_answer(&error), invocation).with_headers(help);
            let (error_kind, bad_fields) = (Some(error.kind()), error.loggable_fields());
            let outcome = Outcome { error_kind, bad_fields, ..Outcome::success(operation, answer.status) };
            (answer, outcome)
        }
    };
    invocation.log_request(&outcome);
    answer.encoded(invocation.form).into_response(&invocation.ids, invocation.form)
}

async fn run<App>(
    app: &Arc<App>,
    authenticator: &Authenticator,
    request: UnverifiedRequest<Handler<App>>,
) -> Result<Answer, Error> {
    let UnverifiedRequest { operation: Handler(starting), key, source, change, input, .. } = request;
    // A key that is missing or malformed is refused like any other, and costs no read.
    let key = key.as_ref().and_then(|key| PlaintextApiKey::parse(key.expose_secret())).ok_or(Error::Unauthenticated)?;
    let key = PresentedKey { hash: key.hash(), source };
    let app = Arc::clone(app);
    match (starting, change) {
        (Starting::ForAnyPrincipal(start), _) => {
            speculation::run_for_any_principal(authenticator, &key, start(app, input)).await
        }
        (Starting::Speculatively(start), _) => {
            speculation::run_speculatively(authenticator, &WaitingOperation { app, start, key, input }).await
        }
        (Starting::WhenVerified(start), None) => {
            speculation::run_change(authenticator, &WaitingOperation { app, start, key, input }).await
        }
        (Starting::WhenVerified(start), Some(change)) => {
            speculation::run_once(authenticator, &WaitingOperation { app, start, key, input }, &change).await
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use lambda_http::http::HeaderMap;
    use lambda_http::{RequestExt as _, http};

    use super::*;
    use crate::Deprecation;
    use crate::route::Body;

    const MARKS: &[Deprecation] = &[Deprecation::of_name("old", date(2026, 3, 1), date(2027, 3, 1))];
    const ROUTES: [Route<()>; 2] = [
        route("GET", "/old", Body::Ignored)
            .with_deprecations(&[Deprecation::of_operation(date(2026, 1, 1), date(2027, 1, 1))]),
        route("POST", "/new", Body::Json).with_deprecations(MARKS),
    ];

    const fn route(method: &'static str, path: &'static str, body: Body) -> Route<()> {
        Route { method, path, name: "operation", operation: (), body, deprecations: &[] }
    }

    async fn headers(method: &str, uri: &str, body: &str, result: Result<Answer, Error>) -> HeaderMap {
        let request = http::Request::builder().method(method).uri(uri).header("content-type", "application/json");
        let request = request.body(lambda_http::Body::from(body)).expect("a request");
        let path = uri.split('?').next().unwrap_or_default();
        let request = request.with_raw_http_path(path);
        respond(&ROUTES, &request, |_| async { result }).await.headers().clone()
    }

    fn notices(headers: &HeaderMap) -> Option<(&str, &str)> {
        let text = |name: &str| headers.get(name).map(|value| value.to_str().expect("a text"));
        text("deprecation").zip(text("sunset"))
    }

    #[tokio::test]
    async fn every_answer_to_a_request_that_uses_a_deprecated_part_says_so() {
        let of_operation = Some(("@1767225600", "Fri, 01 Jan 2027 00:00:00 GMT"));
        let of_name = Some(("@1772323200", "Mon, 01 Mar 2027 00:00:00 GMT"));
        for (method, uri, body, expected) in [
            ("GET", "/old", "", of_operation),
            ("GET", "/old?a=1", "", of_operation),
            ("POST", "/new", "{}", None),
            ("POST", "/new", r#"{"older":1}"#, None),
            ("POST", "/new", r#"{"old":1}"#, of_name),
            ("POST", "/new?old=1", "{}", of_name),
            ("GET", "/new", "", None),
            ("GET", "/unknown", "", None),
        ] {
            for result in [Ok(Answer::ok(&true)), Err(Error::Unauthenticated), Err(Error::NotFound)] {
                let headers = headers(method, uri, body, result).await;
                assert_eq!(notices(&headers), expected, "{method} {uri} {body}");
            }
        }
    }
}
