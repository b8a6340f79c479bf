//! Concurrent requests: each race runs some rounds on the plain database, and as many with overlapping transactions cancelled as AWS
//! cancels them. With cancellations, a request may be answered with 503. It is never answered wrongly, and a retry succeeds.

mod addresses;
mod admin_roles;
mod idempotency;
mod invitations;
mod keys;
mod linearizability;
mod principal_cache;
mod race_env;
mod search_rows;
mod updates;

/// Returns the rounds of each race.
fn rounds() -> u64 {
    presence_tests::rounds(8) as u64
}
