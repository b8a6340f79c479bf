//! Audit of `email-index` against the users.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde::Deserialize;

use super::{Finding, PAGE};
use crate::client::parallel::parallel;
use crate::client::read::{Partition, text};
use crate::format::USER;
use crate::format::{parse, parse_as};
use crate::users::to_item;
use crate::{UserStore, schema};
use presence_domain::error::Error;
use presence_domain::ids::UserId;
use presence_domain::user::User;

/// Pauses before a difference is checked again. An index lags for milliseconds, rarely for seconds.
const PAUSES: [Duration; 5] = [
    Duration::ZERO,
    Duration::from_millis(50),
    Duration::from_millis(250),
    Duration::from_secs(1),
    Duration::from_secs(3),
];
/// Largest number of users checked again. If more differ, the index is not merely late.
const MAX_SUSPECTS: usize = 1_000;
/// Checks in flight.
const IN_FLIGHT: u16 = 8;
/// Entries of one address in one page. An address has one user.
const ENTRIES_PAGE: i32 = 10;

/// Entry of a user in the index.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
struct Entry {
    id: String,
    email_domain: String,
    email_key: String,
    org: String,
    status: String,
}

/// User whose entries differ from the expected one, with the entries that were read.
#[derive(Clone, Debug)]
struct Suspect {
    id: String,
    seen: Vec<Entry>,
}

impl Entry {
    /// Returns the entry that a user should have.
    fn of(user: &User) -> Result<Self, Error> {
        parse_as(USER, to_item(user, None)?)
    }
}

impl UserStore {
    /// Returns the differences between the index and the users.
    ///
    /// The index lags, so each difference is checked again after pauses, with a strong read of the user. A difference that stays
    /// is a finding.
    pub(super) async fn audit_email_index(&self, users: &BTreeMap<UserId, User>) -> Result<Vec<Finding>, Error> {
        let mut suspects = self.suspects(users).await?;
        let skipped = suspects.split_off(suspects.len().min(MAX_SUSPECTS));
        for pause in PAUSES {
            if suspects.is_empty() {
                break;
            }
            tokio::time::sleep(pause).await;
            let looks = suspects.into_iter().map(|suspect| self.still_differs(suspect));
            suspects = parallel(IN_FLIGHT, looks).await?.into_iter().flatten().collect();
        }
        let finding = |suspect: Suspect| Finding {
            subject: format!("user {}", suspect.id),
            problem: "is in email-index otherwise than it is stored".to_owned(),
        };
        let mut findings: Vec<_> = suspects.into_iter().map(finding).collect();
        if !skipped.is_empty() {
            let problem = format!("differs for {} more users, which were not looked at again", skipped.len());
            findings.push(Finding { subject: "email-index".to_owned(), problem });
        }
        Ok(findings)
    }

    /// Returns the users whose entries differ from the expected ones.
    async fn suspects(&self, users: &BTreeMap<UserId, User>) -> Result<Vec<Suspect>, Error> {
        let mut seen: BTreeMap<String, Vec<Entry>> = BTreeMap::new();
        let mut start = None;
        loop {
            let (items, next) =
                self.db.scan_index_page(&schema::USERS, &schema::EMAIL_INDEX, PAGE, None, start).await?;
            for item in items {
                let entry: Entry = parse(item)?;
                seen.entry(entry.id.clone()).or_default().push(entry);
            }
            start = next;
            if start.is_none() {
                break;
            }
        }
        let mut suspects = Vec::new();
        for user in users.values() {
            let id = user.id.to_string();
            let entries = seen.remove(&id).unwrap_or_default();
            if entries != [Entry::of(user)?] {
                suspects.push(Suspect { id, seen: entries });
            }
        }
        suspects.extend(seen.into_iter().map(|(id, seen)| Suspect { id, seen }));
        Ok(suspects)
    }

    /// Checks a user again. Returns it if its entries still differ from the stored user.
    async fn still_differs(&self, suspect: Suspect) -> Result<Option<Suspect>, Error> {
        let user = match UserId::parse(&suspect.id) {
            Some(id) => self.get_unscoped(id).await?.map(|record| record.user),
            None => None,
        };
        let expected: BTreeSet<Entry> = user.as_ref().map(Entry::of).transpose()?.into_iter().collect();
        let places = suspect.seen.iter().chain(&expected).map(|entry| (&entry.email_domain, &entry.email_key));
        let mut entries = BTreeSet::new();
        for (domain, key) in places.collect::<BTreeSet<_>>() {
            let partition = Partition {
                table: &schema::USERS,
                index: Some(&schema::EMAIL_INDEX),
                value: text(domain),
                between: Some((key.clone(), key.clone())),
                page: ENTRIES_PAGE,
                max_pages: 1,
            };
            for item in self.db.query(partition).await? {
                entries.extend(Some(parse::<Entry>(item)?).filter(|entry| entry.id == suspect.id));
            }
        }
        Ok((entries != expected).then_some(suspect))
    }
}
