//! The parts, put together.

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
    InfoBuilder, LicenseBuilder, OpenApi, OpenApiBuilder, Paths, Ref, RefOr, Required, Response, Responses,
    ResponsesBuilder,
};

use crate::errors::{REFUSALS, answered};
use crate::operations::{Operation, operations};
use crate::parameters::Parameter;
use crate::{answers, bodies, errors, routes};

const WORDS: &str = include_str!("words.md");

/// Where a key may stand, by the name of its scheme. Any one of them will do.
const KEYS: [&str; 4] = ["apiKeyHeader", "apiKeyHeaderAlias", "bearer", "apiKeyQuery"];

/// The description of every operation.
///
/// # Panics
/// When a route is not described, or what is described is no route.
pub fn document() -> OpenApi {
    let info =
        InfoBuilder::new().title("presence").version("2.0.0").description(Some(WORDS)).license(Some(
            LicenseBuilder::new().name("MIT OR Apache-2.0").identifier(Some("MIT OR Apache-2.0")).build(),
        ));
    let tags = [
        ("users", "The people of an organisation: who they are, what they may do, and their invitations."),
        ("categories", "The directory of business categories, with what the listing partners call them."),
        ("reviews", "What customers wrote about the businesses on the listing partners."),
    ];
    OpenApiBuilder::new()
        .info(info.build())
        .servers(Some(servers()))
        .tags(Some(tags.map(|(name, words)| TagBuilder::new().name(name).description(Some(words)).build())))
        .security(Some(securities()))
        .paths(paths())
        .components(Some(components()))
        .build()
}

/// The one that the description came from, and any other.
fn servers() -> [Server; 2] {
    let here = ServerBuilder::new().url("/").description(Some("Where this description was fetched."));
    let origin = ServerVariableBuilder::new()
        .default_value("http://127.0.0.1:3000")
        .description(Some("Scheme, host and port. The default is the local stack's; `cargo run` starts it."));
    let elsewhere = ServerBuilder::new().url("{origin}").description(Some("Anywhere.")).parameter("origin", origin);
    [here.build(), elsewhere.build()]
}

fn securities() -> Vec<SecurityRequirement> {
    KEYS.map(|name| SecurityRequirement::new(name, [] as [&str; 0])).to_vec()
}

fn paths() -> Paths {
    let (operations, routes) = (operations(), routes());
    assert_eq!(operations.len(), routes.len(), "every operation is one route");
    let mut paths = PathsBuilder::new();
    for operation in operations {
        let route = routes.iter().find(|(_, _, name)| *name == operation.name);
        let (method, path, _) = route.unwrap_or_else(|| panic!("{} is no route", operation.name));
        paths = paths.path(*path, PathItem::new(method_of(method), described(&operation)));
    }
    paths.build()
}

fn method_of(name: &str) -> HttpMethod {
    match name {
        "GET" => HttpMethod::Get,
        "POST" => HttpMethod::Post,
        "DELETE" => HttpMethod::Delete,
        other => panic!("no route has the method {other}"),
    }
}

fn described(operation: &Operation) -> OperationBuilder {
    let parameters = (!operation.parameters.is_empty()).then(|| operation.parameters.iter().map(Parameter::described));
    OperationBuilder::new()
        .operation_id(Some(operation.name))
        .tag(operation.tag)
        .summary(Some(operation.summary))
        .description(Some(operation.words))
        .parameters(parameters)
        .request_body(body(operation))
        .responses(responses(operation))
}

fn body(operation: &Operation) -> Option<RequestBody> {
    let (schema, words) = operation.body?;
    // Those that succeed: a mistake would be taken for what can be sent.
    let examples = operation.examples.iter().filter(|example| example.status == 200).filter_map(|example| {
        let described = ExampleBuilder::new().summary(&example.summary).value(Some(example.body.clone()?));
        Some((example.name.clone(), described.build()))
    });
    let content =
        ContentBuilder::new().schema(Some(Ref::from_schema_name(schema))).examples_from_iter(examples).build();
    let body = RequestBodyBuilder::new().description(Some(words)).required(Some(Required::True));
    Some(body.content("application/json", content).build())
}

fn responses(operation: &Operation) -> Responses {
    let mut responses = ResponsesBuilder::new();
    for status in operation.statuses() {
        let response: RefOr<Response> = match status {
            200 => own(operation, status, operation.answer.1, operation.answer.0),
            400 => own(operation, status, operation.invalid, "InvalidError"),
            403 => own(operation, status, operation.forbidden.unwrap_or_default(), "AuthorizationError"),
            _ => {
                let refusal = REFUSALS.iter().find(|refusal| refusal.status == status);
                Ref::from_response_name(refusal.expect("every other status is a refusal").name).into()
            }
        };
        responses = responses.response(status.to_string(), response);
    }
    responses.build()
}

/// An answer that is this operation's own, with its examples.
fn own(operation: &Operation, status: u16, words: &str, schema: &str) -> RefOr<Response> {
    let examples = operation.examples.iter().filter(|example| example.status == status).map(|example| {
        let body = example.body.as_ref().map(|body| format!(" with {body}")).unwrap_or_default();
        let summary = format!("{}: {}{body}, as {}", example.summary, example.request, example.role);
        (example.name.clone(), summary, example.answer.clone())
    });
    answered(words, schema, examples).build().into()
}

fn components() -> Components {
    let mut components = ComponentsBuilder::new()
        .schemas_from_iter(answers::schemas())
        .schemas_from_iter(bodies::schemas())
        .schemas_from_iter(errors::schemas());
    for refusal in &REFUSALS {
        components = components.response(refusal.name, refusal.response());
    }
    for (name, scheme) in KEYS.into_iter().zip(schemes()) {
        components = components.security_scheme(name, scheme);
    }
    components.build()
}

fn schemes() -> [SecurityScheme; 4] {
    let key = |name, words| ApiKeyValue::with_description(name, words);
    let bearer = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).bearer_format("pk_…");
    [
        SecurityScheme::ApiKey(ApiKey::Header(key("x-api-key", "The key, in a header: the best place."))),
        SecurityScheme::ApiKey(ApiKey::Header(key("x-apikey", "The same header, spelled otherwise."))),
        SecurityScheme::Http(bearer.description(Some("The key, as a bearer token.")).build()),
        SecurityScheme::ApiKey(ApiKey::Query(key(
            "api_key",
            "The key, in the query string: it may end up in logs of others.",
        ))),
    ]
}
