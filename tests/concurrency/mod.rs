//! Concurrent requests: each race runs 20 rounds on the plain database, and 20 with overlapping transactions cancelled as AWS
//! cancels them. With cancellations, a request may be answered with 503. It is never answered wrongly, and a retry succeeds.

mod addresses;
mod admin_roles;
mod idempotency;
mod invitations;
mod keys;
mod principal_cache;
mod race_env;
mod updates;

/// Rounds of each race.
const ROUNDS: u64 = 20;
