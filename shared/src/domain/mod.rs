//! Pure types and rules: nothing in here knows AWS, HTTP, the environment or the clock.

pub mod email;
pub mod text;
