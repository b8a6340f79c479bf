//! Assembly of the OpenAPI document from its parts.

use presence_api::Deprecation;
use utoipa::openapi::content::ContentBuilder;
use utoipa::openapi::example::ExampleBuilder;
use utoipa::openapi::path::{HttpMethod, OperationBuilder, PathItem, PathsBuilder};
use utoipa::openapi::request_body::{RequestBody, RequestBodyBuilder};
use utoipa::openapi::schema::{Components, ComponentsBuilder};
use utoipa::openapi::security::{
    ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme,
};
use utoipa::openapi::server::{Server, ServerBuilder, ServerVariableBuilder};
use utoipa::openapi::tag::TagBuilder;
use utoipa::openapi::{
    ContactBuilder, Deprecated, InfoBuilder, LicenseBuilder, OpenApi, OpenApiBuilder, Paths, Ref, RefOr, Required,
    Response, Responses, ResponsesBuilder,
};

use crate::errors::{
    ERROR_RESPONSES, describe_response, with_error_code, with_links, with_rate_limit, with_replay, with_tag,
};
use crate::operations::{BodyDescription, Operation, operations};
use crate::{RouteInfo, errors, parameters, request_bodies, response_schemas, routes};

const INTRODUCTION: &str = include_str!("introduction.md");

/// Names of the security schemes: the places of an API key. A request needs one of them.
const SECURITY_SCHEMES: [&str; 4] = ["apiKeyHeader", "apiKeyHeaderAlias", "bearer", "apiKeyQuery"];

/// Returns the OpenAPI document, in version 3.1.
///
/// # Panics
/// Panics if a route has no description, or a description has no route.
pub(crate) fn document() -> OpenApi {
    // An address in the place of an identifier, because 3.0 has no other way.
    let license = LicenseBuilder::new().name("MIT OR Apache-2.0").url(Some("https://spdx.org/licenses/MIT.html"));
    let contact = ContactBuilder::new().name(Some("The operator who issued your key"));
    let info = InfoBuilder::new()
        .title("presence")
        .version("2.0.0")
        .description(Some(INTRODUCTION))
        .license(Some(license.build()))
        .contact(Some(contact.build()));
    let tags = [
        ("users", "The people of an organisation, their roles and their invitations."),
        ("categories", "The directory of business categories, with their ids at the listing partners."),
        ("businesses", "The businesses of an organisation, which have the reviews."),
        ("events", "Changes in an organisation, each once and in an order that never changes."),
        ("webhooks", "Addresses of an organisation that are told of its events."),
        ("reviews", "Reviews that customers left for the businesses on the listing partners."),
    ];
    OpenApiBuilder::new()
        .info(info.build())
        .servers(Some(servers()))
        .tags(Some(tags.map(|(name, description)| TagBuilder::new().name(name).description(Some(description)).build())))
        .security(Some(SECURITY_SCHEMES.map(|name| SecurityRequirement::new(name, [] as [&str; 0])).to_vec()))
        .paths(paths())
        .components(Some(components()))
        .build()
}

/// Returns the servers. The first one is absolute and works without being filled in: generated clients call it by default, and
/// some cannot read a relative one.
fn servers() -> [Server; 3] {
    let local =
        ServerBuilder::new().url("http://127.0.0.1:3000").description(Some("Local stack, as `cargo run` starts it."));
    let host =
        ServerVariableBuilder::new().default_value("presence.example").description(Some("Host of the deployment."));
    let deployed = ServerBuilder::new().url("https://{host}").description(Some("Deployment.")).parameter("host", host);
    let same_origin = ServerBuilder::new().url("/").description(Some("Server of this description."));
    [local.build(), deployed.build(), same_origin.build()]
}

fn paths() -> Paths {
    let (operations, routes) = (operations(), routes());
    assert_eq!(operations.len(), routes.len(), "each operation has one route");
    let mut paths = PathsBuilder::new();
    for operation in operations {
        let route = routes.iter().find(|route| route.name == operation.name);
        let RouteInfo { method, path, deprecations, .. } =
            route.unwrap_or_else(|| panic!("{} has no route", operation.name));
        paths = paths.path(*path, PathItem::new(http_method(method), describe_operation(&operation, deprecations)));
    }
    paths.build()
}

fn http_method(name: &str) -> HttpMethod {
    match name {
        "GET" => HttpMethod::Get,
        "POST" => HttpMethod::Post,
        "PUT" => HttpMethod::Put,
        "DELETE" => HttpMethod::Delete,
        other => panic!("no route has the method {other}"),
    }
}

/// Describes an operation. What the route marks as deprecated is deprecated in the description, too.
fn describe_operation(operation: &Operation, marks: &[Deprecation]) -> OperationBuilder {
    let is_marked = |name: Option<&str>| marks.iter().any(|mark| mark.name == name);
    let described = operation.parameters.iter().map(|parameter| parameter.to_openapi(is_marked(Some(parameter.name))));
    let idempotency_key = operation.takes_idempotency_key().then(parameters::idempotency_key);
    let if_none_match = operation.has_tag().then(parameters::if_none_match);
    let parameters: Vec<_> = described.chain(idempotency_key).chain(if_none_match).collect();
    let parameters = (!parameters.is_empty()).then_some(parameters);
    OperationBuilder::new()
        .deprecated(is_marked(None).then_some(Deprecated::True))
        .operation_id(Some(operation.name))
        .tag(operation.tag)
        .summary(Some(operation.summary))
        .description(Some(operation.description))
        .parameters(parameters)
        .request_body(request_body(operation))
        .responses(responses(operation))
}

