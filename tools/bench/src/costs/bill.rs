//! Price of a million requests of an operation, by parts.

use anyhow::{Context as _, ensure};
use presence_local::gateway::MEMORY_MB;

use super::prices::{API_REQUESTS, DATA_OUT_GB, GB, LOG_GB, MAILS, READ_UNITS, WRITE_UNITS, lambda};
use crate::cost::Cost;
use crate::lambda::memory::Memory;
use crate::lambda::results::OperationResults;

/// Line of the API's access log, in the format of the template.
const ACCESS_LOG_LINE: &str = r#"{"requestId":"JKJaXmPLvHcESHA=","routeKey":"GET /api/v2/user/{user_id}","status":"200","responseLength":"1024","latency":"24","integrationStatus":"200","functionRequestId":"fe07bb6b-3d9f-4670-ab44-8cfbc369b9bf","errorType":"-","sourceIp":"192.0.2.100"}"#;

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
    /// Returns the bytes of all lines that are billed: those of the function and of the gateway. Lambda itself logs failures only.
    pub(super) fn billed_log_bytes(&self) -> usize {
        // A mail leaves no access log.
        let access_log_bytes = match self.trigger {
            Trigger::ApiRequest => ACCESS_LOG_LINE.len(),
            Trigger::OutboxStream => 0,
        };
        self.log_bytes + access_log_bytes
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

    /// Returns the parts in the order of the report, each rounded to a cent.
    pub(super) fn in_cents(&self) -> [f64; 5] {
        [self.dynamodb, self.lambda, self.api_or_mail, self.logs, self.data_out]
            .map(|part| (part * 100.0).round() / 100.0)
    }
}

/// Returns the price of `bytes` for each of a million operations, in dollars.
fn price_of_a_million(bytes: usize, dollars_per_gb: f64) -> f64 {
    bytes as f64 * 1e6 / GB * dollars_per_gb
}

/// Returns the measured time of an operation, with the memory of its function. If it was measured in organisations of several
/// sizes, the smallest one counts.
pub(super) fn find_billed_time(
    results: &[OperationResults],
    operation: &str,
    variant: &str,
) -> anyhow::Result<BilledTime> {
    let is_wanted = |one: &&OperationResults| one.operation == operation && one.variant == variant;
    let measured = results.iter().filter(is_wanted).min_by_key(|one| one.users);
    let measured =
        measured.with_context(|| format!("{operation} ({variant}) was not measured: run the benchmark `lambda`"))?;
    let deployed = MEMORY_MB.iter().find(|(function, _)| *function == measured.function);
    let is_deployed = deployed.is_some_and(|(_, megabytes)| i64::from(*megabytes) == i64::from(measured.memory.0));
    ensure!(is_deployed, "{operation} ({variant}) was measured at {} MB: run the benchmark `lambda`", measured.memory);
    // The price is made of the time that the report prints.
    Ok(BilledTime { memory: measured.memory, billed_ms: (measured.billed_ms * 10.0).round() / 10.0 })
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
        let lines = (ACCESS_LOG_LINE.len() + 1_000) as f64;
        assert!((bill.logs - lines * 1e6 / GB * 0.5).abs() < 1e-9);
        let logs = (lines * 1e6 / GB * 50.0).round() / 100.0;
        let cents = bill.in_cents().map(|dollars| format!("{dollars:.2}"));
        assert_eq!(cents, [2.75, 0.23, 1.0, logs, 0.17].map(|dollars| format!("{dollars:.2}")));
    }

    #[test]
    fn mail_costs_no_data_out_and_no_access_log() {
        let (mail, request) = (Bill::new(&usage(Trigger::OutboxStream)), Bill::new(&usage(Trigger::ApiRequest)));
        assert!((mail.data_out, mail.api_or_mail) == (0.0, MAILS) && mail.logs < request.logs);
    }

    #[test]
    fn missing_measurement_is_named() {
        let error = find_billed_time(&[], "get_me", "").expect_err("nothing was measured");
        assert!(error.to_string().contains("get_me"), "{error}");
    }
}
