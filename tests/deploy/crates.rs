//! Dependencies of the crates: the arrows of the architecture, as `cargo metadata` reports them.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde_json::Value;

use super::template::root;

/// Crates of the workspace that each crate may depend on. Tools may depend on every floor below them, and tests on everything.
const ALLOWED: [(&str, &[&str]); 16] = [
    ("presence-domain", &[]),
    ("presence-ledger", &["presence-domain"]),
    ("presence-runtime", &["presence-domain"]),
    ("presence-texts", &["presence-domain"]),
    ("presence-store", &["presence-domain", "presence-ledger", "presence-runtime"]),
    ("presence-api", &["presence-domain", "presence-runtime", "presence-store"]),
    ("presence-users", &API_FUNCTION),
    ("presence-categories", &API_FUNCTION),
    ("presence-reviews", &API_FUNCTION),
    // The feed function tries a webhook, as the deliverer sends to it.
    (
        "presence-feed",
        &[
            "presence-api",
            "presence-deliverer",
            "presence-domain",
            "presence-runtime",
            "presence-store",
            "presence-texts",
        ],
    ),
    ("presence-deliverer", &["presence-domain", "presence-runtime", "presence-store"]),
    // The mailer and the auditor serve no HTTP, so they do without presence-api.
    ("presence-mailer", &["presence-domain", "presence-runtime", "presence-store", "presence-texts"]),
    ("presence-auditor", &["presence-domain", "presence-runtime", "presence-store"]),
    ("presence-publisher", &["presence-domain", "presence-runtime", "presence-store"]),
    ("presence-ingest", &["presence-domain", "presence-ledger", "presence-runtime", "presence-store"]),
    // The program of the mailer has an SDK that the local stack does without.
    ("presence-mailer-lambda", &["presence-domain", "presence-mailer", "presence-runtime", "presence-store"]),
];

const API_FUNCTION: [&str; 5] =
    ["presence-api", "presence-domain", "presence-runtime", "presence-store", "presence-texts"];

/// Crates that must not be in the tree of a crate, by the start of their names, with the reason.
const FORBIDDEN: [(&str, &[&str], &str); 6] = [
    (
        "presence-domain",
        &["aws-", "lambda", "http", "hyper", "serde_dynamo", "utoipa", "tokio", "futures", "tracing"],
        "the domain is pure",
    ),
    (
        "presence-ledger",
        &["aws-", "lambda", "http", "hyper", "serde_dynamo", "tokio"],
        "the ledger knows a trait of its table alone",
    ),
    ("presence-mailer-lambda", &["lambda_http", "argon2"], "the mailer serves no HTTP and sees no password"),
    ("presence-auditor", &["lambda_http", "argon2"], "the auditor serves no HTTP and sees no password"),
    ("presence-publisher", &["lambda_http", "argon2"], "the publisher serves no HTTP and sees no password"),
    ("presence-ingest", &["lambda_http", "argon2"], "ingest serves no HTTP and sees no password"),
];

/// Names of the dependencies of each crate, without those of tests, by the name of the crate.
pub(super) type Dependencies = BTreeMap<String, BTreeSet<String>>;

fn host_platform() -> String {
    let output = Command::new("rustc").arg("-vV").output().expect("rustc runs");
    let version = String::from_utf8(output.stdout).expect("text");
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    host.expect("a line with the host").to_owned()
}