fn request_body(operation: &Operation) -> Option<RequestBody> {
    let BodyDescription { schema, description } = operation.body?;
    // Only examples that succeed: readers copy them.
    let examples = operation.examples.iter().filter(|example| example.status == 200).filter_map(|example| {
        let openapi_example = ExampleBuilder::new().summary(&example.summary).value(Some(example.body.clone()?));
        Some((example.name.clone(), openapi_example.build()))
    });
    let content =
        ContentBuilder::new().schema(Some(Ref::from_schema_name(schema))).examples_from_iter(examples).build();
    let body = RequestBodyBuilder::new().description(Some(description)).required(Some(Required::True));
    Some(body.content("application/json", content).build())
}

fn responses(operation: &Operation) -> Responses {
    let mut responses = ResponsesBuilder::new();
    for status in operation.statuses() {
        let response: RefOr<Response> = match status {
            200 => operation_response(operation, status, operation.success.description, operation.success.schema),
            304 => Ref::from_response_name("NotModified").into(),
            400 => operation_response(operation, status, operation.invalid, "InvalidError"),
            403 => operation_response(operation, status, operation.forbidden.unwrap_or_default(), "AuthorizationError"),
            429 if operation.extra_statuses.contains(&429) => Ref::from_response_name("TooSoon").into(),
            _ => {
                let error = ERROR_RESPONSES.iter().find(|error| error.status == status);
                Ref::from_response_name(error.expect("all other statuses are common errors").name).into()
            }
        };
        responses = responses.response(status.to_string(), response);
    }
    responses.build()
}

/// Describes a response of one operation, with its examples.
fn operation_response(operation: &Operation, status: u16, description: &str, schema: &str) -> RefOr<Response> {
    let examples = operation.examples.iter().filter(|example| example.status == status).map(|example| {
        let body = example.body.as_ref().map(|body| format!(" with {body}")).unwrap_or_default();
        let summary = format!("{}: {}{body}, as {}", example.summary, example.request, example.role);
        (example.name.clone(), summary, example.answer.clone())
    });
    let response = describe_response(description, schema, examples);
    let response = match status {
        400 => with_error_code(response, "invalid"),
        403 => with_error_code(response, "forbidden"),
        _ => response,
    };
    let is_page = operation.parameters.iter().any(|parameter| parameter.name == "page");
    let response = if status == 200 && is_page { with_links(response) } else { response };
    let response = if status == 200 && operation.has_tag() { with_tag(response) } else { response };
    // Some requests are 400 before their key is verified.
    let response = if status == 400 { response } else { with_rate_limit(response) };
    let response = if status == 200 && operation.takes_idempotency_key() { with_replay(response) } else { response };
    response.build().into()
}

fn components() -> Components {
    let mut components = ComponentsBuilder::new()
        .schemas_from_iter(response_schemas::schemas())
        .schemas_from_iter(request_bodies::schemas())
        .schemas_from_iter(errors::schemas());
    for error in &ERROR_RESPONSES {
        components = components.response(error.name, error.to_openapi());
    }
    components = components.response("NotModified", errors::not_modified());
    for (name, scheme) in SECURITY_SCHEMES.into_iter().zip(security_schemes()) {
        components = components.security_scheme(name, scheme);
    }
    components.build()
}

fn security_schemes() -> [SecurityScheme; 4] {
    let key = |name, description| ApiKeyValue::with_description(name, description);
    let bearer = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).bearer_format("pk_…");
    [
        SecurityScheme::ApiKey(ApiKey::Header(key("x-api-key", "The key in a header. Recommended."))),
        SecurityScheme::ApiKey(ApiKey::Header(key("x-apikey", "The same header with another spelling."))),
        SecurityScheme::Http(bearer.description(Some("The key as a bearer token.")).build()),
        SecurityScheme::ApiKey(ApiKey::Query(key(
            "api_key",
            "The key in the query string. It may appear in the logs of proxies.",
        ))),
    ]
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn what_a_route_marks_is_deprecated_in_the_description_and_nothing_else() {
        let search = operations().into_iter().find(|operation| operation.name == "search_reviews").expect("a search");
        let (since, sunset) = (date(2027, 1, 1), date(2028, 1, 1));
        let operation = describe_operation(&search, &[Deprecation::of_operation(since, sunset)]).build();
        assert!(operation.deprecated == Some(Deprecated::True));
        let operation = describe_operation(&search, &[Deprecation::of_name("rating", since, sunset)]).build();
        assert!(operation.deprecated.is_none());
        let marked: Vec<_> = operation
            .parameters
            .into_iter()
            .flatten()
            .filter_map(|parameter| match parameter {
                RefOr::T(parameter) => Some(parameter),
                RefOr::Ref(_) => None,
            })
            .filter(|parameter| parameter.deprecated == Some(Deprecated::True))
            .map(|parameter| parameter.name)
            .collect();
        assert_eq!(marked, ["rating"]);
    }
}
