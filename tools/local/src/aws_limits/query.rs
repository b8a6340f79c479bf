//! Parts of Query and Scan requests that the limits need. The embedded `DynamoDB` judges their conditions.

use serde_json::Value;

/// Returns the value of the partition key that a Query names, as text. Returns `None` for a condition of a form that is not known.
pub(super) fn partition_of(request: &Value, partition_key: &str) -> Option<String> {
    let condition = request["KeyConditionExpression"].as_str()?.replace(['(', ')'], " ");
    // The parts before and after each equals sign: the operands are next to it.
    let parts: Vec<&str> = condition.split('=').collect();
    let mut values = parts.windows(2).filter_map(|sides| {
        let word = sides[0].split_whitespace().next_back()?;
        let name = request["ExpressionAttributeNames"][word].as_str().unwrap_or(word);
        let value = request["ExpressionAttributeValues"].get(sides[1].split_whitespace().next()?)?;
        (name == partition_key).then(|| value.to_string())
    });
    values.next()
}

/// Returns a request for the items of a page before filter and projection.
///
/// Names and values that only these two used are removed: `DynamoDB` refuses unused ones.
pub(super) fn without_projection(request: &Value) -> Value {
    let mut request = request.clone();
    let condition = request["KeyConditionExpression"].as_str().unwrap_or_default().to_owned();
    let used: Vec<&str> =
        condition.split(|letter: char| !(letter.is_alphanumeric() || "#:_".contains(letter))).collect();
    let Some(fields) = request.as_object_mut() else { return request };
    for field in ["ProjectionExpression", "FilterExpression", "Select"] {
        fields.remove(field);
    }
    for field in ["ExpressionAttributeNames", "ExpressionAttributeValues"] {
        if let Some(named) = fields.get_mut(field).and_then(Value::as_object_mut) {
            named.retain(|name, _| used.contains(&name.as_str()));
            if named.is_empty() {
                fields.remove(field);
            }
        }
    }
    request
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn partition_is_found_in_each_form_of_condition() {
        for (condition, is_found) in [
            ("#p = :p", true),
            ("pk=:p AND sk=:a", true),
            ("#p = :p and #s<=:b", true),
            ("(#p = :p) AND (#s > :a)", true),
            ("#s >= :a AND #p = :p", true),
            ("#p = :p AND #s BETWEEN :a AND :b", true),
            ("begins_with(#s, :a) AND #p = :p", true),
            ("#s = :a", false),
            ("#p > :p", false),
            ("#p = :none", false),
            ("nonsense", false),
        ] {
            let request = json!({
                "KeyConditionExpression": condition,
                "ExpressionAttributeNames": { "#p": "pk", "#s": "sk" },
                "ExpressionAttributeValues": { ":p": { "S": "p" }, ":a": { "S": "b" }, ":b": { "S": "d" } },
            });
            let expected = is_found.then(|| json!({ "S": "p" }).to_string());
            assert_eq!(partition_of(&request, "pk"), expected, "{condition}");
        }
        assert_eq!(partition_of(&json!({}), "pk"), None);
    }

    #[test]
    fn projection_and_filter_are_removed_with_their_names_and_values() {
        let request = json!({
            "KeyConditionExpression": "#p = :p", "ProjectionExpression": "#a, #p,c", "Select": "SPECIFIC_ATTRIBUTES",
            "FilterExpression": "#b = :b", "ExpressionAttributeNames": { "#p": "pk", "#a": "a", "#b": "b" },
            "ExpressionAttributeValues": { ":p": { "S": "p" }, ":b": { "S": "b" } },
        });
        let left = json!({
            "KeyConditionExpression": "#p = :p", "ExpressionAttributeNames": { "#p": "pk" },
            "ExpressionAttributeValues": { ":p": { "S": "p" } },
        });
        assert_eq!(without_projection(&request), left);
        let scan =
            json!({ "FilterExpression": "b = :b", "ExpressionAttributeValues": { ":b": { "S": "b" } }, "Limit": 1 });
        assert_eq!(without_projection(&scan), json!({ "Limit": 1 }));
    }
}
