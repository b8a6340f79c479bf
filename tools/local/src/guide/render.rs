//! Markdown as HTML: headings with anchors, and links that lead to pages of the guide.

use std::fmt::Write as _;

use pulldown_cmark::{Alignment, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

use super::{DOCS_FOLDER, DOCUMENTS, Document, GUIDE_PATH, PICTURES, picture_path};
use crate::home::escaped;

/// Document as a page.
#[derive(Debug, Default)]
pub(super) struct Rendered {
    /// Everything below the first heading.
    pub(super) html: String,
    /// Parts of the page, each from one heading to the next. The first one has no heading of its own.
    pub(super) sections: Vec<Section>,
    /// Targets of all links.
    pub(super) links: Vec<String>,
}

/// Part of a page.
#[derive(Debug, Default)]
pub(super) struct Section {
    /// Anchor, as GitHub makes it; empty for the first part.
    pub(super) id: String,
    /// Text of the heading.
    pub(super) title: String,
    /// Text without Markdown.
    pub(super) text: String,
}

/// Returns the Markdown of a document as a page.
pub(super) fn rendered(file: &str, markdown: &str) -> Rendered {
    let mut page = Rendered { sections: vec![Section::default()], ..Rendered::default() };
    let mut events = Vec::new();
    let mut heading: Option<Vec<Event<'_>>> = None;
    // True for each open link that leads somewhere.
    let mut open_links = Vec::new();
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES) {
        let made = match event {
            Event::Start(Tag::Heading { .. }) => {
                heading = Some(Vec::new());
                continue;
            }
            Event::End(TagEnd::Heading(level)) => {
                events.extend(page.begin_section(level, heading.take().unwrap_or_default()));
                continue;
            }
            Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
                let target = link_target(file, &dest_url);
                open_links.push(target.is_some());
                let Some(target) = target else { continue };
                page.links.push(target.clone());
                Event::Start(Tag::Link { link_type, dest_url: target.into(), title, id })
            }
            Event::End(TagEnd::Link) if open_links.pop() == Some(false) => continue,
            Event::Start(Tag::Image { link_type, dest_url, title, id }) => {
                let dest_url = picture_path(&repository_path(file, &dest_url)).into();
                Event::Start(Tag::Image { link_type, dest_url, title, id })
            }
            Event::Start(Tag::Table(columns)) => {
                events.push(Event::Html(r#"<div class="scroll" tabindex="0" role="group" aria-label="Table">"#.into()));
                // An alignment would be an inline style, which the policy forbids.
                Event::Start(Tag::Table(vec![Alignment::None; columns.len()]))
            }
            Event::End(TagEnd::Table) => {
                events.push(event);
                Event::Html("</div>\n".into())
            }
            Event::Text(ref text) | Event::Code(ref text) if heading.is_none() => {
                page.add_text(text);
                event
            }
            other => other,
        };
        heading.as_mut().unwrap_or(&mut events).push(made);
    }
    html::push_html(&mut page.html, events.into_iter());
    page
}

impl Rendered {
    /// Begins a section with its heading. Returns the events of the heading. The page has the first heading of a document as its title.
    fn begin_section<'a>(&mut self, level: HeadingLevel, inside: Vec<Event<'a>>) -> Vec<Event<'a>> {
        let texts = inside.iter().filter_map(|event| match event {
            Event::Text(text) | Event::Code(text) => Some(text.as_ref()),
            _ => None,
        });
        let title: String = texts.collect();
        if level == HeadingLevel::H1 {
            return Vec::new();
        }
        let id = anchor(&title);
        let before = self.sections.iter().filter(|section| anchor(&section.title) == id).count();
        let id = if before == 0 { id } else { format!("{id}-{before}") };
        self.sections.push(Section { id: id.clone(), title, text: String::new() });
        let start = Tag::Heading { level, id: Some(id.into()), classes: Vec::new(), attrs: Vec::new() };
        std::iter::once(Event::Start(start)).chain(inside).chain([Event::End(TagEnd::Heading(level))]).collect()
    }

    fn add_text(&mut self, text: &str) {
        if let Some(section) = self.sections.last_mut() {
            section.text.push_str(text);
            section.text.push(' ');
        }
    }
}

