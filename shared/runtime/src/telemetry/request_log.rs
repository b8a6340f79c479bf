//! Line of a request. A metric filter of each log makes the metric of requests from it.

use std::borrow::Cow;
use std::sync::OnceLock;
use std::time::Duration;

use serde::Serialize;

use super::lines::{self, Head};
use presence_domain::access::Principal;
use presence_domain::api_key::ApiKeyId;
use presence_domain::ids::OrgId;

/// Version of the service.
pub(super) const VERSION: &str = env!("CARGO_PKG_VERSION");
/// Dimensions of the metrics of requests, which are fields of the line.
pub const REQUEST_DIMENSIONS: [&str; 2] = ["operation", "status_class"];
/// Metric of requests. Its number of samples is the number of requests.
pub const REQUEST_METRIC: &str = "duration_ms";

/// Form of the line, if it is not JSON.
static FORMAT: OnceLock<fn(&RequestLog<'_>) -> String> = OnceLock::new();
/// Function that sees each request before its line is written.
static OBSERVER: OnceLock<fn(&RequestLog<'_>)> = OnceLock::new();

/// Cost of a request in `DynamoDB`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Cost {
    /// Number of operations sent to DynamoDB. The SDK's retries of an operation do not count.
    pub calls: u32,
    /// Number of round trips that the request waited for: calls at the same time share one.
    pub waves: u32,
    /// Number of read request units.
    pub read_units: f64,
    /// Number of write request units.
    pub write_units: f64,
}

/// Ids of a request. Each joins its line with the log of someone else.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RequestIds {
    /// Id of the invocation, which the answer has too.
    pub request_id: String,
    /// Id that the gateway gave to the request, for its access log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gateway_request_id: Option<String>,
    /// Id that the client gave to the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_request_id: Option<String>,
    /// Id of the trace in X-Ray.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace_id: Option<String>,
}

/// Content of a request's line in the log.
#[derive(Clone, Copy, Debug)]
pub struct RequestLog<'a> {
    /// Ids of the request.
    pub ids: &'a RequestIds,
    /// Route of the gateway, such as `GET /api/v2/user/{user_id}`; `None` without a gateway. Only the line of a terminal has it.
    pub route: Option<&'a str>,
    /// Name of the operation.
    pub operation: &'static str,
    /// Status code of the answer.
    pub status: u16,
    /// Kind of the error; `None` if there is none.
    pub error_kind: Option<&'static str>,
    /// Names of the bad fields. Names that the client chose are not among them.
    pub bad_fields: &'a [&'static str],
    /// Caller; `None` before a key gave access.
    pub caller: Option<Principal>,
    /// Id of the caller's key; `None` if no such key is stored.
    pub key_id: Option<ApiKeyId>,
    /// True if the answer was given before, to a request with the same idempotency key.
    pub is_replay: bool,
    /// Number of parameters under names that other clients use for them, such as `rating__in[]`.
    pub other_names: u8,
    /// Time from the event to the answer.
    pub duration: Duration,
    /// Cost in DynamoDB.
    pub cost: Cost,
    /// True for the first request of a process.
    pub is_cold_start: bool,
    /// Version of the Lambda function.
    pub function_version: &'a str,
}

impl RequestLog<'_> {
    /// Returns the duration in milliseconds, rounded to a tenth.
    pub fn milliseconds(&self) -> f64 {
        (self.duration.as_secs_f64() * 10_000.0).round() / 10.0
    }

    /// Returns the class of the status: `2xx`, `3xx`, `4xx` or `5xx`.
    pub fn status_class(&self) -> &'static str {
        match self.status {
            500.. => "5xx",
            400.. => "4xx",
            300.. => "3xx",
            _ => "2xx",
        }
    }
}

/// Line of a request as it is written. A field without a value is left out.
#[derive(Serialize)]
struct RequestLine<'a> {
    #[serde(flatten)]
    head: Head,
    #[serde(flatten)]
    ids: &'a RequestIds,
    operation: &'static str,
    status: u16,
    status_class: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'static str>,
    #[serde(skip_serializing_if = "String::is_empty")]
    bad_fields: String,
    #[serde(flatten)]
    caller: Option<CallerFields>,
    #[serde(skip_serializing_if = "Option::is_none")]
    key_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    replayed: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    other_names: Option<u8>,
    duration_ms: f64,
    #[serde(flatten)]
    cost: Cost,
    cold_start: u8,
    version: &'static str,
    function_version: &'a str,
}

/// Fields of the caller.
#[derive(Serialize)]
struct CallerFields {
    caller: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    org_id: Option<u64>,
    role: &'static str,
}

