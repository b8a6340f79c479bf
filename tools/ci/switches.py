"""Compiles many changes of the source into one program, each behind a switch, and runs its tests. Used by `mutants.py` and `planted_faults.py`.

`switch(7)` in the source is true if the environment variable SWITCH is 7.
"""

import json
import os
import signal
import subprocess
from pathlib import Path

MODULE = """//! Switches of changes of the source.
use std::io::Write;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};

static ACTIVE: LazyLock<Option<usize>> = LazyLock::new(|| std::env::var("SWITCH").ok()?.parse().ok());
static TRACE: LazyLock<Option<String>> = LazyLock::new(|| std::env::var("SWITCH_TRACE").ok());
static IS_REACHED: [AtomicBool; COUNT] = [const { AtomicBool::new(false) }; COUNT];

/// True if this change is chosen. The file SWITCH_TRACE gets the number of each change that is reached.
pub(crate) fn switch(number: usize) -> bool {
    if let Some(file) = &*TRACE && !IS_REACHED[number].swap(true, Ordering::Relaxed) {
        let mut file = std::fs::OpenOptions::new().append(true).create(true).open(file).unwrap();
        file.write_all(format!("{number}\\n").as_bytes()).unwrap();
    }
    *ACTIVE == Some(number)
}
"""
# Path of the function `switch` in each crate.
SWITCH = "crate::switches::switch"
# Crates that are optimised, so that the tests take a third of the time.
OPTIMISED = ["domain", "ledger", "store", "api"]
# A change may need memory without end.
MAX_KILOBYTES = 8_000_000


def switch(number):
    return f"{SWITCH}({number})"


class Build:
    """A copy of the source whose changes have switches, and the folder of its programs."""

    def __init__(self, target, packages):
        """`packages` are those whose tests are compiled."""
        self.target, self.tree, self.packages = target, target / "tree", packages
        (target / "tmp").mkdir(parents=True, exist_ok=True)
        # Lints are for what people write.
        wrapper = target / "without-lints"
        wrapper.write_text('#!/usr/bin/env bash\nexec "$@" --cap-lints allow\n')
        wrapper.chmod(0o755)
        self.environment = {
            **os.environ,
            "CARGO_TARGET_DIR": str(target / "build"),
            "RUSTC_WORKSPACE_WRAPPER": str(wrapper),
            "TMPDIR": str(target / "tmp"),
            # A case that fails with a change is no case for later runs.
            "PROPTEST_FAILURE_PERSISTENCE": "off",
        }

    def add_module(self, files, count):
        """Adds the module of switches to the crates of some files."""
        for source in {file.split("/src/")[0] + "/src" for file in files}:
            (self.tree / source / "switches.rs").write_text(MODULE.replace("COUNT", str(count)))
            with (self.tree / source / "lib.rs").open("a") as lib:
                lib.write("\nmod switches;\n")

    def write(self, file, text):
        if (self.tree / file).read_text() != text:
            (self.tree / file).write_text(text)

    def compile(self):
        """Returns the test programs, as messages of cargo, and the errors of the compiler."""
        packages = [option for name in self.packages for option in ("--package", name)]
        levels = [option for name in OPTIMISED for option in ("--config", f"profile.dev.package.presence-{name}.opt-level=1")]
        command = ["cargo", "test", "--locked", *levels, *packages, "--tests", "--no-run", "--message-format=json"]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        output = subprocess.run(command, cwd=self.tree, env=self.environment, check=False, **pipes).stdout
        messages = [json.loads(line) for line in output.decode().split("\n") if line.startswith("{")]
        errors = [one["message"] for one in messages if one["reason"] == "compiler-message" and one["message"]["level"] == "error"]
        tests = [one for one in messages if one["reason"] == "compiler-artifact" and one["profile"]["test"] and one["executable"]]
        return tests, errors

    def run(self, program, folder, arguments, seconds, **variables):
        """Runs a test program. Returns `missed` if it passes, `caught` if it fails, and `timeout`."""
        environment = {**self.environment, **variables, "CARGO_MANIFEST_DIR": str(folder)}
        limited = ["bash", "-c", f'ulimit -v {MAX_KILOBYTES}; exec "$@"', "bash", program, *arguments]
        quiet = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
        process = subprocess.Popen(limited, cwd=folder, env=environment, start_new_session=True, **quiet)
        try:
            return "caught" if process.wait(seconds) else "missed"
        except subprocess.TimeoutExpired:
            return "timeout"
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def folder_of(test):
    """Returns the folder of the package of a test program."""
    return Path(test["manifest_path"]).parent
