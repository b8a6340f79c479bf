//! Runbooks of the operator's guide: each is walked on a local stack with the commands as they stand in the page.

mod another_region;
mod complaints;
mod counts;
mod coverage;
mod day_to_day;
mod entry_pages;
mod first_data;
mod floods;
mod leaked_key;
mod limits;
mod log;
mod mails;
mod millions;
mod page;
mod rehearsal;
mod syntax;
