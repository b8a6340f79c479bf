"""The part of `mutants` that makes the mutants and runs them: mutants.py TARGET COMMIT|--missed|"" PACKAGE|FILE…

All mutants are in one program, each behind a switch, so that it is compiled once (mutant_source.py). Each test runs once alone, and tells
which mutants it reaches. Then each mutant runs with the tests that reach it: first those that caught another one of its file, then those whose names
share words with its name, then those of its package, the quickest first.
"""

import json
import os
import re
import subprocess
import sys
import threading
import time
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from mutant_source import MutatedSource
from rust_source import ROOT, copy_last_commit
from switches import SWITCH, Build, folder_of

TARGET, COMMIT, NAMES = Path(sys.argv[1]), sys.argv[2], sys.argv[3:]
# Outcome and name of each mutant of the last run.
OUTCOMES = TARGET / "outcomes.txt"
# Packages whose tests run: the shared crates, the functions, and the tests of the service.
SHARED = ["domain", "ledger", "store", "api", "runtime"]
FUNCTIONS = ["users", "mailer", "ingest", "publisher", "deliverer"]
BUILD = Build(TARGET, [f"presence-{name}" for name in [*SHARED, *FUNCTIONS, "tests"]])
WORKERS = os.cpu_count()
# Seconds of tests, as they ran without a mutant. After these, a mutant runs only with the tests that count calls.
MAX_SECONDS = 60
# Words in the names of tests that count calls. Only they catch what makes a request dearer.
COUNTING = {"budget", "cost", "wave"}
# Tests of so many seconds, or so many of them, run in one process.
GROUP_SECONDS, GROUP_TESTS = 0.5, 40


def listed():
    """Returns the rows of all mutants, of those in lines that changed since the commit, or of those that were missed. The first has number 0."""
    # cargo-mutants takes packages and files only together.
    files = [option for name in NAMES if "/" in name for option in ("--file", name)]
    packages = [option for name in NAMES if "/" not in name for option in ("--package", name)]
    options = []
    if COMMIT and COMMIT != "--missed":
        diff = TARGET / "changed.diff"
        diff.write_bytes(subprocess.run(["git", "diff", f"{COMMIT}..."], cwd=ROOT, check=True, capture_output=True).stdout)
        options = ["--in-diff", diff]
    rows = []
    for selected in filter(None, [packages, files and ["--workspace", *files]]):
        command = ["cargo", "mutants", "--list", "--json", "--dir", BUILD.tree, *selected, *options]
        rows += json.loads(subprocess.run(command, check=True, capture_output=True).stdout or "[]")
    if COMMIT == "--missed":
        missed = {line.split("\t")[1] for line in missed_lines()}
        rows = [row for row in rows if row["name"] in missed]
    return rows


def missed_lines():
    return [line for line in OUTCOMES.read_text().split("\n") if re.match("missed|unreached", line)]


def write_switches(mutants, originals, left_out):
    """Writes the sources with all mutants but those that are left out, and adds to these what has no switch."""
    by_file = defaultdict(list)
    for number, mutant in enumerate(mutants):
        by_file[mutant["file"]].append((number, mutant))
    for file, rows in by_file.items():
        source = MutatedSource(originals[file], [row for row in rows if row[0] not in left_out])
        left_out |= source.left_out
        BUILD.write(file, source.mutated())


def at_fault(message):
    """Returns the mutants that an error of the compiler is about."""
    found = set()
    for span in message["spans"]:
        file = BUILD.tree / span["file_name"]
        source = file.read_bytes() if file.exists() else b""
        if (message["code"] or {}).get("code") == "E0004":
            # A match lacks what the arms with switches match.
            match = source[span["byte_start"] : span["byte_start"] + 6000]
            found.update(map(int, re.findall(rb" if !%b\((\d+)\)" % SWITCH.encode(), match)))
        elif span["is_primary"]:
            found.update(map(int, re.findall(rb"%b\((\d+)\)" % SWITCH.encode(), source[: span["byte_end"]])[-1:]))
    return found


def build(mutants):
    """Compiles the tests with all mutants that compile. Returns the programs of tests, and the mutants that are left out."""
    originals = {mutant["file"]: (BUILD.tree / mutant["file"]).read_text() for mutant in mutants}
    BUILD.add_module(originals, len(mutants))
    left_out = set()
    while True:
        write_switches(mutants, originals, left_out)
        tests, errors = BUILD.compile()
        if not errors:
            return {Path(one["executable"]): folder_of(one) for one in tests}, left_out
        faults = set().union(*map(at_fault, errors))
        if faults <= left_out:
            sys.exit("".join(error["rendered"] for error in errors))
        left_out |= faults
        print(f"{len(left_out)} mutants do not compile", flush=True)


