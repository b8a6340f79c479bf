//! `ops users find`: users by a pattern of addresses.

use std::sync::Arc;

use presence_domain::email_pattern::EmailPattern;
use presence_store::meter::Meter;

use super::row::UserRow;
use crate::error::CommandError;
use crate::{Context, Exit};

pub(super) async fn find(pattern: EmailPattern, context: &mut Context) -> Result<Exit, CommandError> {
    let meter = Arc::new(Meter::default());
    let Context { stores, console, .. } = context;
    let mut search = stores.users.search_emails(pattern);
    let mut count = 0_u64;
    // Each page is printed as it comes: a domain may have any number of users.
    while let Some(users) = Arc::clone(&meter).watch(search.next_page()).await? {
        for found in &users {
            let user = UserRow::found(found);
            if console.json {
                console.write_json(&user)?;
            } else {
                console.write_line(user.to_line())?;
            }
            count += 1;
        }
    }
    console.write_message(format_args!("users: {count}, read units: {}", meter.cost().read_units));
    Ok(Exit::Done)
}
