//! Types and rules, pure: no AWS, HTTP, environment or clock.

pub mod api_key;
pub mod category;
pub mod directory;
pub mod email;
pub mod fuzzy;
pub mod ids;
pub mod invitation;
pub mod page;
pub mod password;
pub mod patch;
pub mod roster;
pub mod text;
pub mod user;
