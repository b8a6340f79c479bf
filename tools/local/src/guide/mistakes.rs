//! Typical mistakes, from the table that the tests write: the search finds them, and the page of errors has them below their codes.

use std::fmt::Write as _;

use super::{DOCUMENTS, Document, ERRORS};

/// Mark before the code of an error in an answer of the table.
const CODE_MARK: &str = "`x-error-code: ";
/// Head of each table.
const HEAD: &str = "| mistake | request | answer | instead |\n|---|---|---|---|\n";

/// Row of the table.
#[derive(Clone, Debug)]
pub(super) struct Mistake {
    /// Mistake in a few words.
    pub(super) title: String,
    /// Code of the error, if the service answers.
    code: Option<String>,
    /// Path of the row on the page of errors, or of the page with all mistakes.
    pub(super) href: String,
    /// Answer, advice and request.
    pub(super) text: String,
    /// Cells of the row, with an anchor and without the number.
    markdown: String,
}

/// Returns all typical mistakes.
pub(super) fn rows() -> impl Iterator<Item = Mistake> {
    document("shared/docs/mistakes.md").map_or("", |page| page.text).lines().filter_map(Mistake::parse)
}

impl Mistake {
    /// Reads a line of the page; `None` for a line that is no row of a mistake.
    fn parse(line: &str) -> Option<Self> {
        // A bar inside a cell has a backslash before it.
        let line = line.replace("\\|", "\u{1}");
        let cells: Vec<String> = line.split('|').map(|cell| cell.trim().replace('\u{1}', "\\|")).collect();
        let [_, number, title, request, answer, instead, _] = cells.as_slice() else { return None };
        number.parse::<u32>().ok()?;
        let code = answer.split_once(CODE_MARK).and_then(|(_, rest)| Some(rest.split_once('`')?.0.to_owned()));
        let page = document(if code.is_some() { ERRORS } else { "shared/docs/mistakes.md" })?.path();
        let (id, anchor) = match &code {
            Some(_) => (format!("mistake-{number}"), format!("#mistake-{number}")),
            None => Default::default(),
        };
        Some(Self {
            title: title.clone(),
            href: page + &anchor,
            text: format!("{answer} {instead} {request}").replace("<br>", " ").replace("\\|", "|"),
            markdown: format!("| <a id=\"{id}\"></a>{title} | {request} | {answer} | {instead} |"),
            code,
        })
    }
}

/// Returns the page of errors with the mistakes of each code below its section.
pub(super) fn with_mistakes(page: &str) -> String {
    let mut sections = page.split("\n## `");
    let mut made = sections.next().unwrap_or_default().to_owned();
    for section in sections {
        let _ = write!(made, "\n## `{section}");
        let code = section.split('`').next();
        let mut rows = rows().filter(|mistake| mistake.code.as_deref() == code).peekable();
        if rows.peek().is_some() {
            let _ = write!(made, "\n{HEAD}");
            rows.for_each(|mistake| made.extend([mistake.markdown.as_str(), "\n"]));
        }
    }
    made
}

fn document(file: &str) -> Option<&'static Document> {
    DOCUMENTS.iter().find(|document| document.file == file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_mistake_with_a_code_is_below_it() {
        let page = with_mistakes(document(ERRORS).expect("a page").text);
        let rows: Vec<Mistake> = rows().collect();
        for Mistake { code, markdown, .. } in &rows {
            let below = code.as_ref().map(|code| {
                let (_, rest) = page.split_once(&format!("\n## `{code}`\n")).expect("a section");
                rest.split("\n## ").next().is_some_and(|section| section.contains(markdown))
            });
            assert_ne!(below, Some(false), "{markdown}");
        }
        let without_code: Vec<_> = rows.iter().filter(|row| row.code.is_none()).map(|row| row.title.as_str()).collect();
        assert_eq!(without_code, ["a request line that is too long"]);
    }
}
