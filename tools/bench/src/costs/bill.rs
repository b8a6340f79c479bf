//! The cost of a million requests of an operation, part by part.

use anyhow::Context as _;
use presence_local::gateway::MEMORY_MB;
use presence_store::meter::Cost;

use super::prices::{API_REQUESTS, DATA_OUT_GB, GB, LOG_GB, MAILS, READ_UNITS, WRITE_UNITS, lambda};
use crate::lambda::memory::Memory;
use crate::lambda::results::{BenchmarkResults, OperationResults};

/// The lines that Lambda itself writes of each event at its default level: <https://docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs-log-level.html>.
const SYSTEM_LINES: [&str; 2] = [
    r#"{"time":"2026-03-10T06:00:10.046Z","type":"platform.start","record":{"requestId":"8476a536-e9f4-11e8-9739-2dfe598c3fcd","version":"$LATEST"}}"#,
    r#"{"time":"2026-03-10T06:00:10.066Z","type":"platform.report","record":{"requestId":"8476a536-e9f4-11e8-9739-2dfe598c3fcd","metrics":{"durationMs":19.512,"billedDurationMs":20,"memorySizeMB":256,"maxMemoryUsedMB":31},"status":"success"}}"#,
];
/// A line of the API's access log, as the template has its format.
const ACCESS_LINE: &str = r#"{"requestId":"JKJaXmPLvHcESHA=","time":"1773122410000","routeKey":"GET /api/v2/user/{user_id}","status":"200","responseLength":"1024","latency":"24","integrationLatency":"22","integrationStatus":"200","errorType":"-","protocol":"HTTP/1.1","sourceIp":"192.0.2.100"}"#;

/// The way in which a request comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Through the API.
    Request,
    /// From the stream, and it sends a mail.
    Mail,
}

/// An operation as it was counted here, and as it was measured by the benchmark `lambda`.
pub(super) struct OperationUsage {
    pub(super) cost: Cost,
    pub(super) kind: Kind,
    pub(super) log_bytes: usize,
    /// The answer with its headers.
    pub(super) answer_bytes: usize,
    pub(super) measured: BilledTime,
}

/// The time that Lambda bills for a warm request, in the function's memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct BilledTime {
    pub(super) memory: Memory,
    pub(super) billed_ms: f64,
}

/// Dollars of a million.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Bill {
    pub(super) dynamodb: f64,
    pub(super) lambda: f64,
    /// The gateway, or SES.
    pub(super) way: f64,
    pub(super) logs: f64,
    pub(super) data_out: f64,
}

impl Bill {
    pub(super) fn of(usage: &OperationUsage) -> Self {
        let OperationUsage { cost, kind, log_bytes, answer_bytes, measured } = usage;
        let million = |bytes: usize, price: f64| bytes as f64 * 1e6 / GB * price;
        let (way, access, answer) = match kind {
            Kind::Request => (API_REQUESTS, ACCESS_LINE.len(), *answer_bytes),
            Kind::Mail => (MAILS, 0, 0),
        };
        let lines = SYSTEM_LINES.iter().map(|line| line.len()).sum::<usize>() + log_bytes + access;
        Self {
            dynamodb: cost.read_units * READ_UNITS + cost.write_units * WRITE_UNITS,
            lambda: lambda(measured.memory, measured.billed_ms),
            way,
            logs: million(lines, LOG_GB),
            data_out: million(answer, DATA_OUT_GB),
        }
    }

    pub(super) fn sum(&self) -> f64 {
        self.dynamodb + self.lambda + self.way + self.logs + self.data_out
    }
}

/// Finds how long an operation was measured to take, in the memory that the template gives its function. Where organisations
/// of several sizes were measured, that of the smallest counts.
pub(super) fn find_billed_time(figures: &BenchmarkResults, operation: &str, what: &str) -> anyhow::Result<BilledTime> {
    let is_it = |one: &&OperationResults| one.operation == operation && one.what == what;
    let found = figures.operations.iter().filter(is_it).min_by_key(|one| one.users);
    let found = found.with_context(|| format!("{operation} ({what}) was not measured: run the benchmark `lambda`"))?;
    let memory = MEMORY_MB.iter().find(|(function, _)| *function == found.function);
    let memory = memory.and_then(|(_, megabytes)| u32::try_from(*megabytes).ok()).map(Memory).context("a function")?;
    let size = found.sizes.iter().find(|size| size.memory == memory).and_then(|size| size.warm);
    let warm = size.with_context(|| format!("{operation} ({what}) was not measured at {memory} MB"))?;
    Ok(BilledTime { memory, billed_ms: warm.billed_ms })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(kind: Kind) -> OperationUsage {
        OperationUsage {
            cost: Cost { calls: 2, waves: 1, read_units: 2.0, write_units: 4.0 },
            kind,
            log_bytes: 1_000,
            answer_bytes: 2_000,
            measured: BilledTime { memory: Memory(256), billed_ms: 8.0 },
        }
    }

    #[test]
    fn a_bill_has_every_part() {
        let bill = Bill::of(&usage(Kind::Request));
        assert!((bill.dynamodb - 2.75).abs() < 1e-9);
        assert!((bill.lambda - 0.226_666_8).abs() < 1e-9);
        assert!((bill.way - 1.0).abs() < 1e-9);
        // 2 GB (of 2^30 bytes) are 2.147 billion bytes.
        assert!((bill.data_out - 0.167_6).abs() < 1e-3, "{}", bill.data_out);
        let lines = (SYSTEM_LINES.concat().len() + ACCESS_LINE.len() + 1_000) as f64;
        assert!((bill.logs - lines * 1e6 / GB * 0.5).abs() < 1e-9);
        let sum = bill.dynamodb + bill.lambda + bill.way + bill.logs + bill.data_out;
        assert!((bill.sum() - sum).abs() < 1e-9);
    }

    #[test]
    fn a_mail_has_no_answer_that_leaves_and_no_access_log() {
        let (mail, request) = (Bill::of(&usage(Kind::Mail)), Bill::of(&usage(Kind::Request)));
        assert!((mail.data_out, mail.way) == (0.0, MAILS) && mail.logs < request.logs);
    }

    #[test]
    fn what_was_not_measured_is_named() {
        let error = find_billed_time(&BenchmarkResults::default(), "get_me", "").expect_err("nothing was measured");
        assert!(error.to_string().contains("get_me"), "{error}");
    }
}
