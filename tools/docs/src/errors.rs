//! Error responses that are the same for all operations, and the schemas of the error envelope.

use serde_json::{Value, json};
use utoipa::openapi::content::ContentBuilder;
use utoipa::openapi::example::ExampleBuilder;
use utoipa::openapi::header::HeaderBuilder;
use utoipa::openapi::response::{Response, ResponseBuilder};
use utoipa::openapi::schema::{AdditionalProperties, AnyOf, ArrayBuilder, Schema, SchemaType};
use utoipa::openapi::{Header, ObjectBuilder, Ref, RefOr};

use crate::values::{at_least_one, integer, string};

/// Error response that is the same for each operation with this status.
pub(crate) struct ErrorResponse {
    /// HTTP status.
    pub(crate) status: u16,
    /// Name of the component.
    pub(crate) name: &'static str,
    /// Code of the error; of several with the status, the one of the text. Empty for the gateway's own.
    code: &'static str,
    description: &'static str,
    schema: &'static str,
    text: &'static str,
}

/// Table of the error responses.
#[rustfmt::skip]
pub(crate) const ERROR_RESPONSES: [ErrorResponse; 12] = [
    ErrorResponse { status: 401, name: "Unauthenticated", code: "unauthenticated", schema: "AuthenticationError", text: "a valid API key is required: in the \
        header x-api-key or Authorization: Bearer, or in the parameter api_key",
        description: "The key is missing, malformed, unknown, revoked or expired, or its owner is not `active`. The response is the \
                same in all cases." },
    ErrorResponse { status: 404, name: "NotFound", code: "not_found", schema: "Error", text: "not found",
        description: "The id is unknown, malformed, or of another organisation. The response is the same in all cases." },
    ErrorResponse { status: 409, name: "Conflict", code: "conflict", schema: "Error", text: "the user is being changed by others: try again",
        description: "Concurrent changes of the user came first, three times in a row, and nothing was changed. Or a request with the \
                same `Idempotency-Key` is under way: later it gets that request's response." },
    ErrorResponse { status: 410, name: "Gone", code: "gone", schema: "Error", text: "this cursor is no longer kept: the oldest event is after the cursor \
        42-1207",
        description: "Events after the cursor are no longer kept, or the feed never had it. The text has the cursor of the oldest event that \
                is kept." },
    ErrorResponse { status: 413, name: "TooLarge", code: "body_too_large", schema: "Error", text: "the body is larger than 128 KiB",
        description: "The body is larger than 128 KiB. The limit also applies to operations that do not read a body." },
    ErrorResponse { status: 415, name: "UnsupportedMediaType", code: "unsupported_media_type", schema: "Error", text: "the body must have the media type \
        application/json",
        description: "The body is not `application/json`." },
    ErrorResponse { status: 422, name: "KeyReused", code: "key_reused", schema: "Error", text: "this Idempotency-Key was used with another body: use a \
        new one for another request",
        description: "The caller used the `Idempotency-Key` in the last 24 hours for a request with another body. Nothing was changed." },
    ErrorResponse { status: 429, name: "TooManyRequests", code: "too_many_requests", schema: "Error", text: "too many requests with this key: try again in 1 s",
        description: "The key has made more requests than its limit allows. `Retry-After` says when to try again. Nothing was \
                changed." },
    ErrorResponse { status: 429, name: "TooSoon", code: "too_soon", schema: "Error", text: "an invitation can be sent once every 5 minutes",
        description: "The user was sent an invitation less than 5 minutes ago, or the key has made more requests than its limit \
                allows. `Retry-After` says when to try again." },
    ErrorResponse { status: 431, name: "HeadTooLarge", code: "", schema: "GatewayError", text: "Request Header Fields Too Large",
        description: "The request line and the values of all headers are larger than 10,240 bytes together, as with more than some 400 ids of \
                24 characters in `business__in`. The gateway answers, so the envelope is its own. A search of reviews may ask for a \
                whole city (`business_city`), or for fewer businesses in each of several requests." },
    ErrorResponse { status: 500, name: "Internal", code: "internal", schema: "Error", text: "internal error",
        description: "An error of the service. Its log has the cause, under `x-request-id`." },
    ErrorResponse { status: 503, name: "Unavailable", code: "unavailable", schema: "Error", text: "temporarily unavailable: try again",
        description: "The service's database did not answer in time. A change may or may not have been made: try again with the same \
                `Idempotency-Key`, or read first." },
];

