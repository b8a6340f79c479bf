//! Log of the local stack: the JSON lines of the functions, or one readable, coloured line for each request.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use jiff::tz::TimeZone;
use presence_runtime::clock::{Clock as _, SystemClock};
use presence_runtime::telemetry::{self, METRIC_TARGET, RequestLog, whole_line};
use tracing::{Event, Level, Metadata, Subscriber};
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::FormatTime;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{Layer as _, fmt};

/// Width of the column of routes. The longest route of the API has 36 characters.
const ROUTE_WIDTH: usize = 38;

/// Writes the log of this process to standard error, for people. Colours follow the terminal and `NO_COLOR`. Metrics are left out.
pub fn init() {
    telemetry::format_requests(|request| format!("{} {}\n", time_of_day(), request_line(request)));
    let format = fmt::format().compact().with_target(false).with_timer(TimeOfDay).with_ansi(true);
    let lines = fmt::layer().event_format(WholeLines(format)).with_writer(anstream::stderr);
    let levels = telemetry::levels();
    let is_shown =
        move |line: &Metadata<'_>| line.target() != METRIC_TARGET && is_of_functions(line) && levels.include(line);
    // A second log of the process has no effect.
    let _ = tracing_subscriber::registry().with(lines.with_filter(filter_fn(is_shown))).try_init();
}

/// Writes the log of this process to standard error, as the functions write it on AWS.
pub fn init_json() {
    telemetry::init_with(is_of_functions, std::io::stderr);
}

/// False for the warnings of the embedded database. It warns of each call that it refuses, and conditions fail in normal operation; what a
/// function makes of the refusal is in the function's own line.
fn is_of_functions(line: &Metadata<'_>) -> bool {
    *line.level() != Level::WARN || !line.target().starts_with("dynoxide")
}

/// Returns the line of a request without its time.
fn request_line(request: &RequestLog<'_>) -> String {
    let route = request.route.unwrap_or(request.operation);
    let (color, cost) = (Style::new().fg_color(Some(status_color(request.status).into())), request.cost);
    let role = request.caller.map_or("-", |caller| caller.role.as_str());
    let mut line = format!(
        "{color}{}{color:#} {route:<ROUTE_WIDTH$} {:>7.1} ms {:>2} {} {:>5} R {:>5} W  {role}",
        request.status,
        request.milliseconds(),
        cost.waves,
        // As wide as the plural.
        if cost.waves == 1 { "round trip " } else { "round trips" },
        cost.read_units,
        cost.write_units,
    );
    if let Some(kind) = request.error_kind {
        let _ = write!(line, "  {color}{kind}{color:#}");
    }
    if !request.bad_fields.is_empty() {
        let _ = write!(line, " ({})", request.bad_fields.join(", "));
    }
    line
}

fn status_color(status: u16) -> AnsiColor {
    match status {
        500.. => AnsiColor::Red,
        400.. => AnsiColor::Yellow,
        300.. => AnsiColor::Cyan,
        _ => AnsiColor::Green,
    }
}

/// Returns the time of day of this place, such as `14:02:11`, dimmed.
fn time_of_day() -> String {
    let now = SystemClock.now().to_zoned(TimeZone::system()).strftime("%H:%M:%S");
    let dimmed = Style::new().dimmed();
    format!("{dimmed}{now}{dimmed:#}")
}

/// Format of events that writes the lines of requests as they are, and leaves all other events to another format.
struct WholeLines<F>(F);

impl<S, N, F> FormatEvent<S, N> for WholeLines<F>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
    F: FormatEvent<S, N>,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> std::fmt::Result {
        match whole_line(event) {
            Some(line) => writer.write_str(&line),
            None => self.0.format_event(context, writer, event),
        }
    }
}

/// Time of the lines that are no requests.
#[derive(Clone, Copy, Debug)]
struct TimeOfDay;

impl FormatTime for TimeOfDay {
    fn format_time(&self, writer: &mut Writer<'_>) -> std::fmt::Result {
        writer.write_str(&time_of_day())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use presence_domain::access::Principal;
    use presence_domain::ids::UserId;
    use presence_domain::user::Role;
    use presence_runtime::telemetry::{Cost, RequestIds};

    use super::*;

    fn plain(request: &RequestLog<'_>) -> String {
        anstream::adapter::strip_str(&request_line(request)).to_string()
    }

    #[test]
    fn line_has_route_status_time_cost_role_and_error() {
        let ids = RequestIds::default();
        let user_id = UserId::parse("7").expect("an id");
        let request = RequestLog {
            ids: &ids,
            route: Some("GET /api/v2/user/{user_id}"),
            operation: "get_user",
            status: 200,
            error_kind: None,
            bad_fields: &[],
            caller: Some(Principal { user_id, org_id: None, role: Role::OrgAdmin }),
            key_id: None,
            is_replay: false,
            other_names: 0,
            duration: Duration::from_micros(3_240),
            cost: Cost { calls: 2, waves: 1, read_units: 1.5, write_units: 0.0 },
            is_cold_start: false,
            function_version: "$LATEST",
        };
        let route = "GET /api/v2/user/{user_id}            ";
        assert_eq!(plain(&request), format!("200 {route}     3.2 ms  1 round trip    1.5 R     0 W  ORG_ADMIN"));
        assert!(request_line(&request).starts_with("\u{1b}[32m200\u{1b}[0m "), "green");
        let refused = RequestLog {
            route: None,
            status: 400,
            error_kind: Some("invalid"),
            bad_fields: &["email", "unknown"],
            caller: None,
            ..request
        };
        let line = plain(&refused);
        assert!(line.starts_with("400 get_user  "), "{line}");
        assert!(line.ends_with("W  -  invalid (email, unknown)"), "{line}");
    }
}
