//! Actions of a call on single items, whichever operation it is.

use std::sync::Arc;

use serde_json::{Value, json};

use super::conflicts::CallKind;
use super::item::Item;
use super::layer::{Call, Layer};
use super::tables::{ItemName, TableInfo};
use super::upstream::UpstreamError;

/// Form of a call on single items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallForm {
    /// One item, as in `PutItem`.
    Single,
    /// Items that succeed or fail one by one.
    Batch,
    /// Items that succeed or fail together.
    Transaction,
}

/// Action on one item: a read, a write, or a condition of a transaction.
#[derive(Clone, Debug)]
pub(super) struct ItemAction {
    pub(super) table: Arc<TableInfo>,
    pub(super) name: ItemName,
    pub(super) key: Item,
    pub(super) body: Value,
    /// Whole item of a put.
    pub(super) put: Option<Item>,
    pub(super) is_write: bool,
    /// Element of a batch that has this action: a key, or a write.
    pub(super) element: Value,
}

/// Action that is not checked yet.
struct RawAction<'a> {
    kind: &'a str,
    table: &'a str,
    body: Value,
    element: Value,
}

impl Call {
    pub(super) fn form(&self) -> CallForm {
        match self.operation.as_str() {
            "BatchGetItem" | "BatchWriteItem" => CallForm::Batch,
            "TransactGetItems" | "TransactWriteItems" => CallForm::Transaction,
            _ => CallForm::Single,
        }
    }

    /// True if the call writes items.
    pub(super) fn is_write(&self) -> bool {
        !self.operation.contains("Get")
    }

    /// Returns the kind of the call by its conflicts; `None` for a call that conflicts with none.
    pub(super) fn conflict_kind(&self) -> Option<CallKind> {
        match (self.form(), self.is_write()) {
            (CallForm::Transaction, true) => Some(CallKind::WriteTransaction),
            (CallForm::Transaction, false) => Some(CallKind::ReadTransaction),
            (CallForm::Single, true) => Some(CallKind::SingleWrite),
            _ => None,
        }
    }

    /// Returns the actions of the call; `None` if it has another form than the API describes.
    fn raw_actions(&self) -> Option<Vec<RawAction<'_>>> {
        match self.operation.as_str() {
            "TransactGetItems" | "TransactWriteItems" => {
                let items = self.body["TransactItems"].as_array()?.iter();
                let actions = items.map(|item| {
                    let (kind, body) = item.as_object()?.iter().next()?;
                    let table = body["TableName"].as_str()?;
                    Some(RawAction { kind, table, body: body.clone(), element: Value::Null })
                });
                actions.collect()
            }
            "BatchGetItem" => {
                let mut actions = Vec::new();
                for (table, request) in self.body["RequestItems"].as_object()? {
                    actions.extend(request["Keys"].as_array()?.iter().map(|key| RawAction {
                        kind: "Get",
                        table,
                        body: json!({ "Key": key }),
                        element: key.clone(),
                    }));
                }
                Some(actions)
            }
            "BatchWriteItem" => {
                let mut actions = Vec::new();
                for (table, writes) in self.body["RequestItems"].as_object()? {
                    for element in writes.as_array()? {
                        let (kind, body) = element.as_object()?.iter().next()?;
                        actions.push(RawAction { kind, table, body: body.clone(), element: element.clone() });
                    }
                }
                Some(actions)
            }
            operation => {
                let table = self.body["TableName"].as_str()?;
                Some(vec![RawAction { kind: operation, table, body: self.body.clone(), element: Value::Null }])
            }
        }
    }
}

impl Layer {
    /// Parses the actions of a call. Returns `None` if DynamoDB will refuse it: for its form, without a table, or without a key.
    pub(super) async fn parse_actions(&self, call: &Call) -> Result<Option<Vec<ItemAction>>, UpstreamError> {
        let Some(raw_actions) = call.raw_actions() else { return Ok(None) };
        let mut actions = Vec::new();
        for RawAction { kind, table, body, element } in raw_actions {
            let Some(table) = self.table_info(call, table).await? else { return Ok(None) };
            let put = body["Item"].as_object().cloned();
            let key = put.as_ref().or(body["Key"].as_object()).and_then(|item| table.key_of(item));
            let Some((name, key)) = key.and_then(|key| Some((table.item_name(&key)?, key))) else { return Ok(None) };
            let is_write = call.is_write() && kind != "ConditionCheck";
            actions.push(ItemAction { table, name, key, body, put, is_write, element });
        }
        Ok(Some(actions))
    }
}
