//! Routes of the template compared with the tables of routes in the code.

use std::collections::{BTreeMap, BTreeSet};

use presence_api::Route;
use presence_local::gateway::RouteTable;
use serde_json::json;

use super::fixture::BACKGROUND;
use super::template::{TEMPLATE, root};

/// Route keys of a function: those of its operations, and the others (pages, catch-all routes).
struct Keys {
    operations: BTreeSet<String>,
    others: BTreeSet<String>,
}

fn keys<Operation>(routes: &[Route<Operation>], others: &[&[&str]]) -> Keys {
    Keys {
        operations: routes.iter().map(|route| format!("{} {}", route.method, route.path)).collect(),
        others: others.concat().into_iter().map(str::to_owned).collect(),
    }
}

fn of_the_code() -> BTreeMap<&'static str, Keys> {
    [
        ("users", keys(&presence_users::ROUTES, &[&presence_users::CATCH_ALL, &presence_users::PAGES])),
        (
            "categories",
            keys(&presence_categories::ROUTES, &[&presence_categories::CATCH_ALL, &presence_categories::DOCUMENTS]),
        ),
        ("reviews", keys(&presence_reviews::ROUTES, &[&presence_reviews::CATCH_ALL])),
        ("feed", keys(&presence_feed::ROUTES, &[&presence_feed::CATCH_ALL])),
        ("mailer", keys::<()>(&[], &[])),
        ("deliverer", keys::<()>(&[], &[])),
        ("auditor", keys::<()>(&[], &[])),
        ("ingest", keys::<()>(&[], &[])),
        ("publisher", keys::<()>(&[], &[])),
        ("replies", keys::<()>(&[], &[])),
    ]
    .into()
}

/// Returns the route keys of the template, each with its function.
pub(super) fn of_the_template() -> Vec<(String, &'static str)> {
    let mut keys = Vec::new();
    for (name, function) in TEMPLATE.functions() {
        let events = function.property("Events").as_object().expect("events").values();
        for event in events.filter(|event| event["Type"] == "HttpApi") {
            let properties = &event["Properties"];
            assert_eq!(properties["ApiId"], json!({ "Ref": "Api" }), "of the one API");
            let text = |name: &str| properties[name].as_str().expect("a text");
            keys.push((format!("{} {}", text("Method"), text("Path")), name));
        }
    }
    keys
}

#[test]
fn each_route_of_the_code_is_one_route_of_the_template_and_leads_to_its_function() {
    let declared = of_the_template();
    for (function, keys) in of_the_code() {
        let mut declared: Vec<_> = declared.iter().filter(|(_, name)| *name == function).map(|(key, _)| key).collect();
        declared.sort_unstable();
        let expected: Vec<_> = keys.operations.union(&keys.others).collect();
        assert_eq!(declared, expected, "{function}");
    }
    RouteTable::new(declared).expect("no two routes mean the same requests");
}

#[test]
fn each_operation_and_page_has_limits_of_its_own_and_no_other_route_has_limits() {
    let api = TEMPLATE.resource("Api");
    let settings = api.property("RouteSettings").as_object().expect("settings");
    let mut expected: BTreeSet<String> = presence_users::PAGES.into_iter().map(str::to_owned).collect();
    expected.extend(of_the_code().into_values().flat_map(|keys| keys.operations));
    assert_eq!(settings.keys().cloned().collect::<BTreeSet<_>>(), expected);
    for limits in settings.values().chain([api.property("DefaultRouteSettings")]) {
        let (rate, burst) = (limits["ThrottlingRateLimit"].as_u64(), limits["ThrottlingBurstLimit"].as_u64());
        assert!(rate.is_some_and(|rate| rate > 0) && burst >= rate, "{limits}");
    }
}

#[test]
fn there_is_one_api_on_the_default_stage() {
    let apis: Vec<_> = TEMPLATE.resources().filter(|one| one.kind().ends_with("Api")).collect();
    assert_eq!(apis.len(), 1);
    assert_eq!(apis[0].kind(), "AWS::Serverless::HttpApi");
    assert_eq!(apis[0].property("StageName"), "$default");
    for (name, function) in TEMPLATE.functions() {
        let variable = &function.property("Environment")["Variables"]["AWS_LAMBDA_HTTP_IGNORE_STAGE_IN_PATH"];
        assert_eq!(variable == "true", name != "replies" && !BACKGROUND.contains(&name), "{name}");
    }
}

/// The routes that `cargo lambda watch` is told in `Cargo.toml`, each with its function.
fn of_cargo_lambda() -> Vec<(String, String)> {
    let manifest = std::fs::read_to_string(root().join("Cargo.toml")).expect("a file");
    let (_, section) = manifest.split_once("[workspace.metadata.lambda.watch.router]\n").expect("a section");
    let lines = section.lines().take_while(|line| !line.is_empty());
    let unquoted = |text: &str| text.trim_matches('"').to_owned();
    lines.filter_map(|line| line.split_once(" = ")).map(|(path, name)| (unquoted(path), unquoted(name))).collect()
}

#[test]
fn cargo_lambda_hands_each_path_to_the_function_that_has_it_in_the_template() {
    let told = of_cargo_lambda();
    // The gateway writes the rest of a path in another way.
    let key = |path: &str| format!("ANY {}", path.replace("{*rest}", "{rest+}"));
    let keys = told.into_iter().map(|(path, function)| (key(&path), function));
    let table = RouteTable::new(keys).expect("routes");
    for (key, function) in of_the_template() {
        let (_, path) = key.split_once(' ').expect("a method and a path");
        let found = table.find(&http::Method::GET, path.as_bytes()).expect("a function for every path");
        assert_eq!(*found.function, function, "{key}");
    }
}
