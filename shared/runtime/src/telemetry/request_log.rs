//! Line of a request. `CloudWatch` makes the metrics of requests from it.

use std::borrow::Cow;
use std::sync::OnceLock;
use std::time::Duration;

use metrique_writer_core::{Entry, EntryWriter};
use metrique_writer_format_emf::NoMetric;

use super::lines::{self, Measurement, write_head};
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
#[derive(Clone, Copy, Debug, Default, PartialEq)]
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
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RequestIds {
    /// Id of the invocation, which the answer has too.
    pub request_id: String,
    /// Id that the gateway gave to the request, for its access log.
    pub gateway_request_id: Option<String>,
    /// Id that the client gave to the request.
    pub client_request_id: Option<String>,
    /// Id of the trace in X-Ray.
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
    #[must_use]
    pub fn milliseconds(&self) -> f64 {
        (self.duration.as_secs_f64() * 10_000.0).round() / 10.0
    }

    /// Returns the class of the status: `2xx`, `3xx`, `4xx` or `5xx`.
    #[must_use]
    pub fn status_class(&self) -> &'static str {
        match self.status {
            500.. => "5xx",
            400.. => "4xx",
            300.. => "3xx",
            _ => "2xx",
        }
    }
}

impl Entry for RequestLog<'_> {
    fn write<'a>(&'a self, writer: &mut impl EntryWriter<'a>) {
        write_head(writer, "request");
        let RequestIds { request_id, gateway_request_id, client_request_id, trace_id } = self.ids;
        writer.value("request_id", request_id);
        writer.value("gateway_request_id", gateway_request_id);
        writer.value("client_request_id", client_request_id);
        writer.value("trace_id", trace_id);
        writer.value("operation", self.operation);
        writer.value("status", &NoMetric::from(self.status));
        writer.value("status_class", self.status_class());
        writer.value("error", &self.error_kind);
        writer.value("bad_fields", &(!self.bad_fields.is_empty()).then(|| self.bad_fields.join(",")));
        writer.value("caller", &self.caller.map(|caller| caller.user_id.to_string()));
        writer.value("key_id", &self.key_id.map(|id| id.to_string()));
        let org_id = self.caller.and_then(|caller| caller.org_id).map(OrgId::get);
        writer.value("org_id", &NoMetric::from(org_id));
        writer.value("role", &self.caller.map(|caller| caller.role.as_str()));
        writer.value("replayed", &NoMetric::from(self.is_replay.then_some(true)));
        writer.value(REQUEST_METRIC, &Measurement::milliseconds(self.milliseconds()));
        writer.value("calls", &NoMetric::from(self.cost.calls));
        writer.value("waves", &NoMetric::from(self.cost.waves));
        writer.value("read_units", &NoMetric::from(self.cost.read_units));
        writer.value("write_units", &NoMetric::from(self.cost.write_units));
        writer.value("cold_start", &NoMetric::from(self.is_cold_start));
        writer.value("version", VERSION);
        writer.value("function_version", self.function_version);
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
    let line = FORMAT.get().map_or_else(|| lines::of_request(request), |format| Cow::Owned(format(request)));
    tracing::info!(target: lines::REQUEST_TARGET, line = &*line);
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use metrique_writer_core::format::Format as _;
    use metrique_writer_format_emf::Emf;
    use presence_domain::ids::UserId;
    use presence_domain::user::Role;

    use super::*;

    /// Returns the line of a request, written with all checks of the format.
    fn checked(request: &RequestLog<'_>) -> String {
        let dimensions = vec![REQUEST_DIMENSIONS.map(str::to_owned).to_vec()];
        let mut line = Vec::new();
        Emf::all_validations("presence/x".to_owned(), dimensions).format(request, &mut line).expect("a valid line");
        String::from_utf8(line).expect("text")
    }

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
            duration: Duration::from_micros(14_260),
            cost: Cost { calls: 2, waves: 1, read_units: 1.5, write_units: 0.0 },
            is_cold_start: true,
            function_version: "7",
        }
    }

    #[test]
    fn line_names_one_metric_with_two_dimensions() {
        let ids = RequestIds { request_id: "r-1".to_owned(), ..RequestIds::default() };
        let line = checked(&request(&ids, &["email", "role"]));
        let directive = concat!(
            r#"{"_aws":{"CloudWatchMetrics":[{"Namespace":"presence/x","Dimensions":[["operation","status_class"]],"#,
            r#""Metrics":[{"Name":"duration_ms","Unit":"Milliseconds"}]}],"#
        );
        assert!(line.starts_with(directive), "{line}");
        for field in [
            r#""operation":"get_user""#,
            r#""status_class":"4xx""#,
            r#""status":404"#,
            r#""duration_ms":14.3"#,
            r#""read_units":1.5"#,
            r#""cold_start":1"#,
            r#""bad_fields":"email,role""#,
            r#""caller":"7""#,
        ] {
            assert!(line.contains(field), "{field} in {line}");
        }
        for missing in ["trace_id", "client_request_id", "key_id", "org_id"] {
            assert!(!line.contains(missing), "{missing} in {line}");
        }
        assert!(line.ends_with("}\n") && line.matches('\n').count() == 1, "{line}");
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
