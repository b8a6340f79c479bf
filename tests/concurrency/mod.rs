//! Calls that run into each other, 20 rounds of each race: on the plain database, and with transactions that overlap
//! cancelled as AWS does it. There a call may be refused with 503, never answered wrongly, and trying again ends well.

mod acceptances;
mod addresses;
mod callers;
mod invitations;
mod keys;
mod race_env;
mod standing;
mod updates;

/// Rounds of each race.
const ROUNDS: u64 = 20;
