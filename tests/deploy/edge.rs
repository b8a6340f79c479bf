//! Edge before the API, compared with the functions behind it.

use presence_api::{EDGE_HOST_HEADER, EDGE_SECRET_HEADER};
use serde_json::{Value, json};

use super::template::{TEMPLATE, main_template, read};

fn distribution() -> &'static Value {
    TEMPLATE.resource("Distribution").property("DistributionConfig")
}

#[test]
fn the_edge_is_off_and_needs_its_parts() {
    assert_eq!(TEMPLATE.at(&["Parameters", "EdgeProtection", "Default"]), "false");
    assert_eq!(TEMPLATE.resource("Edge").attribute("Condition"), "UsesEdge");
    assert_eq!(TEMPLATE.at(&["Parameters", "EdgeSecret", "NoEcho"]), true);
    let assertions = TEMPLATE.at(&["Rules", "EdgeIsComplete", "Assertions"]).to_string();
    for part in ["DomainName", "EdgeFirewallArn", "EdgeSecret"] {
        assert!(assertions.contains(part), "{part}");
    }
}

#[test]
fn functions_of_the_api_check_the_secret_that_the_edge_adds() {
    let headers = &distribution()["Origins"][0]["OriginCustomHeaders"];
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
        let is_of_api = ["users", "categories", "reviews"].contains(&name);
        let secret = &function.property("Environment")["Variables"]["EDGE_SECRET"];
        assert_eq!(secret, if is_of_api { &expected } else { &Value::Null }, "{name}");
    }
}

#[test]
fn the_edge_caches_nothing_takes_every_method_and_speaks_https_only() {
    let behavior = &distribution()["DefaultCacheBehavior"];
    assert_eq!(behavior["CachePolicyId"], "4135ea2d-6df8-44a3-9df3-4b5a84be39ad", "CachingDisabled");
    assert_eq!(behavior["OriginRequestPolicyId"], "b689b0a8-53d0-40ab-baf2-68738e2966ac", "AllViewerExceptHostHeader");
    assert_eq!(behavior["ViewerProtocolPolicy"], "https-only");
    assert_eq!(behavior["AllowedMethods"].as_array().map(Vec::len), Some(7));
    assert_eq!(distribution()["Origins"][0]["CustomOriginConfig"]["OriginProtocolPolicy"], "https-only");
    assert_eq!(distribution().get("Logging"), None, "its log would have query strings, and in them keys");
    assert_eq!(distribution()["WebACLId"], json!({ "Ref": "EdgeFirewallArn" }));
}

#[test]
fn the_domain_is_that_of_the_edge_or_of_the_api() {
    for resource in ["Domain", "DomainMapping"] {
        assert_eq!(TEMPLATE.resource(resource).attribute("Condition"), "ApiHasDomain", "{resource}");
    }
    let condition = json!({ "Fn::And": [{ "Condition": "HasDomain" }, { "Fn::Not": [{ "Condition": "UsesEdge" }] }] });
    assert_eq!(main_template()["Conditions"]["ApiHasDomain"], condition);
    // The edge calls the address that AWS gives to the API.
    let closed = TEMPLATE.resource("Api").property("DisableExecuteApiEndpoint");
    assert_eq!(closed, &json!({ "Fn::If": ["ApiHasDomain", true, false] }));
}

#[test]
fn the_firewall_refuses_addresses_in_the_envelope_of_the_api_and_logs_no_request() {
    let firewall = read("shared/stacks/edge-firewall.yaml");
    let acl = &firewall["Resources"]["Firewall"]["Properties"];
    assert_eq!((&acl["Scope"], &acl["DefaultAction"]), (&json!("CLOUDFRONT"), &json!({ "Allow": {} })));
    let rule = &acl["Rules"][0];
    assert_eq!(rule["Statement"]["RateBasedStatement"]["AggregateKeyType"], "IP");
    let answer = &rule["Action"]["Block"]["CustomResponse"];
    assert_eq!(answer["ResponseCode"], 429);
    let body =
        acl["CustomResponseBodies"][answer["CustomResponseBodyKey"].as_str().expect("a name")]["Content"].as_str();
    let body: Value = serde_json::from_str(body.expect("a text")).expect("JSON");
    assert!(body["errors"]["json"].as_str().is_some_and(|text| text.starts_with("too many requests")), "{body}");
    for visibility in [&acl["VisibilityConfig"], &rule["VisibilityConfig"]] {
        assert_eq!(visibility["SampledRequestsEnabled"], false, "samples have keys");
    }
    let (limit, default) = (300 * 5, &firewall["Parameters"]["RequestsPerFiveMinutes"]["Default"]);
    assert!(default.as_u64().is_some_and(|default| default >= 2 * limit), "an address may use several keys: {default}");
}