impl ErrorResponse {
    /// Returns the body.
    pub(crate) fn body(&self) -> Value {
        match self.status {
            401 => json!({"errors": {"authentication": self.text}}),
            431 => json!({"message": self.text}),
            _ => json!({"errors": {"json": self.text}}),
        }
    }

    /// Returns the component.
    pub(crate) fn to_openapi(&self) -> Response {
        let refused = [("refused".to_owned(), String::new(), self.body())];
        if self.status == 431 {
            return describe_content(self.description, self.schema, refused).build();
        }
        let response = with_error_code(describe_response(self.description, self.schema, refused), self.code);
        match self.status {
            401 => {
                response.header("WWW-Authenticate", text_header("Authentication scheme.", "Bearer realm=\"presence\""))
            }
            429 if self.name == "TooSoon" => with_rate_limit(response).header(
                "Retry-After",
                seconds_header("Seconds until the next invitation or request, rounded up.", 300),
            ),
            429 => with_rate_limit(response)
                .header("Retry-After", seconds_header("Seconds until the next request, rounded up.", 1)),
            404 | 422 => with_rate_limit(response),
            409 => with_rate_limit(response).header("Retry-After", seconds_header("Seconds to wait.", 1)),
            503 => response.header("Retry-After", seconds_header("Seconds to wait.", 1)),
            _ => response,
        }
        .build()
    }
}

/// Describes a response of the service: its schema, its headers, and examples of name, summary and body.
pub(crate) fn describe_response(
    description: &str,
    schema: &str,
    examples: impl IntoIterator<Item = (String, String, Value)>,
) -> ResponseBuilder {
    let id = text_header("Id of the request. It is also in the service's log.", "8f6c1e0a-3d52-4b7e-9a41-0c5d2e7f1b36");
    describe_content(description, schema, examples).header("x-request-id", id)
}

/// Describes a response: its schema, and examples of name, summary and body.
fn describe_content(
    description: &str,
    schema: &str,
    examples: impl IntoIterator<Item = (String, String, Value)>,
) -> ResponseBuilder {
    let examples = examples
        .into_iter()
        .map(|(name, summary, value)| (name, ExampleBuilder::new().summary(summary).value(Some(value)).build()));
    let content =
        ContentBuilder::new().schema(Some(Ref::from_schema_name(schema))).examples_from_iter(examples).build();
    ResponseBuilder::new().description(description).content("application/json", content)
}

/// Adds the headers of an error with this code.
pub(crate) fn with_error_code(response: ResponseBuilder, code: &str) -> ResponseBuilder {
    let help = "Page of the guide that explains the code (`rel=\"help\"`). Left out where the service does not know the guide's address.";
    response
        .header("x-error-code", text_header("Code of the error, from a closed list in the guide.", code))
        .header("Link", text_header(help, &format!("<https://docs.example.com/guide/errors#{code}>; rel=\"help\"")))
}

/// Adds the headers that every response to a valid key has while keys have a limit.
pub(crate) fn with_rate_limit(response: ResponseBuilder) -> ResponseBuilder {
    let policy = "Limit of the key: `q` requests in `w` seconds. Left out for a key without a limit.";
    let state = "Remaining requests `r` of the key, and `t` seconds until there is another one. Left out for a key without a limit.";
    response
        .header("RateLimit-Policy", text_header(policy, "\"key\";q=300;w=60"))
        .header("RateLimit", text_header(state, "\"key\";r=299;t=1"))
}

/// Adds the header of a response that was given before.
pub(crate) fn with_replay(response: ResponseBuilder) -> ResponseBuilder {
    let description =
        "`true` if this is the response to an earlier request with the same `Idempotency-Key`. Otherwise left out.";
    response.header("Idempotency-Replayed", text_header(description, "true"))
}

