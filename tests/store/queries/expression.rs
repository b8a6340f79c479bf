//! Expressions of a request: the attributes and values in them.

use serde_json::Value;

/// Members of a request that are expressions.
pub(super) const EXPRESSIONS: [&str; 5] =
    ["KeyConditionExpression", "FilterExpression", "ProjectionExpression", "ConditionExpression", "UpdateExpression"];

/// Returns every word of an expression: attributes, `#names`, `:values`, keywords.
fn words(expression: &str) -> impl Iterator<Item = &str> {
    let part_of_word = |c: char| c.is_alphanumeric() || "_#:".contains(c);
    expression.split(move |c| !part_of_word(c)).filter(|word| !word.is_empty())
}

/// Returns an expression with its attributes spelled out.
pub(super) fn spelled_out(request: &Value, expression: &str) -> String {
    let mut text = request[expression].as_str().unwrap_or_default().to_owned();
    let mut names: Vec<String> = words(&text).filter(|word| word.starts_with('#')).map(str::to_owned).collect();
    names.sort_unstable_by_key(|name| std::cmp::Reverse(name.len()));
    for name in names {
        text = text.replace(&name, request["ExpressionAttributeNames"][&name].as_str().unwrap_or(&name));
    }
    text
}

/// Returns names and values that are given and not used, or used and not given.
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

/// Returns the number of operands of the longest `IN` in the request.
pub(super) fn longest_in(request: &Value) -> usize {
    let expressions = EXPRESSIONS.iter().filter_map(|name| request[name].as_str());
    let lists = expressions.flat_map(|text| text.split(" IN ").skip(1));
    lists.map(|rest| rest.split(')').next().unwrap_or_default().split(',').count()).max().unwrap_or_default()
}
