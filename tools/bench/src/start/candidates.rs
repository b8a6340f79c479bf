//! The functions that are compared, made ready to start.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

use anyhow::{Context as _, ensure};
use presence_local::Stack;
use serde_json::json;
use tokio::process::Command;
use zip::write::SimpleFileOptions;

use super::trial::{Candidate, CandidateKind, Size};
use crate::sandbox::event;

/// The sources of the same function in other languages.
const SOURCES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/start");
/// Like cargo-lambda's.
const COMPRESSION: i64 = 9;

/// All of them: the limit, ours, and the others; beside them, which this machine could not install, and why.
pub(super) async fn candidates(
    stack: &Stack,
    programs: &Path,
    folder: &Path,
) -> anyhow::Result<(Vec<Candidate>, Vec<String>)> {
    let key = stack.keys().get("ORG_ADMIN").context("sample data")?;
    let me = event::get("GET /api/v2/user/me", "/api/v2/user/me", "", key);
    let ours = [
        (CandidateKind::Empty, "an empty `lambda_runtime` binary", "lambda-empty", "{}".to_owned()),
        (CandidateKind::Other, "the least with the SDK: one GetItem", "lambda-get-item", "{}".to_owned()),
        (CandidateKind::Ours, "users: `GET /user/me`", "users", me.clone()),
        (CandidateKind::Unconnected, "the same, no connection opened before", "lambda-unconnected", me),
        (
            CandidateKind::Ours,
            "categories: a search",
            "categories",
            event::get("GET /api/v2/category/search", "/api/v2/category/search", "lang=FR&name=boul", key),
        ),
        (
            CandidateKind::Ours,
            "reviews: a page",
            "reviews",
            event::get("GET /api/v2/reviews", "/api/v2/reviews", "page=1", key),
        ),
        (CandidateKind::Ours, "mailer: a sweep", "mailer", json!({ "source": "aws.scheduler" }).to_string()),
    ];
    let mut candidates = Vec::new();
    for (kind, name, program, event) in ours {
        let program = programs.join(program);
        ensure!(
            program.exists(),
            "build it first, with `cargo build --release` of the functions and presence-bench-functions: {} is missing",
            program.display()
        );
        let size = size_of_program(&program, folder)?;
        candidates.push(Candidate { kind, name, program, arguments: Vec::new(), event, size });
    }
    let mut left_out = Vec::new();
    for other in &OTHER_RUNTIMES {
        match other.candidate(folder).await? {
            Ok(candidate) => candidates.push(candidate),
            Err(why) => left_out.push(why),
        }
    }
    Ok((candidates, left_out))
}

/// The size of a program as it is deployed: a zip file with it as `bootstrap`.
fn size_of_program(program: &Path, folder: &Path) -> anyhow::Result<Size> {
    size_of(folder, &[(program.to_owned(), "bootstrap".to_owned())])
}

/// The size of a folder as it is deployed: a zip file with all that is in it.
fn size_of_folder(home: &Path, folder: &Path) -> anyhow::Result<Size> {
    let mut files = Vec::new();
    let mut folders = vec![home.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next)? {
            let (path, kind) = entry.map(|entry| (entry.path(), entry.file_type()))?;
            if kind?.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(home)?.to_string_lossy().into_owned();
                files.push((path, name));
            }
        }
    }
    size_of(folder, &files)
}

/// The size of files, and of a zip file of them under some names.
fn size_of(folder: &Path, files: &[(PathBuf, String)]) -> anyhow::Result<Size> {
    let file = folder.join("deployed.zip");
    let mut zip = zip::ZipWriter::new(File::create(&file)?);
    let options = SimpleFileOptions::default().compression_level(Some(COMPRESSION)).unix_permissions(0o755);
    let mut plain = 0;
    for (path, name) in files {
        let content = std::fs::read(path)?;
        plain += content.len() as u64;
        zip.start_file(name, options)?;
        zip.write_all(&content)?;
    }
    zip.finish()?;
    Ok(Size { plain, zipped: std::fs::metadata(file)?.len() })
}

/// The same in another language.
struct OtherRuntime {
    name: &'static str,
    /// Its folder beside this crate's sources.
    from: &'static str,
    files: [&'static str; 2],
    program: &'static str,
    /// What puts its SDK beside it.
    install: (&'static str, &'static [&'static str]),
}

const OTHER_RUNTIMES: [OtherRuntime; 2] = [
    OtherRuntime {
        name: "Node.js, AWS SDK v3: one GetItem",
        from: "node",
        files: ["index.mjs", "package.json"],
        program: "node",
        install: ("npm", &["install", "--silent", "--no-audit", "--no-fund"]),
    },
    OtherRuntime {
        name: "Python, boto3: one GetItem",
        from: "python",
        files: ["app.py", "requirements.txt"],
        program: "python3",
        install: (
            "python3",
            &["-m", "pip", "install", "--quiet", "--target", ".", "--requirement", "requirements.txt"],
        ),
    },
];

impl OtherRuntime {
    /// The outer error is ours, the inner one is this machine's.
    async fn candidate(&self, folder: &Path) -> anyhow::Result<Result<Candidate, String>> {
        let home = folder.join(self.from);
        std::fs::create_dir_all(&home)?;
        for file in self.files {
            std::fs::copy(Path::new(SOURCES).join(self.from).join(file), home.join(file))?;
        }
        let (program, arguments) = self.install;
        let installed = Command::new(program).args(arguments).current_dir(&home).status().await;
        if !installed.as_ref().is_ok_and(ExitStatus::success) {
            return Ok(Err(format!("{}: `{program} {}` ended with {installed:?}", self.name, arguments.join(" "))));
        }
        Ok(Ok(Candidate {
            kind: CandidateKind::Other,
            name: self.name,
            program: self.program.into(),
            arguments: vec![home.join(self.files[0]).into()],
            event: "{}".to_owned(),
            size: size_of_folder(&home, folder)?,
        }))
    }
}
