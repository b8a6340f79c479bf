//! Writes in the form of the SDK: conditions and updates as expressions.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::{AttributeValue, Delete, Put, TransactWriteItem, Update};

use crate::client::read::{number, text};
use crate::client::tables::{Change, Condition, ItemWrite};

/// Condition and update of a write as expressions, with their names and values.
#[derive(Debug, Default)]
pub(super) struct Expressions {
    pub(super) condition: Option<String>,
    pub(super) update: Option<String>,
    names: HashMap<String, String>,
    values: HashMap<String, AttributeValue>,
}

impl Expressions {
    pub(super) fn of(write: &ItemWrite) -> Self {
        let mut all = Self::default();
        let conditions: Vec<String> = write.conditions.iter().map(|condition| all.condition(condition)).collect();
        all.condition = (!conditions.is_empty()).then(|| conditions.join(" AND "));
        all.update = match &write.change {
            Change::Put | Change::Delete => None,
            Change::Update { set, remove, increment } => Some(all.update(set, remove, *increment)),
        };
        all
    }

    /// Returns the names; `None` if there are none, as DynamoDB wants it.
    pub(super) fn names(&self) -> Option<HashMap<String, String>> {
        Some(self.names.clone()).filter(|names| !names.is_empty())
    }

    /// Returns the values; `None` if there are none.
    pub(super) fn values(&self) -> Option<HashMap<String, AttributeValue>> {
        Some(self.values.clone()).filter(|values| !values.is_empty())
    }

    fn condition(&mut self, condition: &Condition) -> String {
        match condition {
            Condition::There => "attribute_exists(pk)".to_owned(),
            Condition::NotThere => "attribute_not_exists(pk)".to_owned(),
            Condition::With(name) => format!("attribute_exists({})", self.name(name)),
            Condition::Without(name) => format!("attribute_not_exists({})", self.name(name)),
            Condition::NumberIs(name, value) => format!("{} = {}", self.name(name), self.value(number(*value))),
            Condition::TextIs(name, value) => format!("{} = {}", self.name(name), self.value(text(value))),
            Condition::NotThereOrBelow(name, bound) => {
                format!("attribute_not_exists(pk) OR {} < {}", self.name(name), self.value(number(*bound)))
            }
        }
    }

    fn update(
        &mut self,
        set: &[(String, AttributeValue)],
        remove: &[String],
        increment: Option<&'static str>,
    ) -> String {
        let sets: Vec<String> =
            set.iter().map(|(name, value)| format!("{} = {}", self.name(name), self.value(value.clone()))).collect();
        let removes: Vec<String> = remove.iter().map(|name| self.name(name)).collect();
        let adds: Vec<String> =
            increment.iter().map(|name| format!("{} {}", self.name(name), self.value(number(1_u64)))).collect();
        let clauses = [("SET", sets), ("REMOVE", removes), ("ADD", adds)];
        let clauses = clauses.into_iter().filter(|(_, parts)| !parts.is_empty());
        clauses.map(|(verb, parts)| format!("{verb} {}", parts.join(", "))).collect::<Vec<_>>().join(" ")
    }

    /// Returns the placeholder of a name. Many names are reserved words.
    fn name(&mut self, name: &str) -> String {
        let placeholder = format!("#{name}");
        self.names.insert(placeholder.clone(), name.to_owned());
        placeholder
    }

    /// Returns the placeholder of a value.
    fn value(&mut self, value: AttributeValue) -> String {
        let placeholder = format!(":{}", self.values.len());
        self.values.insert(placeholder.clone(), value);
        placeholder
    }
}

/// Returns a write as an item of a transaction, of the table with this full name.
pub(super) fn transact_item(write: ItemWrite, table: &str) -> TransactWriteItem {
    let expressions = Expressions::of(&write);
    let (names, values) = (expressions.names(), expressions.values());
    let item = TransactWriteItem::builder();
    let item = match write.change {
        Change::Put => {
            let put = Put::builder().table_name(table).set_item(Some(write.item));
            let put = put.set_condition_expression(expressions.condition);
            let put = put.set_expression_attribute_names(names).set_expression_attribute_values(values);
            item.put(put.build().expect("table and item are set"))
        }
        Change::Delete => {
            let delete = Delete::builder().table_name(table).set_key(Some(write.item));
            let delete = delete.set_condition_expression(expressions.condition);
            let delete = delete.set_expression_attribute_names(names).set_expression_attribute_values(values);
            item.delete(delete.build().expect("table and key are set"))
        }
        Change::Update { .. } => {
            let update = Update::builder().table_name(table).set_key(Some(write.item));
            let update = update.set_condition_expression(expressions.condition);
            let update = update.set_update_expression(expressions.update);
            let update = update.set_expression_attribute_names(names).set_expression_attribute_values(values);
            item.update(update.build().expect("table, key and expression are set"))
        }
    };
    item.build()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::read::pk_sk;
    use crate::schema;

    #[test]
    fn conditions_and_changes_become_expressions() {
        let (set, remove) = (vec![("last".to_owned(), number(8_u64))], vec!["c1".to_owned(), "c5".to_owned()]);
        let conditions =
            [Condition::NumberIs("last", 7), Condition::Without("fence"), Condition::TextIs("seen_at", "x".into())];
        let update = Expressions::of(&ItemWrite::update(&schema::REVIEWS, pk_sk("a", "b"), set, remove, conditions));
        assert_eq!(update.condition.as_deref(), Some("#last = :0 AND attribute_not_exists(#fence) AND #seen_at = :1"));
        assert_eq!(update.update.as_deref(), Some("SET #last = :2 REMOVE #c1, #c5"));
        assert_eq!(update.values.len(), 3);
        assert_eq!(update.names["#fence"], "fence");
        let change = Change::Update { set: Vec::new(), remove: Vec::new(), increment: Some("fence") };
        let add = ItemWrite { table: &schema::REVIEWS, item: pk_sk("a", "b"), change, conditions: Vec::new() };
        let add = Expressions::of(&add);
        assert_eq!((add.update.as_deref(), add.condition.as_deref()), (Some("ADD #fence :0"), None));
        let plain = Expressions::of(&ItemWrite::put(&schema::REVIEWS, pk_sk("a", "b"), [Condition::NotThere]));
        assert_eq!((plain.names(), plain.values()), (None, None));
        assert_eq!(plain.condition.as_deref(), Some("attribute_not_exists(pk)"));
    }
}
