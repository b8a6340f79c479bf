//! `ops import categories`

use serde_json::json;

use crate::cli_env::CliEnv;
use crate::rows::summary;

const TABLE: &str = "presence-categories";

fn category_row(id: &str, name: &str) -> String {
    let row = json!({ "id": id, "code": format!("code_{id}"), "names": { "GB": name, "FR": "Nom" },
        "ancestors": { "GB": ["Shop"] }, "partners": { "partner_4": [{ "id": "a1", "name": name }] } });
    format!("{row}\n")
}

fn many_rows(name: &str) -> String {
    (0..250).map(|n| category_row(&format!("c{n}"), &format!("{name} {n}"))).collect()
}

/// Returns the version of the directory, 0 if there is none.
fn version(env: &CliEnv) -> u64 {
    let head = env.scan(TABLE).into_iter().find(|item| item["pk"].as_s().is_ok_and(|pk| pk == "DIRECTORY"));
    head.and_then(|head| head["version"].as_n().ok()?.parse().ok()).unwrap_or_default()
}

#[test]
fn killed_import_can_be_run_again() {
    let env = CliEnv::new();
    env.write_file("categories.jsonl", many_rows("Shop"));
    // The process dies while it reads: the pipe delivers a part of the file, and its end never comes.
    for rows in [0, 1, 98, 99, 100, 198, 230] {
        let part: String = many_rows("Other").split_inclusive('\n').take(rows).collect();
        env.run_and_kill("import categories -", part.as_bytes());
        assert_eq!(version(&env), 0, "{rows} rows of an unfinished import take no effect");
    }
    assert_eq!(env.run("import categories categories.jsonl --json").expect_exit(0).json(), summary(250, 0, 0, 0));
    assert_eq!((env.scan(TABLE).len(), version(&env)), (251, 1));
    assert!(!format!("{:?}", env.scan(TABLE)).contains("Other"));
}
