//! What AWS asks, in US dollars: us-east-1, on demand, as published on 2025-07-21 and unchanged since November 2024 as far as
//! we know. Sources: <https://aws.amazon.com/dynamodb/pricing/on-demand/>, <https://aws.amazon.com/lambda/pricing/>,
//! <https://aws.amazon.com/api-gateway/pricing/>, <https://aws.amazon.com/ses/pricing/>. Other regions cost up to some 60 %
//! more, all rows alike.

/// A million read request units.
pub(super) const READ_UNITS: f64 = 0.125;
/// A million write request units.
pub(super) const WRITE_UNITS: f64 = 0.625;
/// A million requests of an HTTP API, up to 300 million in a month.
pub(super) const API_REQUESTS: f64 = 1.00;
/// A million invocations.
pub(super) const INVOCATIONS: f64 = 0.20;
/// A GB-second on arm64, up to 7.5 billion in a month.
pub(super) const GB_SECOND: f64 = 0.000_013_333_4;
/// A million mails.
pub(super) const MAILS: f64 = 100.0;

/// Memory of a function in the template, in GB.
pub(super) const MEMORY_GB: f64 = 0.25;
/// Assumed, for want of an account to measure in: a call to DynamoDB from a function takes single-digit milliseconds.
pub(super) const WAVE_MS: f64 = 5.0;
/// Assumed: what a function computes for a request, at the CPU that its memory buys.
pub(super) const OWN_MS: f64 = 2.0;
/// Hashing a password: 38 ms of a whole CPU, of which 256 MB buy a seventh.
pub(super) const PASSWORD_MS: f64 = 270.0;
