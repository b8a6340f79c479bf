//! Writes of the synthetic `DynamoDB`: conditions, updates and transactions, with their write units.

use aws_smithy_runtime_api::http::StatusCode;
use serde_json::{Value, json};

use super::connector::{Answer, item_bytes};
use super::tables::{Item, ItemKey, SyntheticTables};

/// Bytes of a write that cost one unit.
const UNIT_BYTES: usize = 1024;
/// Factor of the units of a table in a transaction, which writes each item twice.
const TRANSACTION_FACTOR: f64 = 2.0;
/// Prefix of the names of errors in answers.
const ERROR_PREFIX: &str = "com.amazonaws.dynamodb.v20120810#";

/// Part of the capacity that a write takes: units of one partition of the table or of its index.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct WriteCost {
    pub(super) kind: WriteKind,
    /// Partition key of the table or of the index.
    pub(super) partition: String,
    pub(super) units: f64,
}

/// Kind of the item that a write puts, changes or deletes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WriteKind {
    /// Review in the table.
    Body,
    /// Review in `listing-index`.
    IndexEntry,
    /// Lane item of a log.
    Lane,
    /// Sealed changes of a log.
    Chunk,
    /// Leaf or branch of the tree of an organisation or city.
    Node,
    /// Leaf or branch of the tree of a business.
    BusinessNode,
    /// Leaf or branch of the tree of a facet key.
    FacetNode,
    /// Root of the tree of an organisation.
    OrgRoot,
    /// Root of the tree of a city.
    CityRoot,
    /// Root of the tree of a business.
    BusinessRoot,
    /// Root of the tree of a facet key.
    FacetRoot,
    /// Directory of the trees, and its buckets.
    Directory,
    /// Any other item.
    Other,
}

impl WriteKind {
    /// Returns the kind of an item of the reviews table.
    fn of((pk, sk): &ItemKey) -> Self {
        let is_of = |set: &str| pk.strip_prefix("TREE#").is_some_and(|name| name.starts_with(set));
        match (pk.split('#').next().unwrap_or_default(), sk.as_str()) {
            ("R", _) => Self::Body,
            ("LOG", "~") | ("DIR", _) => Self::Directory,
            ("LOG", sk) if sk.contains('#') => Self::Chunk,
            ("LOG", _) => Self::Lane,
            ("TREE", sk) if sk.starts_with("ROOT#") => Self::FacetRoot,
            ("TREE", "ROOT") if is_of("o:") => Self::OrgRoot,
            ("TREE", "ROOT") if is_of("c:") => Self::CityRoot,
            ("TREE", "ROOT") => Self::BusinessRoot,
            ("TREE", sk) if sk.matches('#').count() > 1 => Self::FacetNode,
            ("TREE", _) if is_of("b:") => Self::BusinessNode,
            ("TREE", _) => Self::Node,
            _ => Self::Other,
        }
    }
}

/// Write of one item, as it is before and after.
struct ItemWrite {
    key: ItemKey,
    before: Option<Item>,
    after: Option<Item>,
    is_admitted: bool,
}

impl ItemWrite {
    /// Returns the write that an action asks for.
    fn plan(tables: &SyntheticTables, action: &Value) -> Option<Self> {
        let put = action["Item"].as_object();
        let named = put.or_else(|| action["Key"].as_object())?;
        let text = |name: &str| Some(named.get(name)?["S"].as_str()?.to_owned());
        let key = (text("pk")?, text("sk")?);
        let before = tables.get(&key.0, Some(&key.1));
        let is_admitted =
            action["ConditionExpression"].as_str().is_none_or(|text| holds(text, action, before.as_ref()));
        let after = match (put, action["UpdateExpression"].as_str()) {
            (Some(item), _) => Some(item.clone()),
            (None, Some(update)) => Some(updated(update, action, before.as_ref())),
            (None, None) => None,
        };
        Some(Self { key, before, after, is_admitted })
    }

    /// Returns the units that the write takes in the table and in the index.
    fn costs(&self, factor: f64) -> Vec<WriteCost> {
        let bytes = [&self.before, &self.after].into_iter().flatten().map(item_bytes).max().unwrap_or(0);
        let (kind, partition) = (WriteKind::of(&self.key), self.key.0.clone());
        let mut costs = vec![WriteCost { kind, partition, units: factor * write_units(bytes) }];
        let index_key = |item: &Item| Some((item.get("org_id")?.clone(), item.get("effective_listing")?.clone()));
        let [before, after] =
            [&self.before, &self.after].map(|item| item.as_ref().filter(|item| index_key(item).is_some()));
        let is_moved = before.and_then(index_key) != after.and_then(index_key);
        let entries =
            before.filter(|_| is_moved || after.is_none()).into_iter().chain(after.filter(|_| before != after));
        costs.extend(entries.map(|entry| WriteCost {
            kind: WriteKind::IndexEntry,
            partition: entry["org_id"]["N"].as_str().unwrap_or_default().to_owned(),
            units: write_units(item_bytes(entry)),
        }));
        costs
    }
}

