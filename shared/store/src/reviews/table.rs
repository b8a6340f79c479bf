//! Table of the ledger in `DynamoDB`: its values and logs as items of the table of reviews.

use std::collections::HashMap;

use futures::FutureExt as _;
use futures::future::BoxFuture;

use super::log::items::{changes_attribute, changes_of, read_lane_item};
use super::trees::items::{STAMP, key_of, number_attribute, read_value, value_item};
use crate::client::read::{Item, Order, Partition, pk_sk, text};
use crate::client::retry::Retries;
use crate::client::tables::{Condition, ItemWrite};
use crate::keys::{LogItemKey, NODE_SK_PREFIX, log_pk, parse_node_sk, tree_pk};
use crate::{Database, schema};
use presence_domain::error::Error;
use presence_domain::ids::OrgId;
use presence_domain::review::FacetKey;
use presence_ledger::table::{
    Answer, Consistency, LedgerTable, LogCursor, LogItem, NewValue, NodesByTree, NumberedValue, Pauses, ValueName,
};
use presence_ledger::tree::NodeRef;
use presence_ledger::{LANES, ReviewSet, TreeKey};

/// Items in one page of a log. DynamoDB ends a page at 1 MB anyway.
const LOG_PAGE: i32 = 2_000;
/// Number of nodes in one page of their list.
const NODES_PAGE: i32 = 1_000;
/// Maximum number of pages of a list of nodes: 16 GB of nodes.
const MAX_NODES_PAGES: usize = 16_384;

impl LedgerTable for Database {
    fn get<'a>(
        &'a self,
        names: Vec<ValueName<'a>>,
        consistency: Consistency,
    ) -> Answer<'a, Vec<Option<NumberedValue>>> {
        async move {
            let items = self.get_items(names.iter().map(|name| key_of(*name)).collect(), consistency).await?;
            let value = |(item, name): (Option<Item>, &ValueName<'_>)| item.map(|item| read_value(item, *name));
            items.into_iter().zip(&names).map(|named| value(named).transpose()).collect()
        }
        .boxed()
    }

    fn put<'a>(&'a self, name: ValueName<'a>, value: NewValue, known: Option<u64>) -> Answer<'a, bool> {
        let condition = known.map_or(Condition::NotThere, |known| Condition::NumberIs(number_attribute(name), known));
        let item = value_item(name, value);
        async move {
            match name {
                ValueName::Root(_) | ValueName::Slot(..) => {
                    self.tables.write_at_pace(ItemWrite::put(&schema::REVIEWS, item, [condition])).await
                }
                ValueName::Bucket(..) | ValueName::Directory(_) => self.put_if(&schema::REVIEWS, item, condition).await,
            }
        }
        .boxed()
    }

    fn delete_node<'a>(&'a self, tree: &'a TreeKey, node: NodeRef) -> Answer<'a, bool> {
        let condition = Condition::NumberIs(STAMP, u64::from(node.stamp));
        let key = key_of(ValueName::Slot(tree, node.slot));
        self.write(ItemWrite::delete(&schema::REVIEWS, key, [condition])).boxed()
    }

    fn list_nodes<'a>(&'a self, set: &'a ReviewSet) -> Answer<'a, NodesByTree> {
        self.list_nodes_of(set).boxed()
    }

    fn log_page(&self, org_id: OrgId, start: Option<LogCursor>) -> Answer<'_, (Vec<LogItem>, Option<LogCursor>)> {
        async move {
            let partition = partition(log_pk(org_id), None, LOG_PAGE, 1);
            let start = start.map(|LogCursor(sort_key)| pk_sk(log_pk(org_id), sort_key));
            let (items, next) = self.query_page(&partition, start).await?;
            let next = next.as_ref().map(|next| sort_key_of(next).map(|sort_key| LogCursor(sort_key.to_owned())));
            Ok((read_log_items(&items)?, next.transpose()?))
        }
        .boxed()
    }

    fn lane_start(&self, org_id: OrgId, lane: usize, items: i32) -> Answer<'_, Vec<LogItem>> {
        async move {
            let first = LogItemKey::Lane(lane).sort_key();
            // `~` sorts after every sequence number.
            let between = Some((first.clone(), format!("{first}#~")));
            let (items, _) = self.query_page(&partition(log_pk(org_id), between, items, 1), None).await?;
            read_log_items(&items)
        }
        .boxed()
    }

    fn logs_together<'a>(&'a self, org_ids: &'a [OrgId]) -> Answer<'a, Vec<Vec<LogItem>>> {
        async move {
            let items_of = |org_id: &OrgId| {
                let names = (0..LANES).map(LogItemKey::Lane).chain([LogItemKey::Directory]);
                let org_id = *org_id;
                names.map(move |name| pk_sk(log_pk(org_id), name.sort_key())).collect::<Vec<_>>()
            };
            let keys: Vec<Item> = org_ids.iter().flat_map(items_of).collect();
            let items = self.get_in_transaction(&schema::REVIEWS, keys).await?;
            let log = |items: &[Option<Item>]| read_log_items(items.iter().flatten());
            items.chunks(LANES + 1).map(log).collect()
        }
        .boxed()
    }

    fn delete_chunk(&self, org_id: OrgId, lane: usize, first: u64) -> Answer<'_, ()> {
        let key = LogItemKey::Chunk { lane, first };
        self.delete(&schema::REVIEWS, pk_sk(log_pk(org_id), key.sort_key())).boxed()
    }

    fn remove_unsealed(&self, org_id: OrgId, lane: usize, firsts: Vec<u64>) -> Answer<'_, ()> {
        let key = pk_sk(log_pk(org_id), LogItemKey::Lane(lane).sort_key());
        let attributes = firsts.into_iter().map(changes_attribute).collect();
        async move {
            self.write(ItemWrite::update(&schema::REVIEWS, key, Vec::new(), attributes, [Condition::There]))
                .await
                .map(drop)
        }
        .boxed()
    }

    fn pauses(&self) -> Box<dyn Pauses> {
        Box::new(self.retries())
    }
}

