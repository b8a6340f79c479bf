//! Price of a million requests of an operation, by parts.

use anyhow::Context as _;
use presence_bench::cost::Cost;
use presence_local::gateway::MEMORY_MB;

use super::prices::{API_REQUESTS, DATA_OUT_GB, GB, LOG_GB, MAILS, READ_UNITS, WRITE_UNITS, lambda};
use crate::lambda::memory::Memory;
use crate::lambda::results::{BenchmarkResults, OperationResults};

/// Lines that Lambda itself logs for each event at its default level:
/// <https://docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs-log-level.html>.
const SYSTEM_LOG_LINES: [&str; 2] = [
    r#"{"time":"2026-03-10T06:00:10.046Z","type":"platform.start","record":{"requestId":"8476a536-e9f4-11e8-9739-2dfe598c3fcd","version":"$LATEST"}}"#,
    r#"{"time":"2026-03-10T06:00:10.066Z","type":"platform.report","record":{"requestId":"8476a536-e9f4-11e8-9739-2dfe598c3fcd","metrics":{"durationMs":19.512,"billedDurationMs":20,"memorySizeMB":256,"maxMemoryUsedMB":31},"status":"success"}}"#,
];
/// Line of the API's access log, in the format of the template.
const ACCESS_LOG_LINE: &str = r#"{"requestId":"JKJaXmPLvHcESHA=","time":"1773122410000","routeKey":"GET /api/v2/user/{user_id}","status":"200","responseLength":"1024","latency":"24","integrationLatency":"22","integrationStatus":"200","functionRequestId":"fe07bb6b-3d9f-4670-ab44-8cfbc369b9bf","errorType":"-","protocol":"HTTP/1.1","sourceIp":"192.0.2.100"}"#;

/// Event that starts an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trigger {
    /// Request of the HTTP API.
    ApiRequest,
    /// Record of the outbox's stream, for which a mail is sent.
    OutboxStream,
}

/// Counted and measured use of one operation.
pub(super) struct OperationUsage {
    pub(super) cost: Cost,
    pub(super) trigger: Trigger,
    /// Bytes of the lines that the function writes.
    pub(super) log_bytes: usize,
    /// Size of the answer with its headers.
    pub(super) answer_bytes: usize,
    pub(super) time: BilledTime,
}

/// Time that Lambda bills for a warm request, with the memory of the function.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct BilledTime {
    pub(super) memory: Memory,
    pub(super) billed_ms: f64,
}

/// Price of a million operations in dollars.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Bill {
    pub(super) dynamodb: f64,
    pub(super) lambda: f64,
    /// Price of the API gateway, or of SES.
    pub(super) api_or_mail: f64,
    pub(super) logs: f64,
    pub(super) data_out: f64,
}

impl OperationUsage {
    /// Returns the bytes of all lines that are billed: those of the function, of Lambda and of the gateway.
    pub(super) fn billed_log_bytes(&self) -> usize {
        // A mail leaves no access log.
        let access_log_bytes = match self.trigger {
            Trigger::ApiRequest => ACCESS_LOG_LINE.len(),
            Trigger::OutboxStream => 0,
        };
        self.log_bytes + SYSTEM_LOG_LINES.iter().map(|line| line.len()).sum::<usize>() + access_log_bytes
    }
}

impl Bill {
    pub(super) fn new(usage: &OperationUsage) -> Self {
        let OperationUsage { cost, trigger, answer_bytes, time, .. } = usage;
        // No answer to a mail leaves AWS.
        let (api_or_mail, data_out_bytes) = match trigger {
            Trigger::ApiRequest => (API_REQUESTS, *answer_bytes),
            Trigger::OutboxStream => (MAILS, 0),
        };
        Self {
            dynamodb: cost.read_units * READ_UNITS + cost.write_units * WRITE_UNITS,
            lambda: lambda(time.memory, time.billed_ms),
            api_or_mail,
            logs: price_of_a_million(usage.billed_log_bytes(), LOG_GB),
            data_out: price_of_a_million(data_out_bytes, DATA_OUT_GB),
        }
    }

    pub(super) fn sum(&self) -> f64 {
        self.dynamodb + self.lambda + self.api_or_mail + self.logs + self.data_out
    }
}

/// Returns the price of `bytes` for each of a million operations, in dollars.
fn price_of_a_million(bytes: usize, dollars_per_gb: f64) -> f64 {
    bytes as f64 * 1e6 / GB * dollars_per_gb
}

/// Returns the measured time of an operation, with the memory that the template gives its function. If it was measured in
/// organisations of several sizes, the smallest one counts.
pub(super) fn find_billed_time(
    results: &BenchmarkResults,
    operation: &str,
    variant: &str,
) -> anyhow::Result<BilledTime> {
    let is_wanted = |one: &&OperationResults| one.operation == operation && one.variant == variant;
    let measured = results.operations.iter().filter(is_wanted).min_by_key(|one| one.users);
    let measured =
        measured.with_context(|| format!("{operation} ({variant}) was not measured: run the benchmark `lambda`"))?;
    let template = MEMORY_MB.iter().find(|(function, _)| *function == measured.function);
    let (function, megabytes) = template.with_context(|| format!("no function {}", measured.function))?;
    let memory = Memory(u32::try_from(*megabytes).with_context(|| format!("the memory of {function}"))?);
    let warm = measured.sizes.iter().find(|size| size.memory == memory).and_then(|size| size.warm);
    let warm = warm.with_context(|| format!("{operation} ({variant}) was not measured at {memory} MB"))?;
    Ok(BilledTime { memory, billed_ms: warm.billed_ms })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(trigger: Trigger) -> OperationUsage {
        OperationUsage {
            cost: Cost { calls: 2, waves: 1, read_units: 2.0, write_units: 4.0 },
            trigger,
            log_bytes: 1_000,
            answer_bytes: 2_000,
            time: BilledTime { memory: Memory(256), billed_ms: 8.0 },
        }
    }

    #[test]
    fn bill_of_a_request_has_every_part() {
        let bill = Bill::new(&usage(Trigger::ApiRequest));
        assert!((bill.dynamodb - 2.75).abs() < 1e-9);
        assert!((bill.lambda - 0.226_666_8).abs() < 1e-9);
        assert!((bill.api_or_mail - 1.0).abs() < 1e-9);
        // 2 GB (of 2^30 bytes) are 2.147 billion bytes.
        assert!((bill.data_out - 0.167_6).abs() < 1e-3, "{}", bill.data_out);
        let lines = (SYSTEM_LOG_LINES.concat().len() + ACCESS_LOG_LINE.len() + 1_000) as f64;
        assert!((bill.logs - lines * 1e6 / GB * 0.5).abs() < 1e-9);
        let sum = bill.dynamodb + bill.lambda + bill.api_or_mail + bill.logs + bill.data_out;
        assert!((bill.sum() - sum).abs() < 1e-9);
    }

    #[test]
    fn mail_costs_no_data_out_and_no_access_log() {
        let (mail, request) = (Bill::new(&usage(Trigger::OutboxStream)), Bill::new(&usage(Trigger::ApiRequest)));
        assert!((mail.data_out, mail.api_or_mail) == (0.0, MAILS) && mail.logs < request.logs);
    }

    #[test]
    fn missing_measurement_is_named() {
        let error = find_billed_time(&BenchmarkResults::default(), "get_me", "").expect_err("nothing was measured");
        assert!(error.to_string().contains("get_me"), "{error}");
    }
}
