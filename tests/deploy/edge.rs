//! Edge before the API, compared with the functions behind it.

use presence_api::{EDGE_HOST_HEADER, EDGE_SECRET_HEADER, EDGE_VIEWER_HEADER};
use serde_json::{Value, json};

use super::template::TEMPLATE;

#[test]
fn functions_of_the_api_check_the_secret_that_the_edge_adds() {
    let headers =
        &TEMPLATE.resource("Distribution").property("DistributionConfig")["Origins"][0]["OriginCustomHeaders"];
    let expected = json!([
        { "HeaderName": EDGE_SECRET_HEADER, "HeaderValue": { "Ref": "EdgeSecret" } },
        { "HeaderName": EDGE_HOST_HEADER, "HeaderValue": { "Ref": "DomainName" } },
    ]);
    assert_eq!(headers, &expected);
    for header in [EDGE_SECRET_HEADER, EDGE_HOST_HEADER] {
        let is_refused = ["x-amz-", "x-amzn-", "x-edge-"].iter().any(|prefix| header.starts_with(prefix));
        assert!(!is_refused, "CloudFront refuses to add {header}");
    }
    let expected = json!({ "Fn::If": ["UsesEdge", { "Ref": "EdgeSecret" }, { "Ref": "AWS::NoValue" }] });
    for (name, function) in TEMPLATE.functions() {
        let is_of_api = ["users", "categories", "reviews", "feed"].contains(&name);
        let secret = &function.property("Environment")["Variables"]["EDGE_SECRET"];
        assert_eq!(secret, if is_of_api { &expected } else { &Value::Null }, "{name}");
    }
}

#[test]
fn the_edge_tells_the_functions_the_address_of_the_client() {
    let code = TEMPLATE.resource("ViewerAddress").property("FunctionCode").as_str().expect("a script");
    assert!(code.contains(&format!("headers['{EDGE_VIEWER_HEADER}'] = {{ value: event.viewer.ip }}")), "{code}");
}
