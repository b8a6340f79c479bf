//! Processes of the next version of the service, beside those of this one: each item that they put has one attribute more.

use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use presence_tests::connectors::{Answer, Next};
use presence_tests::{ConnectorLayer, operation_of};
use serde_json::{Value, json};

/// Attribute that this version does not know.
const ATTRIBUTE: &str = "of_next_version";

/// Connector of a process.
#[derive(Clone)]
pub(crate) struct VersionConnector {
    pub(crate) is_next: bool,
}

impl ConnectorLayer for VersionConnector {
    async fn call(&self, mut request: HttpRequest, next: Next) -> Answer {
        let bytes = request.body().bytes().filter(|_| self.is_next && puts(&request));
        if let Some(mut body) = bytes.and_then(|bytes| serde_json::from_slice(bytes).ok()) {
            add_attribute(&mut body);
            *request.body_mut() = body.to_string().into();
        }
        next.call(request).await
    }
}

/// True for an operation that may put items.
fn puts(request: &HttpRequest) -> bool {
    matches!(operation_of(request), "PutItem" | "TransactWriteItems")
}

/// Adds the attribute to each item that a request puts.
fn add_attribute(body: &mut Value) {
    let writes = body["TransactItems"].as_array_mut().into_iter().flatten();
    for put in writes.filter_map(|write| write.get_mut("Put")) {
        put["Item"][ATTRIBUTE] = json!({ "S": "new" });
    }
    if let Some(item) = body.get_mut("Item") {
        item[ATTRIBUTE] = json!({ "S": "new" });
    }
}
