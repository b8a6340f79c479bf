//! Runbooks of the operator's guide: each is walked on a local stack with the commands as they stand in the page.

mod complaints;
mod counts;
mod day_to_day;
mod first_data;
mod leaked_key;
mod limits;
mod log;
mod mails;
mod page;
mod rehearsal;
mod syntax;