/// Answers a write of one item.
pub(super) fn write(tables: &SyntheticTables, body: &Value) -> Option<Answer> {
    let _lock = tables.write_lock.lock();
    let write = ItemWrite::plan(tables, body)?;
    let costs = write.costs(1.0);
    if !write.is_admitted {
        let error =
            json!({ "__type": format!("{ERROR_PREFIX}ConditionalCheckFailedException"), "message": "condition" });
        return Some(Answer::refused(error, costs));
    }
    tables.store(write.key, write.after);
    Some(Answer::written(json!({ "ConsumedCapacity": capacity(&body["TableName"], &costs) }), costs))
}

/// Answers a transaction.
pub(super) fn transact(tables: &SyntheticTables, body: &Value) -> Option<Answer> {
    let _lock = tables.write_lock.lock();
    let actions = body["TransactItems"].as_array()?;
    let actions: Vec<&Value> = actions.iter().filter_map(|action| action.as_object()?.values().next()).collect();
    let writes: Option<Vec<ItemWrite>> = actions.iter().map(|action| ItemWrite::plan(tables, action)).collect();
    let writes = writes?;
    let costs: Vec<WriteCost> = writes.iter().flat_map(|write| write.costs(TRANSACTION_FACTOR)).collect();
    if writes.iter().any(|write| !write.is_admitted) {
        let code = |write: &ItemWrite| if write.is_admitted { "None" } else { "ConditionalCheckFailed" };
        let reasons: Vec<Value> = writes.iter().map(|write| json!({ "Code": code(write) })).collect();
        let error = format!("{ERROR_PREFIX}TransactionCanceledException");
        return Some(Answer::refused(json!({ "__type": error, "CancellationReasons": reasons }), costs));
    }
    for write in writes {
        tables.store(write.key, write.after);
    }
    let table = &actions.first()?["TableName"];
    Some(Answer::written(json!({ "ConsumedCapacity": [capacity(table, &costs)] }), costs))
}

impl Answer {
    fn written(body: Value, writes: Vec<WriteCost>) -> Self {
        Self { status: success(), body, writes, reads: Vec::new() }
    }

    fn refused(body: Value, writes: Vec<WriteCost>) -> Self {
        Self { status: client_error(), body, writes, reads: Vec::new() }
    }

    /// Returns the answer of a throttled call.
    pub(super) fn throttled(operation: &str) -> Self {
        let body = if operation == "TransactWriteItems" {
            let error = format!("{ERROR_PREFIX}TransactionCanceledException");
            json!({ "__type": error, "CancellationReasons": [{ "Code": "ThrottlingError" }] })
        } else {
            let error = format!("{ERROR_PREFIX}ProvisionedThroughputExceededException");
            json!({ "__type": error, "message": "a partition has no units left" })
        };
        Self::refused(body, Vec::new())
    }
}

fn success() -> StatusCode {
    StatusCode::try_from(200).expect("a status")
}

fn client_error() -> StatusCode {
    StatusCode::try_from(400).expect("a status")
}

fn capacity(table: &Value, costs: &[WriteCost]) -> Value {
    json!({ "TableName": table, "CapacityUnits": costs.iter().map(|cost| cost.units).sum::<f64>() })
}

/// Returns the write units of an item: one for each started kilobyte, and at least one.
#[expect(clippy::cast_precision_loss, reason = "an item has at most 400 units")]
fn write_units(bytes: usize) -> f64 {
    bytes.div_ceil(UNIT_BYTES).max(1) as f64
}

/// True if the condition of an action holds for the stored item. Knows the conditions that the store has.
fn holds(expression: &str, action: &Value, item: Option<&Item>) -> bool {
    let names = &action["ExpressionAttributeNames"];
    let stored = |name: &str| item.and_then(|item| item.get(names[name].as_str().unwrap_or(name)));
    let argument = |term: &str, function: &str| {
        Some(term.strip_prefix(function)?.strip_prefix('(')?.strip_suffix(')')?.to_owned())
    };
    expression.split(" AND ").all(|term| {
        if let Some(name) = argument(term, "attribute_not_exists") {
            return stored(&name).is_none();
        }
        if let Some(name) = argument(term, "attribute_exists") {
            return stored(&name).is_some();
        }
        let (name, value) = term.split_once(" = ").expect("a comparison");
        stored(name) == action["ExpressionAttributeValues"].get(value)
    })
}

/// Returns an item after an update. Knows the updates that the store has: `SET a = :b, … REMOVE c, …`.
fn updated(expression: &str, action: &Value, before: Option<&Item>) -> Item {
    let mut item = before.cloned().unwrap_or_else(|| action["Key"].as_object().cloned().unwrap_or_default());
    let name = |name: &str| action["ExpressionAttributeNames"][name].as_str().unwrap_or(name).to_owned();
    let (sets, removes) = match expression.strip_prefix("REMOVE ") {
        Some(removes) => ("", removes),
        None => expression.split_once(" REMOVE ").unwrap_or((expression, "")),
    };
    let sets = sets.strip_prefix("SET ").unwrap_or(sets);
    for (attribute, value) in sets.split(", ").filter_map(|set| set.split_once(" = ")) {
        item.insert(name(attribute), action["ExpressionAttributeValues"][value].clone());
    }
    for attribute in removes.split(", ").filter(|attribute| !attribute.is_empty()) {
        item.remove(&name(attribute));
    }
    item
}
