"""Splits Rust source into code and comments, for `words` and `counts`, and copies it, for `mutants` and `planted-faults`."""

import re
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# The order matters: a comment or a string hides whatever stands in it.
TOKEN = re.compile(
    r"""
    (?P<comment> //[^\n]* )
  | (?P<block> /\*(?:[^*]|\*(?!/))*\*/ )
  | (?P<raw> b?c?r(?P<hashes>\#*)"(?:.|\n)*?"(?P=hashes) )
  | (?P<string> b?c?"(?:\\(?:.|\n)|[^"\\])*" )
  | (?P<char> b?'(?:\\(?:u\{[0-9a-fA-F_]+\}|x[0-9a-fA-F]{2}|.)|[^'\\\n])' )
  | (?P<word> [A-Za-z_][A-Za-z0-9_]* )
    """,
    re.VERBOSE,
)


def blank(text):
    """Replaces everything but line ends by spaces, so that lines and columns stay."""
    return re.sub(r"[^\n]", " ", text)


def code_of(source):
    """Returns the source with comments, strings and characters blanked."""
    return TOKEN.sub(lambda found: found[0] if found.lastgroup == "word" else blank(found[0]), source)


def line_kinds(source):
    """Returns the kind of each line: "doc", "comment", "code" or "blank"."""
    masked = code_of(source).split("\n")
    kinds = []
    for line, code in zip(source.split("\n"), masked):
        text = line.strip()
        if not text:
            kinds.append("blank")
        elif code.strip():
            kinds.append("code")
        elif re.match(r"///(?!/)|//!", text):
            kinds.append("doc")
        elif text.startswith(("//", "/*", "*")):
            kinds.append("comment")
        else:
            # A line inside a string is code.
            kinds.append("code")
    return kinds


def doc_blocks(source):
    """Yields (line number, texts) of each doc comment; texts are its lines without the slashes."""
    number, texts = 0, []
    for at, (line, kind) in enumerate(zip(source.split("\n"), line_kinds(source)), start=1):
        if kind == "doc":
            if not texts:
                number = at
            texts.append(re.sub(r"^\s*//[/!] ?", "", line))
        elif texts:
            yield number, texts
            texts = []
    if texts:
        yield number, texts


def files(paths, suffixes):
    """Returns the tracked files below the paths (all of the repository, if there are none) that have one of the suffixes."""
    found = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z", "--", *paths],
        cwd=ROOT, capture_output=True, check=True, text=True,
    ).stdout.split("\0")
    return [Path(name) for name in sorted(set(found)) if name.endswith(suffixes) and (ROOT / name).is_file()]


def copy_last_commit(tree):
    """Unpacks the last commit into a folder. All files are new to cargo, also one that was changed last."""
    shutil.rmtree(tree, ignore_errors=True)
    tree.mkdir(parents=True)
    archive = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, check=True, capture_output=True).stdout
    subprocess.run(["tar", "xm", "-C", tree], input=archive, check=True)