/// Returns the schemas of errors, by name.
///
/// The member `json` of a 400 has no type, because many generators cannot read a value that is either text or an object. What they make of
/// `oneOf` and `anyOf` does not compile, or drops the errors. [`REQUEST_ERROR_RULE`] says the same to validators.
pub(crate) fn schemas() -> [(&'static str, RefOr<Schema>); 8] {
    let text = |description: &str| string().description(Some(description));
    let choice = strict_object("Error of a value outside a fixed set, with the allowed values.")
        .property("explanation", text("Error text."))
        .property("choices", ArrayBuilder::new().items(string()).description(Some("Allowed values.")))
        .required("explanation")
        .required("choices");
    let field = AnyOf::builder()
        .description(Some("Error of a field: a text, or a `Choice`."))
        .item(text("Error text."))
        .item(Ref::from_schema_name("Choice"));
    let fields = ObjectBuilder::new()
        .description(Some("All errors, by the name of the body field, query parameter or path parameter."))
        .additional_properties(Some(AdditionalProperties::RefOr(Ref::from_schema_name("FieldError").into())))
        .min_properties(Some(1));
    let invalid = ObjectBuilder::new().schema_type(SchemaType::AnyValue).description(Some(
        "Text for an error of the request as a whole. Else an object with all errors by the name of the field or parameter: each \
         is a text, or an object with the text `explanation` and the allowed values `choices`.",
    ));
    [
        ("Choice", choice.into()),
        ("FieldError", field.into()),
        ("FieldErrors", fields.into()),
        ("InvalidError", envelope("json", invalid.into(), "The request is not valid.")),
        ("AuthenticationError", envelope("authentication", text("Error text.").into(), "The key gives no access.")),
        (
            "AuthorizationError",
            envelope(
                "authorization",
                text("Action that the caller may not perform.").into(),
                "The caller may not perform the action.",
            ),
        ),
        ("Error", envelope("json", text("Error text.").into(), "The request was refused or failed.")),
        (
            "GatewayError",
            strict_object("The gateway before the service refused the request.")
                .property("message", text("Error text."))
                .required("message")
                .into(),
        ),
    ]
}

/// Path of the member `json` of a 400 in the document.
pub(crate) const REQUEST_ERROR: &[&str] =
    &["components", "schemas", "InvalidError", "properties", "errors", "properties", "json"];

/// JSON Schema keywords of the member `json` of a 400: text, or `FieldErrors`. Validators obey them, and generators skip them.
pub(crate) const REQUEST_ERROR_RULE: &str = r##"{
    "if": {"type": "object"},
    "then": {"$ref": "#/components/schemas/FieldErrors"},
    "else": {"type": "string"}
}"##;

fn envelope(member: &str, value: RefOr<Schema>, description: &str) -> RefOr<Schema> {
    let errors = strict_object("Exactly one member.").property(member, value).required(member);
    strict_object(description).property("errors", errors).required("errors").into()
}

fn strict_object(description: &str) -> ObjectBuilder {
    ObjectBuilder::new()
        .description(Some(description))
        .additional_properties(Some(AdditionalProperties::FreeForm(false)))
}

/// Adds the links to other pages that a response with a page of a search has.
pub(crate) fn with_links(response: ResponseBuilder) -> ResponseBuilder {
    let description = "Addresses of the first, previous, next and last page (RFC 8288), without the key. Pages that do not exist are \
                       left out; past the end, the previous page is the last one. The header is left out above 4 KB.";
    let example = "<https://api.example.com/api/v2/reviews?page=1>; rel=\"first\", \
                   <https://api.example.com/api/v2/reviews?page=2>; rel=\"next\", \
                   <https://api.example.com/api/v2/reviews?page=9>; rel=\"last\"";
    response.header("Link", text_header(description, example))
}

/// Adds the headers of a response that a client may keep.
pub(crate) fn with_tag(response: ResponseBuilder) -> ResponseBuilder {
    let tag = "Tag of this answer, for the header `If-None-Match` of the next request for it.";
    let cache = "The client alone may keep the answer, and asks each time if it is still current.";
    response
        .header("ETag", text_header(tag, "W/\"n4bQgYhMfWWaL-qgxVrQFQ\""))
        .header("Cache-Control", text_header(cache, "private, no-cache"))
}

/// Describes the response to a client that has the answer already.
pub(crate) fn not_modified() -> Response {
    let id = text_header("Id of the request. It is also in the service's log.", "8f6c1e0a-3d52-4b7e-9a41-0c5d2e7f1b36");
    let response = ResponseBuilder::new()
        .description("The client has the current answer: `If-None-Match` has its tag. There is no body.")
        .header("x-request-id", id);
    with_rate_limit(with_tag(response)).build()
}

fn text_header(description: &str, example: &str) -> Header {
    HeaderBuilder::new().schema(Some(string())).description(Some(description)).example(Some(example.into())).build()
}

fn seconds_header(description: &str, example: u64) -> Header {
    HeaderBuilder::new()
        .schema(Some(at_least_one(integer())))
        .description(Some(description))
        .example(Some(example.into()))
        .build()
}
