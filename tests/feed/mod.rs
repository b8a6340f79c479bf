//! Feed of events: each change once, in an order that never changes, whatever is killed.

mod cost;
mod crashes;
mod fixture;
mod kept_data;
mod pages;
