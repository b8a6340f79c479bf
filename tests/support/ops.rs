//! Commands of the operator's tool, in the process of the test.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use clap::Parser as _;
use presence_ops::{Cli, Console, Context, Exit};
use presence_runtime::clock::Clock;
use presence_store::Stores;
use serde_json::Value;

use crate::TestStack;

/// Exit code and output of a command.
#[derive(Debug)]
pub struct OpsOutput {
    /// Exit code.
    pub exit: Exit,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

#[derive(Clone, Default)]
struct OutputBuffer(Arc<Mutex<Vec<u8>>>);

impl OutputBuffer {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()).expect("UTF-8")
    }
}

impl io::Write for OutputBuffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl OpsOutput {
    /// Returns the output. Panics if the command ended otherwise.
    #[expect(clippy::return_self_not_must_use, reason = "a test may want the exit code only")]
    pub fn expect(self, exit: Exit) -> Self {
        assert_eq!(self.exit, exit, "stdout: {}\nstderr: {}", self.stdout, self.stderr);
        self
    }

    /// Returns the last line of the output as JSON.
    pub fn json(&self) -> Value {
        let line = self.stdout.lines().last().unwrap_or_default();
        serde_json::from_str(line).unwrap_or_else(|_| panic!("no JSON: {}{}", self.stdout, self.stderr))
    }
}

/// Runs a command with a changed context. Its words have no blanks.
pub async fn run_ops(
    stores: &Stores,
    clock: Arc<dyn Clock>,
    words: &str,
    change: impl FnOnce(Context) -> Context,
) -> OpsOutput {
    let cli = Cli::try_parse_from(["ops"].into_iter().chain(words.split_whitespace())).expect("the words are right");
    let (stdout, stderr) = (OutputBuffer::default(), OutputBuffer::default());
    let console = Console::new(Box::new(stdout.clone()), Box::new(stderr.clone()));
    let mut context = change(Context::new(stores.clone(), clock, console));
    let exit = Box::pin(presence_ops::run(cli, &mut context)).await;
    drop(context);
    OpsOutput { exit, stdout: stdout.text(), stderr: stderr.text() }
}

/// Imports rows.
pub async fn import(stores: &Stores, clock: Arc<dyn Clock>, what: &str, rows: &str) -> OpsOutput {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("rows.jsonl");
    std::fs::write(&file, rows).expect("the folder can be written");
    let words = format!("--json import {what} {}", file.to_str().expect("a path in UTF-8"));
    run_ops(stores, clock, &words, |context| context).await
}

impl TestStack {
    /// Runs a command past the connectors of the functions.
    pub async fn ops(&self, words: &str) -> OpsOutput {
        run_ops(self.stores(), Arc::clone(&self.clock) as _, words, |context| context).await
    }

    /// Imports rows past the connectors of the functions.
    pub async fn import(&self, what: &str, rows: &str) -> OpsOutput {
        import(self.stores(), Arc::clone(&self.clock) as _, what, rows).await
    }
}
