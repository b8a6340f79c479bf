//! Functions that are compared, ready to start.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

use anyhow::{Context as _, ensure};
use presence_local::Stack;
use tokio::process::Command;
use zip::write::SimpleFileOptions;

use super::trial::{Candidate, CandidateKind, Size};
use crate::sandbox::event;

/// Folder with the sources of the functions in other languages.
const SOURCES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/start");
/// Compression level of zip files, which is that of cargo-lambda.
const COMPRESSION: i64 = 9;

/// Candidates that this machine can run.
pub(super) struct FoundCandidates {
    pub(super) candidates: Vec<Candidate>,
    /// Reasons why functions in other languages could not be installed.
    pub(super) not_installed: Vec<String>,
}

/// Returns all candidates: the empty and the minimal function, ours, and those in other languages.
pub(super) async fn find_candidates(stack: &Stack, programs: &Path, folder: &Path) -> anyhow::Result<FoundCandidates> {
    let key = stack.keys().get("ORG_ADMIN").context("sample data")?;
    let mut candidates = Vec::new();
    for binary in release_binaries(key) {
        candidates.push(binary.candidate(programs, folder)?);
    }
    let mut not_installed = Vec::new();
    for runtime in &OTHER_RUNTIMES {
        match runtime.install(folder).await? {
            Ok(candidate) => candidates.push(candidate),
            Err(reason) => not_installed.push(reason),
        }
    }
    Ok(FoundCandidates { candidates, not_installed })
}

/// Release binary with its first event.
struct ReleaseBinary {
    kind: CandidateKind,
    name: &'static str,
    file: &'static str,
    event: String,
}

/// Returns the binaries with their first events, for a caller with the key.
fn release_binaries(key: &str) -> [ReleaseBinary; 7] {
    use CandidateKind::{Empty, Other, Ours, Unconnected};
    let binary = |kind, name, file, event| ReleaseBinary { kind, name, file, event };
    let me = event::get("GET /api/v2/user/me", "/api/v2/user/me", "", key);
    let categories = event::get("GET /api/v2/category/search", "/api/v2/category/search", "lang=FR&name=boul", key);
    let reviews = event::get("GET /api/v2/reviews", "/api/v2/reviews", "page=1", key);
    [
        binary(Empty, "an empty `lambda_runtime` binary", "lambda-empty", "{}".to_owned()),
        binary(Other, "a minimal binary with the SDK: one GetItem", "lambda-get-item", "{}".to_owned()),
        binary(Ours, "users: `GET /user/me`", "users", me.clone()),
        binary(Unconnected, "the same, without a connection at start", "lambda-unconnected", me),
        binary(Ours, "categories: a search", "categories", categories),
        binary(Ours, "reviews: a page", "reviews", reviews),
        binary(Ours, "mailer: a sweep", "mailer", event::sweep()),
    ]
}

impl ReleaseBinary {
    fn candidate(self, programs: &Path, folder: &Path) -> anyhow::Result<Candidate> {
        let program = programs.join(self.file);
        ensure!(
            program.exists(),
            "{} is missing: build the functions and presence-bench-functions with `cargo build --release`",
            program.display()
        );
        let size = measure_size(folder, &[(program.clone(), "bootstrap".to_owned())])?;
        Ok(Candidate { kind: self.kind, name: self.name, program, arguments: Vec::new(), event: self.event, size })
    }
}

/// Measures the size of all files below a folder. Writes the zip file into another folder.
fn measure_folder(source: &Path, folder: &Path) -> anyhow::Result<Size> {
    let mut files = Vec::new();
    let mut folders = vec![source.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next)? {
            let (path, kind) = entry.map(|entry| (entry.path(), entry.file_type()))?;
            if kind?.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(source)?.to_string_lossy().into_owned();
                files.push((path, name));
            }
        }
    }
    measure_size(folder, &files)
}

/// Measures the size of files, and of a zip file that has them under these names.
fn measure_size(folder: &Path, files: &[(PathBuf, String)]) -> anyhow::Result<Size> {
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

/// Minimal function in another language.
struct OtherRuntime {
    name: &'static str,
    /// Folder of its sources.
    source: &'static str,
    files: [&'static str; 2],
    program: &'static str,
    /// Command that installs its SDK in the folder.
    install: (&'static str, &'static [&'static str]),
}

const OTHER_RUNTIMES: [OtherRuntime; 2] = [
    OtherRuntime {
        name: "Node.js, AWS SDK v3: one GetItem",
        source: "node",
        files: ["index.mjs", "package.json"],
        program: "node",
        install: ("npm", &["install", "--silent", "--no-audit", "--no-fund"]),
    },
    OtherRuntime {
        name: "Python, boto3: one GetItem",
        source: "python",
        files: ["app.py", "requirements.txt"],
        program: "python3",
        install: (
            "python3",
            &["-m", "pip", "install", "--quiet", "--target", ".", "--requirement", "requirements.txt"],
        ),
    },
];

impl OtherRuntime {
    /// Installs the function. The inner error says why this machine cannot install it.
    async fn install(&self, folder: &Path) -> anyhow::Result<Result<Candidate, String>> {
        let target = folder.join(self.source);
        std::fs::create_dir_all(&target)?;
        for file in self.files {
            std::fs::copy(Path::new(SOURCES).join(self.source).join(file), target.join(file))?;
        }
        let (program, arguments) = self.install;
        let installed = Command::new(program).args(arguments).current_dir(&target).status().await;
        if !installed.as_ref().is_ok_and(ExitStatus::success) {
            return Ok(Err(format!("{}: `{program} {}` ended with {installed:?}", self.name, arguments.join(" "))));
        }
        Ok(Ok(Candidate {
            kind: CandidateKind::Other,
            name: self.name,
            program: self.program.into(),
            arguments: vec![target.join(self.files[0]).into()],
            event: "{}".to_owned(),
            size: measure_folder(&target, folder)?,
        }))
    }
}
