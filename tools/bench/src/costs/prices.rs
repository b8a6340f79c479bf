//! What AWS asks, in US dollars: us-east-1, on demand, as published on 2025-07-21 and unchanged since November 2024 as far as
//! we know. Sources: <https://aws.amazon.com/dynamodb/pricing/on-demand/>, <https://aws.amazon.com/lambda/pricing/>,
//! <https://aws.amazon.com/api-gateway/pricing/>, <https://aws.amazon.com/ses/pricing/>,
//! <https://aws.amazon.com/cloudwatch/pricing/>, <https://aws.amazon.com/ec2/pricing/on-demand/> (data transfer). Other regions
//! cost up to some 60 % more, all rows alike.

use crate::lambda::memory::Memory;

/// A million read request units.
pub(crate) const READ_UNITS: f64 = 0.125;
/// A million write request units.
pub(crate) const WRITE_UNITS: f64 = 0.625;
/// A million requests of an HTTP API, up to 300 million in a month.
pub(crate) const API_REQUESTS: f64 = 1.00;
/// A million invocations.
pub(crate) const INVOCATIONS: f64 = 0.20;
/// A GB-second on arm64, up to 7.5 billion in a month.
pub(crate) const GB_SECOND: f64 = 0.000_013_333_4;
/// A million mails.
pub(crate) const MAILS: f64 = 100.0;
/// A GB of log lines that `CloudWatch` takes in: those of Lambda's first 10 TB in a month, and of an API's access log.
pub(crate) const LOG_GB: f64 = 0.50;
/// A GB that leaves AWS, of the first 10 TB in a month, beyond the first 100 GB, which are free.
pub(crate) const DATA_OUT_GB: f64 = 0.09;
/// A GB of a table of the class Standard for a month, beyond the first 25 GB, which are free.
pub(crate) const STORAGE_GB: f64 = 0.25;
/// A GB of a table with point-in-time recovery for a month.
pub(crate) const RECOVERY_GB: f64 = 0.20;
/// A GB, as these prices have it.
pub(crate) const GB: f64 = 1024.0 * 1024.0 * 1024.0;

/// Returns the dollars of Lambda for a million requests that are billed so many milliseconds each, on arm64.
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
