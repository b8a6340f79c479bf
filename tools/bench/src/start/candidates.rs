//! The functions that are compared, made ready to start.

use std::ffi::OsString;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use presence_local::Stack;
use serde_json::json;
use tokio::process::Command;
use zip::write::SimpleFileOptions;

use super::trial::Candidate;

/// The other ways to write a function, with their sources.
const OTHERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/start");
/// Like cargo-lambda's.
const COMPRESSION: i64 = 9;

/// All of them: the limit, ours, and the others where this machine has what they need.
pub(super) async fn candidates(stack: &Stack, programs: &Path, folder: &Path) -> anyhow::Result<Vec<Candidate>> {
    let key = stack.keys().get("ORG_ADMIN").context("sample data")?;
    let me = event("GET /api/v2/user/me", "/api/v2/user/me", "", key);
    let ours = [
        ("an empty `lambda_runtime` binary", "lambda-empty", "{}".to_owned()),
        ("users: `GET /user/me`", "users", me.clone()),
        ("the same, no connection opened before", "lambda-unconnected", me),
        (
            "categories: a search",
            "categories",
            event("GET /api/v2/category/search", "/api/v2/category/search", "lang=FR&name=boul", key),
        ),
        ("reviews: a page", "reviews", event("GET /api/v2/reviews", "/api/v2/reviews", "page=1", key)),
        ("mailer: a sweep", "mailer", json!({ "source": "aws.scheduler" }).to_string()),
    ];
    let mut candidates = Vec::new();
    for (name, program, event) in ours {
        let program = programs.join(program);
        ensure!(
            program.exists(),
            "build it first, with `cargo build --release` of the functions and presence-bench-functions: {} is missing",
            program.display()
        );
        let zip_bytes = Some(zipped(&program, folder)?);
        candidates.push(Candidate { name, program, arguments: Vec::new(), event, zip_bytes });
    }
    candidates.extend(other("Node.js, AWS SDK v3: one GetItem", node(folder).await)?);
    candidates.extend(other("Python, boto3: one GetItem", python(folder).await)?);
    Ok(candidates)
}

/// An event of the HTTP API, payload format 2.0.
fn event(route_key: &str, path: &str, query: &str, key: &str) -> String {
    json!({
        "version": "2.0",
        "routeKey": route_key,
        "rawPath": path,
        "rawQueryString": query,
        "headers": { "accept": "*/*", "host": "api.presence.example", "x-api-key": key, "x-forwarded-proto": "https" },
        "requestContext": {
            "accountId": "123456789012",
            "apiId": "a1b2c3d4e5",
            "domainName": "api.presence.example",
            "http": { "method": "GET", "path": path, "protocol": "HTTP/1.1", "sourceIp": "192.0.2.1", "userAgent": "bench" },
            "requestId": "JKJaXmPLvHcESHA=",
            "routeKey": route_key,
            "stage": "$default",
            "time": "10/Mar/2026:06:00:10 +0000",
            "timeEpoch": 1_773_122_410_000_u64,
        },
        "isBase64Encoded": false,
    })
    .to_string()
}

/// The size of the program as it is deployed: a zip file with it as `bootstrap`.
fn zipped(program: &Path, folder: &Path) -> anyhow::Result<u64> {
    let file = folder.join("bootstrap.zip");
    let mut zip = zip::ZipWriter::new(File::create(&file)?);
    let options = SimpleFileOptions::default().compression_level(Some(COMPRESSION)).unix_permissions(0o755);
    zip.start_file("bootstrap", options)?;
    zip.write_all(&std::fs::read(program)?)?;
    zip.finish()?;
    Ok(std::fs::metadata(file)?.len())
}

/// A program and its arguments; none where this machine lacks what it needs.
type Start = Option<(PathBuf, Vec<OsString>)>;

fn other(name: &'static str, command: anyhow::Result<Start>) -> anyhow::Result<Option<Candidate>> {
    let candidate =
        |(program, arguments)| Candidate { name, program, arguments, event: "{}".to_owned(), zip_bytes: None };
    Ok(command?.map(candidate))
}

async fn node(folder: &Path) -> anyhow::Result<Start> {
    let home = folder.join("node");
    copy("node", &home, &["package.json", "index.mjs"])?;
    let install = ["install", "--silent", "--no-audit", "--no-fund"];
    if !run(Command::new("npm").args(install).current_dir(&home)).await {
        return Ok(None);
    }
    Ok(Some(("node".into(), vec![home.join("index.mjs").into()])))
}

async fn python(folder: &Path) -> anyhow::Result<Start> {
    let home = folder.join("python");
    copy("python", &home, &["requirements.txt", "app.py"])?;
    let made = run(Command::new("python3").args(["-m", "venv", "venv"]).current_dir(&home)).await;
    let install = ["install", "--quiet", "--requirement", "requirements.txt"];
    if !made || !run(Command::new(home.join("venv/bin/pip")).args(install).current_dir(&home)).await {
        return Ok(None);
    }
    Ok(Some((home.join("venv/bin/python"), vec![home.join("app.py").into()])))
}

async fn run(command: &mut Command) -> bool {
    command.status().await.is_ok_and(|status| status.success())
}

fn copy(from: &str, to: &Path, files: &[&str]) -> anyhow::Result<()> {
    std::fs::create_dir_all(to)?;
    for file in files {
        std::fs::copy(Path::new(OTHERS).join(from).join(file), to.join(file))?;
    }
    Ok(())
}
