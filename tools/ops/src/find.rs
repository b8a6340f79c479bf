//! `ops users find`

use std::sync::Arc;

use presence_domain::email_pattern::EmailPattern;
use presence_domain::ids::OrgId;
use presence_store::FoundUser;
use presence_store::meter::Meter;
use serde::Serialize;

use crate::exit::Failure;
use crate::{Context, Exit};

pub(crate) const EXAMPLES: &str = "\
Examples:
  ops users find ada@example.org
  ops users find 'ada@*'
  ops users find '*@example.org' --json

With --json a line {\"id\",\"email\",\"org_id\",\"status\",\"role\",\"first_name\",
\"last_name\"} each.";

#[derive(Serialize)]
struct User<'a> {
    id: String,
    email: &'a str,
    org_id: Option<u64>,
    status: &'static str,
    role: &'static str,
    first_name: &'a str,
    last_name: &'a str,
}

impl<'a> User<'a> {
    fn new(found: &'a FoundUser) -> Self {
        Self {
            id: found.id.to_string(),
            email: &found.email,
            org_id: found.org_id.map(OrgId::get),
            status: found.status.as_str(),
            role: found.role.as_str(),
            first_name: &found.first_name,
            last_name: &found.last_name,
        }
    }

    /// One line of text: the columns that scripts cut, then the name.
    fn line(&self) -> String {
        let org = self.org_id.map_or_else(|| "-".to_owned(), |org| org.to_string());
        let Self { id, email, status, role, first_name, last_name, .. } = self;
        format!("{id}\t{org}\t{status}\t{role}\t{email}\t{first_name} {last_name}")
    }
}

/// Prints each page as it comes: a domain may have any number of users.
pub(crate) async fn run(pattern: EmailPattern, context: &mut Context) -> Result<Exit, Failure> {
    let meter = Arc::new(Meter::default());
    let Context { store, console, .. } = context;
    let mut search = store.search_emails(pattern);
    let mut count = 0_u64;
    while let Some(users) = Arc::clone(&meter).watch(search.next_page()).await? {
        for found in &users {
            let user = User::new(found);
            if console.json {
                console.json_line(&user)?;
            } else {
                console.line(user.line())?;
            }
            count += 1;
        }
    }
    console.note(format_args!("users: {count}, read units: {}", meter.cost().read_units));
    Ok(Exit::Done)
}