class Test:
    """A test of a program, with the seconds that it takes alone, and the mutants that it reaches."""

    def __init__(self, program, folder, name):
        self.program, self.folder, self.name = program, folder, name
        trace = TARGET / f"trace-{threading.get_ident()}"
        trace.unlink(missing_ok=True)
        start = time.monotonic()
        self.passes = run_tests([self], 600, SWITCH_TRACE=str(trace)) == "missed"
        self.seconds = time.monotonic() - start
        self.reached = set(map(int, trace.read_text().split())) if trace.exists() else set()


def run_tests(tests, seconds, **variables):
    """Runs tests of one program. Returns `missed` if all pass, `caught` if one fails, and `timeout`."""
    first = tests[0]
    arguments = ["--exact", "--test-threads", "1", *(test.name for test in tests)]
    return BUILD.run(first.program, first.folder, arguments, seconds, **variables)


def trace_tests(programs):
    """Runs each test alone."""
    names = [
        (program, folder, line.removesuffix(": test"))
        for program, folder in programs.items()
        for line in subprocess.run([program, "--list"], cwd=folder, env=BUILD.environment, check=True, capture_output=True, text=True).stdout.split("\n")
        if line.endswith(": test")
    ]
    with ThreadPoolExecutor(WORKERS) as pool:
        tests = list(pool.map(lambda name: Test(*name), names))
    for test in tests:
        if not test.passes:
            print(f"fails without a mutant, and is left out: {test.name}")
    return [test for test in tests if test.passes]


def words(name):
    """Returns the longer words of a name, without the ends that make them plural."""
    return {word.removesuffix("s") for word in re.findall("[a-z]{4,}", re.sub("([A-Z])", r" \1", name).lower())}


def outcome(number, mutant, tests, catching):
    """Runs a mutant with the tests that reach it. Adds those that catch it to those that caught one of its file."""
    own = str(BUILD.tree / mutant["file"].split("/src/")[0])
    reaching = [test for test in tests if number in test.reached]
    named = words(mutant["name"])
    reaching.sort(key=lambda test: (test not in catching, -len(named & words(test.name)), str(test.folder) != own, test.seconds))
    total = 0
    for group, seconds in groups_of(reaching):
        if total > MAX_SECONDS:
            group = [test for test in group if COUNTING & words(test.name)]
        word = run_tests(group, 10 + 5 * seconds, SWITCH=str(number)) if group else "missed"
        total += seconds
        if word != "missed":
            catching.update(group)
            return word
    return "missed" if reaching else "unreached"


def groups_of(tests):
    """Returns groups of tests that run in one process, with the seconds of each."""
    group, seconds = [], 0
    for at, test in enumerate(tests):
        group.append(test)
        seconds += test.seconds
        is_last = at + 1 == len(tests) or tests[at + 1].program != test.program
        if is_last or seconds > GROUP_SECONDS or len(group) == GROUP_TESTS:
            yield group, seconds
            group, seconds = [], 0


def main():
    copy_last_commit(BUILD.tree)
    mutants = listed()
    if not mutants:
        print("no mutants")
        return
    print(f"{len(mutants)} mutants", flush=True)
    programs, left_out = build(mutants)
    print(f"{len(left_out)} of them do not compile, or are in constants", flush=True)
    tests = trace_tests(programs)
    print(f"{len(tests)} tests take {sum(test.seconds for test in tests):.0f} s", flush=True)
    counts, lock, catching = Counter(), threading.Lock(), defaultdict(set)

    with OUTCOMES.open("w") as outcomes:

        def judge(number):
            mutant = mutants[number]
            word = "unviable" if number in left_out else outcome(number, mutant, tests, catching[mutant["file"]])
            with lock:
                counts[word] += 1
                outcomes.write(f"{word}\t{mutant['name']}\n")
                outcomes.flush()

        with ThreadPoolExecutor(WORKERS) as pool:
            list(pool.map(judge, range(len(mutants))))
    print(", ".join(f"{word}: {count}" for word, count in sorted(counts.items())))
    missed = missed_lines()
    print("\n".join(missed))
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
