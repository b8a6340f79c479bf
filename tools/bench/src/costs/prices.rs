//! Prices of AWS in US dollars: us-east-1, on demand, as published on 2025-07-21. We know of no change since November 2024.
//!
//! Sources: <https://aws.amazon.com/dynamodb/pricing/on-demand/>, <https://aws.amazon.com/lambda/pricing/>,
//! <https://aws.amazon.com/api-gateway/pricing/>, <https://aws.amazon.com/ses/pricing/>,
//! <https://aws.amazon.com/cloudwatch/pricing/>, <https://aws.amazon.com/ec2/pricing/on-demand/> (data transfer). Other
//! regions cost up to 60 % more, for all services alike.
//!
//! Prices whose documentation says "assumed" were not confirmed on these pages. The report marks the lines that use them.

use crate::lambda::memory::Memory;

/// Price of a million read request units.
pub(crate) const READ_UNITS: f64 = 0.125;
/// Price of a million write request units.
pub(crate) const WRITE_UNITS: f64 = 0.625;
/// Price of a million requests of an HTTP API, up to 300 million in a month.
pub(crate) const API_REQUESTS: f64 = 1.00;
/// Price of a million invocations.
pub(crate) const INVOCATIONS: f64 = 0.20;
/// Price of a GB-second on arm64, up to 7.5 billion in a month.
pub(crate) const GB_SECOND: f64 = 0.000_013_333_4;
/// Price of a million mails.
pub(crate) const MAILS: f64 = 100.0;
/// Price of a GB of logs that `CloudWatch` ingests: the first 10 TB of Lambda in a month, and access logs of an API.
pub(crate) const LOG_GB: f64 = 0.50;
/// Price of a GB that leaves AWS: the first 10 TB in a month, after 100 GB that are free.
pub(crate) const DATA_OUT_GB: f64 = 0.09;
/// Price of a GB in a table of the class Standard for a month, after 25 GB that are free.
pub(crate) const STORAGE_GB: f64 = 0.25;
/// Price of point-in-time recovery for a GB of a table and a month.
pub(crate) const RECOVERY_GB: f64 = 0.20;
/// Price of a GB of logs that `CloudWatch` keeps for a month, assumed. It bills the compressed size.
pub(crate) const LOG_STORAGE_GB: f64 = 0.03;
/// Price of a metric of one's own for a month, up to 10,000 of them.
pub(crate) const METRIC: f64 = 0.30;
/// Price of the metric of an alarm for a month, at a resolution of a minute, assumed.
pub(crate) const ALARM: f64 = 0.10;
/// Price of a dashboard for a month, after three that are free.
pub(crate) const DASHBOARD: f64 = 3.00;
/// Price of a million recorded traces of X-Ray, after 100,000 free ones a month.
pub(crate) const TRACES: f64 = 5.00;
/// Price of a web ACL of WAF for a month: <https://aws.amazon.com/waf/pricing/>.
pub(crate) const WAF_ACL: f64 = 5.00;
/// Price of a rule of WAF for a month.
pub(crate) const WAF_RULE: f64 = 1.00;
/// Price of a million requests that WAF inspects.
pub(crate) const WAF_REQUESTS: f64 = 0.60;
/// Price of a million HTTPS requests of `CloudFront` in North America and Europe, assumed: of the year 2025, not looked up again.
pub(crate) const EDGE_REQUESTS: f64 = 1.00;
/// Price of a million requests of a FIFO queue of SQS, assumed. Each 64 KB of messages is a request.
pub(crate) const FIFO_REQUESTS: f64 = 0.50;
/// Share by which a GB-second on x86-64 costs more than on arm64, assumed. An invocation costs the same.
pub(crate) const X86_SURCHARGE: f64 = 0.25;
/// Mark of the lines of the report whose price is assumed.
pub(crate) const ASSUMED: &str = "price assumed";
/// Number of bytes of a GB in these prices.
pub(crate) const GB: f64 = 1024.0 * 1024.0 * 1024.0;

/// Returns the price of Lambda for a million requests on arm64, each billed `billed_ms` milliseconds.
pub(crate) fn lambda(memory: Memory, billed_ms: f64) -> f64 {
    INVOCATIONS + billed_ms / 1e3 * memory.gigabytes() * GB_SECOND * 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lambda_bills_gigabyte_seconds_and_requests() {
        // A second of a GB, a million times, is 13.3334 dollars.
        assert!((lambda(Memory(1_024), 1_000.0) - 13.533_4).abs() < 1e-9);
        assert!((lambda(Memory(256), 8.0) - 0.226_666_8).abs() < 1e-9);
        assert!((lambda(Memory(128), 0.0) - 0.2).abs() < 1e-9);
    }
}
