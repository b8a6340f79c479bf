//! Rehearsal of a restore: the tables are copied at an instant, the service goes on, the operator restores them, and callers use the
//! restored tables.

pub(crate) mod histories;
mod interruptions;
mod mails;
mod plan;
mod rehearsal;
mod restore_env;
mod runbook;
mod stacks;
mod taken;
