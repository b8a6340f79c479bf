//! Events: each change is told at least once, in the documented form, without personal data, whatever fails.

mod background;
mod changes;
mod faults;
pub(crate) mod fixture;
mod local_bus;
mod personal_data;
mod schemas;
