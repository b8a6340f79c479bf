//! Calls to DynamoDB that are not retried while they are throttled: each has its reason here.

use std::fs;
use std::path::{Path, PathBuf};

/// File below `shared/store/src`, number of calls in it that no closure repeats, and the reason.
const UNRETRIED: [(&str, usize, &str); 7] = [
    ("api_keys/buckets.rs", 1, "a lease must not hold a request up, and a repeated one takes more tokens"),
    ("api_keys/mod.rs", 1, "the next request records the use of the key"),
    ("client/database.rs", 3, "the first call of a process is a try; tables are created by hand, and again"),
    ("client/dynamo_db.rs", 2, "both have loops of their own, which know what a cancelled transaction means"),
    ("idempotency.rs", 1, "stands in the closure of a retry"),
    ("restore.rs", 9, "the steps of a restore are repeated as a whole"),
    ("table_state.rs", 2, "one stands in the closure of a retry; the other takes the date of a refusal, too"),
];

/// Returns the sources below a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let (folders, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    let files = files.into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "rs"));
    files.chain(folders.iter().flat_map(|folder| sources(folder))).collect()
}

/// Returns the number of calls in a source that are not the body of a closure: a retry must be able to repeat them.
fn count_unretried(source: &str) -> usize {
    let source = source.split("\n#[cfg(test)]").next().unwrap_or_default();
    let ends = source.match_indices(".send()").map(|(end, _)| &source[..end]);
    let statements = ends.map(|before| before.rsplit([';', '{', '}']).next().unwrap_or_default());
    statements.filter(|statement| !statement.contains("|| ")).count()
}

#[test]
fn every_call_is_retried_while_it_is_throttled_or_says_why_not() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (mut found, mut calls) = (Vec::new(), 0);
    for path in sources(&root) {
        let source = fs::read_to_string(&path).expect("a source");
        let name = path.strip_prefix(&root).expect("a path below it").to_str().expect("text").to_owned();
        let is_this_file = name.ends_with("unretried_calls.rs");
        calls += source.matches(".send()").count();
        found.extend(Some((name, count_unretried(&source))).filter(|(_, count)| *count > 0 && !is_this_file));
    }
    found.sort_unstable();
    let found: Vec<_> = found.iter().map(|(name, count)| (name.as_str(), *count)).collect();
    assert_eq!(found, UNRETRIED.map(|(name, count, _)| (name, count)), "wrap the call in `retry_throttled`");
    assert!(calls > 30, "{calls} calls");
}

#[test]
fn calls_outside_a_closure_are_found() {
    let call = "fn f() {\n    let got = get.send().await;\n    Box::pin(put.send()).await\n}";
    assert_eq!(count_unretried(call), 2);
    let retried = "fn f() {\n    self.retry_throttled(|| get.clone().send()).await?;\n    let read = || self.batch()\n        .send();\n}";
    assert_eq!(count_unretried(retried), 0);
}
