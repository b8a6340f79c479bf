//! Holds `email-index` against the users that it follows. Their locks are held against the users too, so that all three agree.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde::Deserialize;

use super::{Finding, PAGE};
use crate::client::meter::side_by_side;
use crate::client::read::{Partition, parse, parse_as, text};
use crate::format::USER;
use crate::users::to_item;
use crate::{UserStore, schema};
use presence_domain::access::Scope;
use presence_domain::error::Error;
use presence_domain::ids::UserId;
use presence_domain::user::User;

/// The pauses before a difference is looked at again. An index lags for milliseconds, rarely for seconds.
const PAUSES: [Duration; 5] = [
    Duration::ZERO,
    Duration::from_millis(50),
    Duration::from_millis(250),
    Duration::from_secs(1),
    Duration::from_secs(3),
];
/// Users that are looked at again. Where more differ, the index is not merely late.
const MAX_SUSPECTS: usize = 1_000;
/// Looks in flight.
const IN_FLIGHT: u16 = 8;
/// Entries of one address: there is one user for each.
const ENTRIES_PAGE: i32 = 10;

/// A user in the index.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
struct Entry {
    id: String,
    email_domain: String,
    email_key: String,
    org: String,
    status: String,
}

/// A user whose entries are not as expected, with those that were seen.
#[derive(Clone, Debug)]
struct Suspect {
    id: String,
    seen: Vec<Entry>,
}

impl Entry {
    /// The entry that a user makes.
    fn of(user: &User) -> Result<Self, Error> {
        parse_as(USER, to_item(user, None)?)
    }
}

impl UserStore {
    /// The differences between the index and the users, as they were read strongly. What differs is looked at again, the user
    /// strongly, until the index had time to follow; what then still differs is a finding.
    /// Users of an earlier format are not in the index yet, and are passed over.
    pub(super) async fn audit_email_index(
        &self,
        users: &BTreeMap<UserId, User>,
        outdated: &BTreeSet<UserId>,
    ) -> Result<Vec<Finding>, Error> {
        let mut suspects = self.suspects(users, outdated).await?;
        let skipped = suspects.split_off(suspects.len().min(MAX_SUSPECTS));
        for pause in PAUSES {
            if suspects.is_empty() {
                break;
            }
            tokio::time::sleep(pause).await;
            let looks = suspects.into_iter().map(|suspect| self.still_differs(suspect));
            suspects = side_by_side(IN_FLIGHT, looks).await?.into_iter().flatten().collect();
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

    /// Users whose entries are not what they make.
    async fn suspects(
        &self,
        users: &BTreeMap<UserId, User>,
        outdated: &BTreeSet<UserId>,
    ) -> Result<Vec<Suspect>, Error> {
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
            if !outdated.contains(&user.id) && entries != [Entry::of(user)?] {
                suspects.push(Suspect { id, seen: entries });
            }
        }
        suspects.extend(seen.into_iter().map(|(id, seen)| Suspect { id, seen }));
        Ok(suspects)
    }

    /// The suspect, if its entries are not what the user makes that is stored now.
    async fn still_differs(&self, suspect: Suspect) -> Result<Option<Suspect>, Error> {
        let user = match UserId::parse(&suspect.id) {
            Some(id) => self.get(Scope::for_operator(), id).await?,
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
