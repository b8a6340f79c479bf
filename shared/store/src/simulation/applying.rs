//! Writes of single items, as `DynamoDB` carries them out.

use aws_sdk_dynamodb::types::AttributeValue;

use crate::client::read::{Item, number};
use crate::client::tables::{Change, Condition, ItemWrite};

/// True if all conditions of a write hold for the stored item.
pub(crate) fn holds(write: &ItemWrite, stored: Option<&Item>) -> bool {
    write.conditions.iter().all(|condition| match condition {
        Condition::There => stored.is_some(),
        Condition::NotThere => stored.is_none(),
        Condition::With(name) => stored.is_some_and(|item| item.contains_key(*name)),
        Condition::Without(name) => stored.is_none_or(|item| !item.contains_key(*name)),
        Condition::NumberIs(name, value) => number_of(stored, name) == Some(*value),
        Condition::TextIs(name, value) => {
            stored.and_then(|item| item.get(*name)?.as_s().ok()).is_some_and(|text| text == value)
        }
        Condition::NotThereOrBelow(name, bound) => {
            stored.is_none() || number_of(stored, name).is_some_and(|number| number < *bound)
        }
    })
}

/// Returns the item after a write.
pub(crate) fn applied(write: ItemWrite, stored: Option<Item>) -> Option<Item> {
    match write.change {
        Change::Put => Some(write.item),
        Change::Delete => None,
        Change::Update { set, remove, increment } => {
            let mut item = stored.unwrap_or(write.item);
            item.extend(set);
            for name in &remove {
                item.remove(name);
            }
            if let Some(name) = increment {
                let next = number_of(Some(&item), name).unwrap_or_default() + 1;
                item.insert(name.to_owned(), number(next));
            }
            Some(item)
        }
    }
}

fn number_of(item: Option<&Item>, name: &str) -> Option<u64> {
    match item?.get(name)? {
        AttributeValue::N(digits) => digits.parse().ok(),
        _ => None,
    }
}