impl Pauses for Retries {
    fn pause(&mut self) -> BoxFuture<'_, bool> {
        Retries::pause(self).boxed()
    }

    fn pause_after_progress(&mut self) -> BoxFuture<'_, bool> {
        Retries::pause_after_progress(self).boxed()
    }
}

impl Database {
    /// Returns the item of each key, in order; `None` for one that does not exist.
    async fn get_items(&self, keys: Vec<Item>, consistency: Consistency) -> Result<Vec<Option<Item>>, Error> {
        if let [key] = &keys[..] {
            return Ok(vec![self.tables.get(&schema::REVIEWS, key.clone(), consistency).await?]);
        }
        // DynamoDB refuses a batch that names a key twice.
        let mut positions: HashMap<ItemName, Vec<usize>> = HashMap::new();
        let mut distinct = Vec::new();
        for (position, key) in keys.into_iter().enumerate() {
            let named = positions.entry(ItemName::of(&key)).or_default();
            if named.is_empty() {
                distinct.push(key);
            }
            named.push(position);
        }
        let mut found = vec![None; positions.values().map(Vec::len).sum()];
        for item in self.tables.get_batch(&schema::REVIEWS, distinct, &[], consistency).await? {
            let Some((first, others)) = positions.get(&ItemName::of(&item)).and_then(|all| all.split_first()) else {
                continue;
            };
            for other in others {
                found[*other] = Some(item.clone());
            }
            found[*first] = Some(item);
        }
        Ok(found)
    }

    /// Returns the nodes of a set. A name that is too old is spared by its stamp.
    async fn list_nodes_of(&self, set: &ReviewSet) -> Result<NodesByTree, Error> {
        let between = Some((NODE_SK_PREFIX.to_owned(), format!("{NODE_SK_PREFIX}~")));
        let partition = partition(tree_pk(set), between, NODES_PAGE, MAX_NODES_PAGES);
        let (mut nodes, mut start) = (NodesByTree::new(), None);
        for _ in 0..MAX_NODES_PAGES {
            let (page, next) = self.query_page_with(&partition, start, Consistency::Eventual, Order::Ascending).await?;
            for (facet_key, node) in page.iter().filter_map(read_name) {
                nodes.entry(facet_key).or_default().push(node);
            }
            start = next;
            if start.is_none() {
                return Ok(nodes);
            }
        }
        Err(Error::internal("a review set has more nodes than a sweep lists"))
    }
}

/// Partition and sort key of an item.
#[derive(PartialEq, Eq, Hash)]
struct ItemName(String, String);

impl ItemName {
    fn of(item: &Item) -> Self {
        let text = |name: &str| item.get(name).and_then(|value| value.as_s().ok()).cloned().unwrap_or_default();
        Self(text("pk"), text("sk"))
    }
}

fn partition(pk: String, between: Option<(String, String)>, page: i32, max_pages: usize) -> Partition<'static> {
    Partition { table: &schema::REVIEWS, index: None, value: text(pk), between, page, max_pages }
}

fn sort_key_of(item: &Item) -> Result<&str, Error> {
    let sort_key = item.get("sk").and_then(|sort_key| sort_key.as_s().ok());
    sort_key.map(String::as_str).ok_or_else(|| Error::internal("an item of the ledger has no sort key"))
}

fn read_log_items<'a>(items: impl IntoIterator<Item = &'a Item>) -> Result<Vec<LogItem>, Error> {
    items.into_iter().map(read_log_item).collect()
}

/// Reads an item of a log.
fn read_log_item(item: &Item) -> Result<LogItem, Error> {
    Ok(match LogItemKey::parse(sort_key_of(item)?) {
        Some(LogItemKey::Lane(lane)) => LogItem::Lane { lane, state: read_lane_item(item)? },
        Some(LogItemKey::Chunk { lane, first }) => LogItem::Chunk { lane, first, changes: changes_of(item) },
        Some(LogItemKey::Directory) => {
            let bytes = item.get("v").and_then(|value| value.as_b().ok());
            let bytes = bytes.ok_or_else(|| Error::internal("a directory of trees has no value"))?;
            LogItem::Directory(bytes.as_ref().into())
        }
        None => return Err(Error::internal("an item of a log has an unknown sort key")),
    })
}

/// Reads the name of a node; `None` for an item of another form, which no root can name.
fn read_name(item: &Item) -> Option<(Option<FacetKey>, NodeRef)> {
    let (facet_key, slot) = parse_node_sk(item.get("sk")?.as_s().ok()?)?;
    let stamp = item.get(STAMP)?.as_n().ok()?.parse().ok()?;
    Some((facet_key, NodeRef { slot, stamp }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::read::binary;

    #[test]
    fn items_of_another_form_are_errors() {
        let without_last = pk_sk("LOG#42", "0");
        let unknown = pk_sk("LOG#42", "x");
        let without_value = pk_sk("LOG#42", "~");
        for damaged in [without_last, unknown, without_value] {
            assert!(matches!(read_log_item(&damaged), Err(Error::Internal(_))), "{damaged:?}");
        }
        let mut chunk = pk_sk("LOG#42", "3#000000000007");
        chunk.extend([("c7".to_owned(), binary(vec![1])), ("other".to_owned(), binary(vec![2]))]);
        let changes = [(7, vec![1])].into();
        assert_eq!(read_log_item(&chunk).expect("a chunk"), LogItem::Chunk { lane: 3, first: 7, changes });
    }
}
