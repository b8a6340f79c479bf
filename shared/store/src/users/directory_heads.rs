//! Heads of directories in the users table: counts and digest of each organisation.

use aws_sdk_dynamodb::types::Update;
use serde::Deserialize;

use crate::client::parallel::parallel;
use crate::client::read::{Item, Partition, number, pk_sk, text};
use crate::format::{DIRECTORY_HEAD, parse_as};
use crate::keys::{ROSTER_PARTITIONS, numbered_roster_pk, org_key, parse_org_key, roster_pk};
use crate::{Database, UserStore, schema};
use presence_domain::error::Error;
use presence_domain::ids::OrgId;
use presence_domain::user_directory::DirectoryHead;

/// Number of heads in one page of a Query. A head has about 120 bytes, so that a page stays below the limit of 1 MB.
const PAGE: i32 = 5_000;
/// Number of partitions that are read at a time: all of them, in one round trip.
const QUERIES_IN_FLIGHT: u16 = 16;
/// Maximum number of pages: enough for half a million organisations in each partition.
const MAX_PAGES: usize = 100;

/// Item of a head, without its digest.
#[derive(Deserialize)]
struct HeadItem {
    sk: String,
    #[serde(default)]
    active: i64,
    #[serde(default)]
    invited: i64,
    #[serde(default)]
    admins: i64,
}

impl UserStore {
    /// Reads the head of one organisation, or of the users without one, strongly. It costs one read unit.
    pub(crate) async fn get_head(&self, org_id: Option<OrgId>) -> Result<DirectoryHead, Error> {
        let item = self.db.get(&schema::USERS, pk_sk(roster_pk(org_id), org_key(org_id))).await?;
        item.map_or_else(|| Ok(DirectoryHead::default()), |item| parse_item(item).map(|(_, head)| head))
    }

    /// Reads the heads of all organisations that ever had a user, strongly, in the order of their numbers, by a Query of each partition.
    pub(crate) async fn list_heads(&self) -> Result<Vec<(Option<OrgId>, DirectoryHead)>, Error> {
        let queries = (0..ROSTER_PARTITIONS).map(|number| {
            self.db.query(Partition {
                table: &schema::USERS,
                index: None,
                value: text(numbered_roster_pk(number)),
                between: None,
                page: PAGE,
                max_pages: MAX_PAGES,
            })
        });
        let items = parallel(QUERIES_IN_FLIGHT, queries).await?.into_iter().flatten();
        let mut heads: Vec<_> = items.map(parse_item).collect::<Result<_, _>>()?;
        heads.sort_unstable_by_key(|(org_id, _)| *org_id);
        Ok(heads)
    }
}

/// Returns the update that adds a difference to a stored head. With `keep_an_admin` it fails if the head has only one admin left.
pub(crate) fn add(db: &Database, org_id: Option<OrgId>, difference: &DirectoryHead, keep_an_admin: bool) -> Update {
    let update = Update::builder()
        .table_name(db.name(&schema::USERS))
        .set_key(Some(pk_sk(roster_pk(org_id), org_key(org_id))))
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

/// Returns the item of a head.
pub(crate) fn to_item(org_id: Option<OrgId>, head: &DirectoryHead) -> Item {
    let mut item = pk_sk(roster_pk(org_id), org_key(org_id));
    item.insert("active".to_owned(), number(head.active));
    item.insert("invited".to_owned(), number(head.invited));
    item.insert("admins".to_owned(), number(head.admins));
    item.insert("digest".to_owned(), number(head.digest));
    item
}

/// Parses the item of a head.
pub(crate) fn parse_item(mut item: Item) -> Result<(Option<OrgId>, DirectoryHead), Error> {
    // `serde_dynamo` has no integers of 128 bits: the digest is parsed here.
    let digest = item.remove("digest").and_then(|value| value.as_n().ok().and_then(|digits| digits.parse().ok()));
    let digest: i128 = digest.ok_or_else(|| Error::internal("a head of a directory without a digest"))?;
    let HeadItem { sk, active, invited, admins } = parse_as(DIRECTORY_HEAD, item)?;
    let org_id = parse_org_key(&sk).ok_or_else(|| Error::internal("a head of a directory of no organisation"))?;
    Ok((org_id, DirectoryHead { active, invited, admins, digest }))
}
