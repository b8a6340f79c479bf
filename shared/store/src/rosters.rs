//! Rosters: the counts and the digest of each organisation.

use aws_sdk_dynamodb::types::Update;
use serde::Deserialize;

use crate::client::read::{Item, Partition, number, parse_as, pk_sk, text};
use crate::format::ROSTER;
use crate::keys::{ROSTERS_PK, org_key, parse_org_key};
use crate::{Database, UserStore, schema};
use presence_domain::error::Error;
use presence_domain::ids::OrgId;
use presence_domain::roster::Roster;

/// Rosters in one page of a Query. One is about 120 bytes: 5,000 fill less than the 1 MB of a page.
const PAGE: i32 = 5_000;
/// Pages at the most: half a million organisations.
const MAX_PAGES: usize = 100;

#[derive(Deserialize)]
struct RosterItem {
    sk: String,
    #[serde(default)]
    active: i64,
    #[serde(default)]
    invited: i64,
    #[serde(default)]
    admins: i64,
}

impl UserStore {
    /// The roster of one organisation (or of the users without one), read strongly: one read unit.
    pub(super) async fn roster(&self, org_id: Option<OrgId>) -> Result<Roster, Error> {
        let item = self.db.get(&schema::USERS, pk_sk(ROSTERS_PK, org_key(org_id))).await?;
        item.map_or_else(|| Ok(Roster::default()), |item| read(item).map(|(_, roster)| roster))
    }

    /// The rosters of all organisations that ever had a user, by number, read strongly.
    pub(super) async fn rosters(&self) -> Result<Vec<(Option<OrgId>, Roster)>, Error> {
        let partition = Partition {
            table: &schema::USERS,
            index: None,
            value: text(ROSTERS_PK),
            between: None,
            page: PAGE,
            max_pages: MAX_PAGES,
        };
        self.db.query(partition).await?.into_iter().map(read).collect()
    }
}

/// The update that adds a difference to a stored roster.
pub(super) fn add(db: &Database, org_id: Option<OrgId>, difference: &Roster, keep_an_admin: bool) -> Update {
    let update = Update::builder()
        .table_name(db.name(&schema::USERS))
        .set_key(Some(pk_sk(ROSTERS_PK, org_key(org_id))))
        .update_expression("ADD active :active, invited :invited, admins :admins, digest :digest")
        .expression_attribute_values(":active", number(difference.active))
        .expression_attribute_values(":invited", number(difference.invited))
        .expression_attribute_values(":admins", number(difference.admins))
        .expression_attribute_values(":digest", number(difference.digest));
    let update = if keep_an_admin {
        update.condition_expression("admins > :one").expression_attribute_values(":one", number(1))
    } else {
        update
    };
    update.build().expect("table, key and expression are set")
}

/// The item of a roster.
pub(super) fn item(org_id: Option<OrgId>, roster: &Roster) -> Item {
    let mut item = pk_sk(ROSTERS_PK, org_key(org_id));
    item.insert("active".to_owned(), number(roster.active));
    item.insert("invited".to_owned(), number(roster.invited));
    item.insert("admins".to_owned(), number(roster.admins));
    item.insert("digest".to_owned(), number(roster.digest));
    item
}

/// Reads the item of a roster.
pub(super) fn read(mut item: Item) -> Result<(Option<OrgId>, Roster), Error> {
    // The digest has more digits than the integers of the mapping crate.
    let digest = item.remove("digest").and_then(|value| value.as_n().ok().and_then(|digits| digits.parse().ok()));
    let digest: i128 = digest.ok_or_else(|| Error::internal("a roster without a digest"))?;
    let RosterItem { sk, active, invited, admins } = parse_as(ROSTER, item)?;
    let org_id = parse_org_key(&sk).ok_or_else(|| Error::internal("a roster of no organisation"))?;
    Ok((org_id, Roster { active, invited, admins, digest }))
}