impl<'a> RequestLine<'a> {
    fn of(request: &RequestLog<'a>) -> Self {
        let caller = |caller: Principal| CallerFields {
            caller: caller.user_id.to_string(),
            org_id: caller.org_id.map(OrgId::get),
            role: caller.role.as_str(),
        };
        Self {
            head: Head::now("request"),
            ids: request.ids,
            operation: request.operation,
            status: request.status,
            status_class: request.status_class(),
            error: request.error_kind,
            bad_fields: request.bad_fields.join(","),
            caller: request.caller.map(caller),
            key_id: request.key_id.map(|id| id.to_string()),
            replayed: request.is_replay.then_some(1),
            other_names: Some(request.other_names).filter(|count| *count > 0),
            duration_ms: request.milliseconds(),
            cost: request.cost,
            cold_start: request.is_cold_start.into(),
            version: VERSION,
            function_version: request.function_version,
        }
    }
}

/// Writes the lines of requests in another form than JSON. Later calls in the same process have no effect.
pub fn format_requests(format: fn(&RequestLog<'_>) -> String) {
    let _ = FORMAT.set(format);
}

/// Hands each request to a function, too. Later calls in the same process have no effect.
pub fn observe_requests(observe: fn(&RequestLog<'_>)) {
    let _ = OBSERVER.set(observe);
}

/// Logs a request.
pub fn log_request(request: &RequestLog<'_>) {
    if let Some(observe) = OBSERVER.get() {
        observe(request);
    }
    let line =
        FORMAT.get().map_or_else(|| lines::text(&RequestLine::of(request)), |format| Cow::Owned(format(request)));
    tracing::info!(target: lines::REQUEST_TARGET, line = &*line);
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use presence_domain::ids::UserId;
    use presence_domain::user::Role;

    use super::*;

    fn request<'a>(ids: &'a RequestIds, bad_fields: &'a [&'static str]) -> RequestLog<'a> {
        let caller = Principal { user_id: UserId::parse("7").expect("an id"), org_id: None, role: Role::Provider };
        RequestLog {
            ids,
            route: None,
            operation: "get_user",
            status: 404,
            error_kind: Some("not_found"),
            bad_fields,
            caller: Some(caller),
            key_id: None,
            is_replay: false,
            other_names: 0,
            duration: Duration::from_micros(14_260),
            cost: Cost { calls: 2, waves: 1, read_units: 1.5, write_units: 0.0 },
            is_cold_start: true,
            function_version: "7",
        }
    }

    #[test]
    fn line_has_the_fields_that_are_known() {
        let ids = RequestIds { request_id: "r-1".to_owned(), ..RequestIds::default() };
        let line = lines::text(&RequestLine::of(&request(&ids, &["email", "role"])));
        for field in [
            r#""message":"request""#,
            r#""request_id":"r-1""#,
            r#""operation":"get_user""#,
            r#""status_class":"4xx""#,
            r#""status":404"#,
            r#""error":"not_found""#,
            r#""duration_ms":14.3"#,
            r#""calls":2,"waves":1,"read_units":1.5,"write_units":0.0"#,
            r#""cold_start":1"#,
            r#""bad_fields":"email,role""#,
            r#""caller":"7","role":"PROVIDER""#,
        ] {
            assert!(line.contains(field), "{field} in {line}");
        }
        for missing in ["gateway_request_id", "trace_id", "client_request_id", "key_id", "org_id", "replayed", "_aws"] {
            assert!(!line.contains(missing), "{missing} in {line}");
        }
        assert!(line.ends_with("}\n") && line.matches('\n').count() == 1, "{line}");
        let unknown = RequestLog { caller: None, error_kind: None, is_replay: true, ..request(&ids, &[]) };
        let line = lines::text(&RequestLine::of(&unknown));
        assert!(line.contains(r#""replayed":1"#), "{line}");
        for missing in ["caller", "role", "error", "bad_fields"] {
            assert!(!line.contains(missing), "{missing} in {line}");
        }
    }

    #[test]
    fn each_status_belongs_to_a_class() {
        let ids = RequestIds::default();
        let class = |status| RequestLog { status, ..request(&ids, &[]) }.status_class();
        let classes: BTreeMap<_, _> = [200, 303, 400, 429, 499, 500, 503].map(|status| (status, class(status))).into();
        let expected =
            [(200, "2xx"), (303, "3xx"), (400, "4xx"), (429, "4xx"), (499, "4xx"), (500, "5xx"), (503, "5xx")];
        assert_eq!(classes, expected.into());
    }
}
