//! Expressions of a request: the attributes and values in them.

use serde_json::Value;

/// Words of the expressions' grammar; everything else that is a word is an attribute.
const KEYWORDS: [&str; 16] = [
    "AND",
    "OR",
    "NOT",
    "IN",
    "BETWEEN",
    "SET",
    "ADD",
    "REMOVE",
    "DELETE",
    "attribute_exists",
    "attribute_not_exists",
    "attribute_type",
    "begins_with",
    "contains",
    "size",
    "if_not_exists",
];

/// The members of a request that are expressions.
pub(super) const EXPRESSIONS: [&str; 5] =
    ["KeyConditionExpression", "FilterExpression", "ProjectionExpression", "ConditionExpression", "UpdateExpression"];

/// Every word of an expression: attributes, `#names`, `:values`, keywords.
fn words(expression: &str) -> impl Iterator<Item = &str> {
    let part_of_word = |c: char| c.is_alphanumeric() || "_#:".contains(c);
    expression.split(move |c| !part_of_word(c)).filter(|word| !word.is_empty())
}

/// The attributes that one expression of the request names, in their order.
pub(super) fn attributes(request: &Value, expression: &str) -> Vec<String> {
    let text = request[expression].as_str().unwrap_or_default();
    let names = words(text).filter(|word| !word.starts_with(':') && !KEYWORDS.contains(word));
    names.map(|word| real_name(request, word)).collect()
}

/// An expression with its attributes spelled out.
pub(super) fn spelled_out(request: &Value, expression: &str) -> String {
    let mut text = request[expression].as_str().unwrap_or_default().to_owned();
    let mut names: Vec<&str> = words(&text).filter(|word| word.starts_with('#')).collect();
    names.sort_unstable_by_key(|name| std::cmp::Reverse(name.len()));
    let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
    for name in names {
        text = text.replace(&name, &real_name(request, &name));
    }
    text
}

fn real_name(request: &Value, word: &str) -> String {
    request["ExpressionAttributeNames"][word].as_str().unwrap_or(word).to_owned()
}

/// Names and values that are given and not used, or used and not given.
pub(super) fn loose_ends(request: &Value) -> Vec<String> {
    let used: Vec<&str> = EXPRESSIONS.iter().filter_map(|name| request[name].as_str()).flat_map(words).collect();
    let mut loose = Vec::new();
    for (sign, member) in [('#', "ExpressionAttributeNames"), (':', "ExpressionAttributeValues")] {
        let given: Vec<&str> =
            request[member].as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect();
        let used = used.iter().copied().filter(|word| word.starts_with(sign));
        loose.extend(used.clone().filter(|word| !given.contains(word)).map(str::to_owned));
        loose.extend(given.iter().filter(|name| !used.clone().any(|word| word == **name)).map(ToString::to_string));
    }
    loose
}

/// The most operands of an `IN` in the request.
pub(super) fn longest_in(request: &Value) -> usize {
    let expressions = EXPRESSIONS.iter().filter_map(|name| request[name].as_str());
    let lists = expressions.flat_map(|text| text.split(" IN ").skip(1));
    lists.map(|rest| rest.split(')').next().unwrap_or_default().split(',').count()).max().unwrap_or_default()
}