fn cargo_metadata() -> Value {
    let output = Command::new(env!("CARGO"))
        // Other platforms have dependencies of their own, such as those of a browser. Those of this one are all downloaded.
        .args(["metadata", "--format-version", "1", "--locked", "--offline", "--filter-platform", &host_platform()])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// Returns the dependencies that cargo resolved, features and platforms considered.
fn resolved_dependencies(metadata: &Value) -> Dependencies {
    let array = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let names: BTreeMap<String, String> =
        array(&metadata["packages"]).iter().map(|package| (text(&package["id"]), text(&package["name"]))).collect();
    let is_normal = |dependency: &Value| array(&dependency["dep_kinds"]).iter().any(|kind| kind["kind"].is_null());
    array(&metadata["resolve"]["nodes"])
        .iter()
        .map(|node| {
            let dependencies = array(&node["deps"]);
            let normal = dependencies.iter().filter(|dependency| is_normal(dependency));
            (names[&text(&node["id"])].clone(), normal.map(|one| names[&text(&one["pkg"])].clone()).collect())
        })
        .collect()
}

/// Returns every crate below a crate.
pub(super) fn tree_of(name: &str, dependencies: &Dependencies) -> BTreeSet<String> {
    let (mut tree, mut unvisited) = (BTreeSet::new(), vec![name.to_owned()]);
    while let Some(name) = unvisited.pop() {
        for dependency in dependencies.get(&name).into_iter().flatten() {
            if tree.insert(dependency.clone()) {
                unvisited.push(dependency.clone());
            }
        }
    }
    tree
}

/// Returns the arrows that the architecture does not have, and the forbidden crates in a tree.
fn violations(dependencies: &Dependencies) -> Vec<String> {
    let mut violations = Vec::new();
    for (name, allowed) in ALLOWED {
        for dependency in dependencies[name].iter().filter(|dependency| dependency.starts_with("presence-")) {
            if !allowed.contains(&dependency.as_str()) {
                violations.push(format!("{name} → {dependency}"));
            }
        }
    }
    for (name, forbidden, reason) in FORBIDDEN {
        for found in tree_of(name, dependencies) {
            if forbidden.iter().any(|start| found.starts_with(start)) {
                violations.push(format!("{name} → … → {found}: {reason}"));
            }
        }
    }
    violations
}

#[test]
fn crates_depend_on_those_below_them_only() {
    let dependencies = resolved_dependencies(&cargo_metadata());
    assert_eq!(violations(&dependencies), Vec::<String>::new());
    let deployed: BTreeSet<_> = ALLOWED.iter().map(|(name, _)| *name).collect();
    for name in dependencies.keys().filter(|name| name.starts_with("presence-") && !deployed.contains(name.as_str())) {
        let tools = ["bench", "docs", "fuzz", "local", "ops", "tests"];
        let is_tool = name.strip_prefix("presence-").is_some_and(|name| tools.contains(&name));
        assert!(is_tool, "{name} has no row in the table");
    }
}

#[test]
fn an_arrow_upwards_and_a_forbidden_crate_are_found() {
    let mut dependencies = resolved_dependencies(&cargo_metadata());
    dependencies.get_mut("presence-domain").expect("the domain").insert("presence-store".to_owned());
    let found = violations(&dependencies);
    assert!(found.contains(&"presence-domain → presence-store".to_owned()), "{found:?}");
    assert!(found.iter().any(|violation| violation.starts_with("presence-domain → … → aws-")), "{found:?}");
}

/// Returns each crate of a selection with its features, as `cargo tree` prints them: `NAME vVERSION|FEATURES`.
fn crates_with_features(selection: &[&str]) -> BTreeSet<String> {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--quiet", "--locked", "--offline", "--prefix", "none", "--format", "{p}|{f}"])
        .args(["--target", &host_platform()])
        .args(selection)
        .current_dir(root())
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("text");
    text.lines().map(|line| line.trim_end_matches(" (*)").to_owned()).collect()
}

/// `cargo run` and `cargo ops` resolve features without those of tests, `cargo test` with them, and `tools/ci/compile` takes the
/// benchmarks, too. A crate with other features, and all that use it, are compiled a second time.
#[test]
fn commands_compile_crates_of_others_with_the_same_features() {
    let run = crates_with_features(&["--edges", "normal,build"]);
    let is_registry_crate = |line: &&String| !line.contains("/presence") && !line.contains(" (/");
    for (command, selection) in [
        ("cargo test", &["--edges", "normal,build,dev"][..]),
        ("cargo test --workspace", &["--edges", "normal,build,dev", "--workspace"]),
    ] {
        let other = crates_with_features(selection);
        let missing: Vec<_> = run.difference(&other).filter(is_registry_crate).collect();
        assert!(missing.is_empty(), "`cargo run` compiles these with other features than `{command}`: {missing:#?}");
    }
    assert!(run.iter().any(|line| line.starts_with("aws-sdk-dynamodb ")));
    // With a package, cargo resolves the features of that package alone.
    let aliases = std::fs::read_to_string(root().join(".cargo/config.toml")).expect("the aliases");
    assert!(!aliases.contains("--package") && !aliases.contains(" -p "), "{aliases}");
}

/// Returns the features of each crate that a function is built with, by name and version.
fn features_of(function: &str) -> BTreeMap<String, String> {
    let selection = ["--edges", "normal", "--package", &format!("presence-{function}")];
    let crates = crates_with_features(&selection);
    crates.iter().filter_map(|line| line.split_once('|')).map(|(name, of)| (name.to_owned(), of.to_owned())).collect()
}

/// `sam build` builds each function alone. A crate with other features, and all that use it, are built a second time.
#[test]
fn functions_that_share_a_crate_build_it_with_the_same_features() {
    let mut first: BTreeMap<String, (&str, String)> = BTreeMap::new();
    for function in ["users", "categories", "reviews", "mailer-lambda", "auditor", "publisher"] {
        for (name, features) in features_of(function) {
            let (other, seen) = first.entry(name.clone()).or_insert((function, features.clone()));
            assert_eq!(*seen, features, "{name} in {other} and {function}");
        }
    }
    assert!(first.keys().any(|name| name.starts_with("aws-sdk-dynamodb ")));
}

/// Most crates that a function is built with: those of this workspace and macros count, too. `shared/docs/code-map.md` has the reasons.
const MOST_CRATES: usize = 186;

#[test]
fn no_function_has_more_crates_than_the_code_map_accounts_for() {
    for function in ["users", "categories", "reviews", "mailer-lambda", "auditor", "publisher", "ingest"] {
        let crates = features_of(function).len();
        assert!(crates <= MOST_CRATES, "{function}: {crates}");
    }
}

/// The bundle of all stores is for tools and tests. A function names the stores that it uses.
#[test]
fn functions_name_no_bundle_of_all_stores() {
    for function in ["auditor", "categories", "mailer", "publisher", "reviews", "users"] {
        let folder = root().join("functions").join(function);
        let mut folders = vec![folder.join("src"), folder.join("lambda/src")];
        folders.retain(|folder| folder.exists());
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).expect("a folder") {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let text = std::fs::read_to_string(&path).expect("a file");
                    assert!(!text.contains("Stores"), "{}", path.display());
                }
            }
        }
    }
}
