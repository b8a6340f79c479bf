//! Commands of a page, parsed. Most tests take those of the operator's guide, which has three pages.

use std::fs;
use std::sync::LazyLock;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// Starts of code that is a command.
const PROGRAMS: [&str; 6] = ["cargo ops ", "ops ", "aws ", "sam ", "curl ", "tools/ci/"];

/// Pages of the operator's guide. The headings of all are different.
const GUIDE: [&str; 3] = ["shared/docs/deploy.md", "shared/docs/runbooks.md", "shared/docs/restore.md"];

/// Command of the page: a block of shell commands, or code in a sentence.
#[derive(Debug)]
pub(super) struct Command {
    /// Heading of the section.
    pub(super) section: String,
    /// Text as it stands in the page.
    pub(super) text: String,
}

/// Commands of the guide, from top to bottom.
pub(super) static COMMANDS: LazyLock<Vec<Command>> = LazyLock::new(|| parse(&guide()));

/// Returns the pages of the guide, one after the other.
pub(super) fn guide() -> String {
    GUIDE.map(read).concat()
}

/// Reads a file of the repository.
pub(super) fn read(path: &str) -> String {
    let path = format!("{}/../../{path}", env!("CARGO_MANIFEST_DIR"));
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Returns the texts of the commands of a section.
pub(super) fn section(heading: &str) -> Vec<&'static str> {
    COMMANDS.iter().filter(|command| command.section == heading).map(|command| command.text.as_str()).collect()
}

/// Returns the simple commands of a script that begin with a program of the list, without what `|`, `&&` and `$(` join.
pub(super) fn simple_commands(script: &str) -> Vec<String> {
    let lines = script.lines().map(|line| line.split(" #").next().unwrap_or_default());
    let parts = lines.flat_map(|line| line.split("&&").flat_map(|part| part.split(" | ")));
    parts.filter_map(simple_command).collect()
}

/// Returns the command of a part of a line, without an assignment before it. Returns `None` for other programs.
fn simple_command(part: &str) -> Option<String> {
    let part = part.trim();
    let part = match part.split_once("=$(") {
        Some((_, substituted)) => substituted.trim_end_matches(')'),
        None => part,
    };
    let start = part.split_inclusive(' ').take_while(|word| word.contains('=') && !word.starts_with('-'));
    let part = &part[start.map(str::len).sum::<usize>()..];
    let is_command = PROGRAMS.iter().any(|program| part.starts_with(program));
    is_command.then(|| part.split(" <").next().unwrap_or_default().to_owned())
}

pub(super) fn parse(markdown: &str) -> Vec<Command> {
    let (mut commands, mut section) = (Vec::new(), String::new());
    let (mut is_heading, mut block) = (false, None);
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Heading { .. }) => (is_heading, section) = (true, String::new()),
            Event::End(TagEnd::Heading(_)) => is_heading = false,
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(language))) if &*language == "sh" => {
                block = Some(String::new());
            }
            Event::End(TagEnd::CodeBlock) => {
                commands.extend(block.take().map(|text| Command { section: section.clone(), text }));
            }
            Event::Text(text) if is_heading => section.push_str(&text),
            Event::Text(text) => block.iter_mut().for_each(|block| block.push_str(&text)),
            Event::Code(text) if !simple_commands(&text).is_empty() => {
                commands.push(Command { section: section.clone(), text: text.into_string() });
            }
            _ => {}
        }
    }
    commands
}

#[test]
fn commands_are_found_in_blocks_sentences_lists_and_tables() {
    let page = "## One\nRun `cargo ops status`, not `status`.\n\n1. Then:\n\n   ```sh\n   export A=1\n   ops doctor | tee x\n   ```\n\
                ```yaml\nops: no\n```\n### Two\n| a |\n|---|\n| `A=b aws s3 ls` |\n";
    let found: Vec<_> = parse(page).into_iter().map(|command| (command.section, command.text)).collect();
    let expected = [("One", "cargo ops status"), ("One", "export A=1\nops doctor | tee x\n"), ("Two", "A=b aws s3 ls")];
    assert_eq!(found, expected.map(|(section, text)| (section.to_owned(), text.to_owned())));
    let script = "ID=$(ops user create --email a@b)\ncargo ops key whois --json <key.txt | tee key.json\ntools/ci/build dev   # or ops\n";
    let expected = ["ops user create --email a@b", "cargo ops key whois --json", "tools/ci/build dev"];
    assert_eq!(simple_commands(script).iter().map(|text| text.trim_end()).collect::<Vec<_>>(), expected);
}