/// Returns the anchor of a heading, as GitHub makes it.
fn anchor(title: &str) -> String {
    let kept = title.chars().filter(|letter| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_'));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

/// Returns the target of a link in a page: itself if it leads outside, a page of the guide, or a file that the stack serves. `None` for a
/// file of the repository that it does not serve.
fn link_target(file: &str, link: &str) -> Option<String> {
    if link.contains("://") || link.starts_with('#') {
        return Some(link.to_owned());
    }
    let (path, heading) = link.split_once('#').map_or((link, String::new()), |(path, id)| (path, format!("#{id}")));
    let path = repository_path(file, path);
    if path == "shared/docs/openapi.json" {
        return Some("/api/v2/openapi.json".to_owned());
    }
    if PICTURES.iter().any(|(file, ..)| *file == path) {
        return Some(picture_path(&path));
    }
    let folder = format!("{path}/README.md");
    let document = DOCUMENTS.iter().find(|document| document.file == path || document.file == folder)?;
    Some(document.path() + &heading)
}

/// Returns the path in the repository of what a link in a file names.
fn repository_path(file: &str, link: &str) -> String {
    let mut parts: Vec<&str> = file.split('/').collect();
    parts.pop();
    for part in link.split('/') {
        match part {
            "." | "" => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// Returns the lists of pages, by reader, from the list of all documents. The current page is marked.
pub(super) fn navigation(current: &str) -> String {
    let mut lists = String::new();
    for (reader, pages) in readers() {
        let _ = writeln!(lists, "<h2>{reader}</h2>\n<ul>");
        for (document, _) in pages {
            let path = document.path();
            let mark = if path == current { " aria-current=\"page\"" } else { "" };
            let _ = writeln!(lists, "<li><a href=\"{path}\"{mark}>{}</a></li>", escaped(&document.title()));
        }
        lists.push_str("</ul>\n");
    }
    lists
}

/// Returns the list of all pages in the form of llms.txt.
pub(super) fn list_for_programs() -> String {
    let mut list = "# presence\n\n> Users, business categories and reviews of companies with many shops: a JSON API on AWS, and its local stack.\n".to_owned();
    for (reader, pages) in readers() {
        let _ = writeln!(list, "\n## {reader}\n");
        for (document, tells) in pages {
            let _ = writeln!(list, "- [{}]({}): {tells}", document.file, document.markdown_path());
        }
    }
    list
}

/// Returns the readers, each with its documents and what they tell, as the list of all documents has them.
fn readers() -> Vec<(&'static str, Vec<(Document, String)>)> {
    let list = DOCUMENTS.iter().find(|document| document.path() == GUIDE_PATH).map_or("", |document| document.text);
    let mut readers: Vec<(&str, Vec<(Document, String)>)> = Vec::new();
    for line in list.lines() {
        if let Some(reader) = line.strip_prefix("## ") {
            readers.push((reader, Vec::new()));
        }
        let Some((link, tells)) = line.strip_prefix("| [").and_then(|row| row.split_once(" | ")) else { continue };
        let Some((_, pages)) = readers.last_mut() else { continue };
        for target in link.split("](").skip(1).filter_map(|target| target.split(')').next()) {
            let target = repository_path(&format!("{DOCS_FOLDER}README.md"), target);
            let document = DOCUMENTS.iter().find(|document| document.file == target);
            pages.extend(document.map(|document| (*document, tells.trim_end_matches(" |").replace("**", ""))));
        }
    }
    readers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_have_the_anchors_of_github_and_links_lead_into_the_guide() {
        for (markdown, expected) in [
            ("# T\n\n## 0011: `a@b` & more\n", "<h2 id=\"0011-ab--more\">0011: <code>a@b</code> &amp; more</h2>\n"),
            ("## A\n\n## A\n", "<h2 id=\"a\">A</h2>\n<h2 id=\"a-1\">A</h2>\n"),
            ("[x](../api.md#pages)", "<p><a href=\"/guide/api#pages\">x</a></p>\n"),
            ("[x](README.md)", "<p><a href=\"/guide/decisions\">x</a></p>\n"),
            ("[x](../openapi.json)", "<p><a href=\"/api/v2/openapi.json\">x</a></p>\n"),
            ("[x](../../../tools/ci/README.md)", "<p>x</p>\n"),
            ("[x](https://example.org/a)", "<p><a href=\"https://example.org/a\">x</a></p>\n"),
        ] {
            assert_eq!(rendered("shared/docs/decisions/users.md", markdown).html, expected, "{markdown}");
        }
    }

    #[test]
    fn each_reader_has_pages() {
        let found: Vec<_> = readers().iter().map(|(reader, pages)| (*reader, pages.len() > 5)).collect();
        assert_eq!(found, [("For clients", true), ("For operators", true), ("For developers", true)]);
    }
}
