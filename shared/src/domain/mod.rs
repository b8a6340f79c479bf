//! Pure types and rules: nothing in here knows AWS, HTTP, the environment or the clock.

pub mod api_key;
pub mod email;
pub mod fuzzy;
pub mod password;
pub mod text;
