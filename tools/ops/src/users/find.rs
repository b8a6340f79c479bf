//! `ops users find`: users by a pattern of addresses, or by words of names.

use presence_domain::email_pattern::EmailPattern;
use presence_domain::fuzzy::FuzzyQuery;
use presence_domain::user_directory::UserFilter;
use presence_store::meter::measured;

use super::row::{COLUMNS, UserRow};
use crate::args::UserPattern;
use crate::error::CommandError;
use crate::table::TableWriter;
use crate::{Console, Context, Exit};

/// Users that were found, as they are printed.
struct FoundUsers {
    table: TableWriter<6>,
    count: u64,
}

pub(super) async fn find(pattern: UserPattern, context: &mut Context) -> Result<Exit, CommandError> {
    let mut found = FoundUsers { table: TableWriter::new(COLUMNS).bare_in_pipes(), count: 0 };
    let search = async {
        match pattern {
            UserPattern::Address(pattern) => found.add_by_address(pattern, context).await,
            UserPattern::Words(query) => found.add_by_words(query, context).await,
        }
    };
    let (searched, cost) = measured(search).await;
    searched?;
    found.table.finish(&mut context.console)?;
    let count = found.count;
    context.console.write_message(format_args!("users: {count}, read units: {}", cost.read_units));
    Ok(Exit::Done)
}

impl FoundUsers {
    async fn add_by_address(&mut self, pattern: EmailPattern, context: &mut Context) -> Result<(), CommandError> {
        let mut search = context.stores.users.search_emails(pattern);
        // Each page is printed as it comes: a domain may have any number of users.
        while let Some(users) = search.next_page().await? {
            for found in &users {
                self.add(&UserRow::found(found), &mut context.console)?;
            }
        }
        Ok(())
    }

    /// Adds the users whose names or address have the words, or nearly: by organisation, the best match first.
    async fn add_by_words(&mut self, query: FuzzyQuery, context: &mut Context) -> Result<(), CommandError> {
        let filter = UserFilter { query: Some(query), ..UserFilter::default() };
        let Context { stores, console, .. } = context;
        for org_id in stores.users.list_orgs_with_users().await? {
            for user in stores.users.list_members(org_id, &filter).await? {
                self.add(&UserRow::listed(&user, org_id), console)?;
            }
        }
        Ok(())
    }

    fn add(&mut self, user: &UserRow<'_>, console: &mut Console) -> Result<(), CommandError> {
        self.count += 1;
        Ok(self.table.add(user, console)?)
    }
}
