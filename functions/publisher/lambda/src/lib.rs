//! Bus of `EventBridge`.
//!
//! It is a crate of its own, because the local stack runs the publisher without it, and the SDK of `EventBridge` takes long to compile.

mod event_bridge;

pub use event_bridge::EventBridge;
