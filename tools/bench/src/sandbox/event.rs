//! Events of the API gateway, of the stream and of the schedule.

use serde_json::{Value, json};

/// Returns the event of a GET request.
pub(crate) fn get(route_key: &str, path: &str, query: &str, key: &str) -> String {
    request(route_key, path, query, key, &Value::Null)
}

/// Returns the event of a request to the HTTP API, payload format 2.0. Null stands for no body.
pub(crate) fn request(route_key: &str, path: &str, query: &str, key: &str, body: &Value) -> String {
    let (method, route) = route_key.split_once(' ').unwrap_or(("GET", route_key));
    let mut event = json!({
        "version": "2.0",
        "routeKey": route_key,
        "rawPath": path,
        "rawQueryString": query,
        "headers": { "accept": "*/*", "host": "api.presence.example", "x-api-key": key, "x-forwarded-proto": "https" },
        "requestContext": {
            "accountId": "123456789012",
            "apiId": "a1b2c3d4e5",
            "domainName": "api.presence.example",
            "http": { "method": method, "path": path, "protocol": "HTTP/1.1", "sourceIp": "192.0.2.1", "userAgent": "bench" },
            "requestId": "JKJaXmPLvHcESHA=",
            "routeKey": route_key,
            "stage": "$default",
            "time": "10/Mar/2026:06:00:10 +0000",
            "timeEpoch": 1_773_122_410_000_u64,
        },
        "isBase64Encoded": false,
    });
    for (name, value) in path_parameters(route, path) {
        event["pathParameters"][name] = value.into();
    }
    if !body.is_null() {
        event["headers"]["content-type"] = "application/json".into();
        event["body"] = body.to_string().into();
    }
    event.to_string()
}

/// Returns the event with a header, which replaces one of the same name.
pub(crate) fn with_header(event: &str, name: &str, value: &str) -> serde_json::Result<String> {
    let mut event: Value = serde_json::from_str(event)?;
    event["headers"][name] = value.into();
    Ok(event.to_string())
}

/// Returns the name and the value of each parameter of a route.
fn path_parameters<'a>(route: &'a str, path: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
    let parts = route.split('/').zip(path.split('/'));
    parts.filter_map(|(name, value)| Some((name.strip_prefix('{')?.strip_suffix('}')?, value)))
}

/// Returns a batch of the users table's stream: one outbox message that is due.
pub(crate) fn mail(user_id: &str) -> String {
    json!({ "Records": [{
        "eventID": "7f1c2a90d5b34e6f8a7b6c5d4e3f2a1b",
        "eventName": "INSERT",
        "eventVersion": "1.1",
        "eventSource": "aws:dynamodb",
        "awsRegion": "eu-west-1",
        "dynamodb": {
            "ApproximateCreationDateTime": 1_773_122_410,
            "Keys": { "pk": { "S": format!("USER#{user_id}") }, "sk": { "S": "MAIL#0" } },
            "NewImage": { "user_id": { "S": user_id }, "due_at": { "N": "0" } },
            "SequenceNumber": "111",
            "SizeBytes": 200,
            "StreamViewType": "NEW_IMAGE",
        },
    }] })
    .to_string()
}

/// Returns the event of the schedule.
pub(crate) fn sweep() -> String {
    json!({ "source": "aws.scheduler" }).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn request_event_has_its_parameter_and_body() {
        let event = request("POST /user/{user_id}/invite", "/user/17/invite", "", "k", &json!({ "a": 1 }));
        let event: Value = serde_json::from_str(&event).expect("JSON");
        assert_eq!(event["pathParameters"], json!({ "user_id": "17" }));
        assert_eq!(
            (&event["body"], &event["headers"]["content-type"]),
            (&json!("{\"a\":1}"), &json!("application/json"))
        );
        assert_eq!(event["requestContext"]["http"]["method"], "POST");
        let event = get("GET /user/me", "/user/me", "", "k");
        let event = with_header(&event, "accept", "text/html").expect("JSON");
        let event: Value = serde_json::from_str(&event).expect("JSON");
        assert!(event.get("pathParameters").is_none() && event.get("body").is_none());
        assert_eq!((&event["headers"]["accept"], &event["headers"]["x-api-key"]), (&json!("text/html"), &json!("k")));
    }
}
