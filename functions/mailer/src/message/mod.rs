//! Text of the invitation.

use askama::Template;
use jiff::SignedDuration;
use presence_domain::display::display_name;
use presence_domain::invitation::InvitationOrigin;
use presence_domain::user::User;
use presence_texts::Texts;
use textwrap::WordSplitter;

/// Largest number of characters in a line of the plain text, by RFC 5322.
const LINE: usize = 78;

/// Subject and text of a mail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Subject: one line, without any text of a user.
    pub subject: String,
    /// HTML document.
    pub html: String,
    /// Plain text, for programs that show no HTML. No line but that of the link has more than 78 characters.
    pub text: String,
}

#[derive(Template)]
#[template(path = "invitation.html")]
struct Html<'a> {
    texts: &'a Texts,
    name: &'a str,
    /// Lines about who invites: label and name.
    origin: &'a [(&'a str, String)],
    link: &'a str,
    life: &'a str,
}

#[derive(Template)]
#[template(path = "invitation.txt")]
struct Text<'a> {
    texts: &'a Texts,
    name: &'a str,
    /// Lines about who invites: label and name.
    origin: &'a [(&'a str, String)],
    link: &'a str,
    life: &'a str,
}

impl Message {
    /// Returns an invitation in the user's language, or in English if none was chosen. It names its origin as far as that is known.
    /// The link works for `life` from now on.
    ///
    /// # Panics
    ///
    /// Never: nothing in the templates can fail.
    #[must_use]
    pub fn invitation(user: &User, origin: &InvitationOrigin, link: &str, life: SignedDuration) -> Self {
        let texts = Texts::of(user.lang.unwrap_or_default());
        let names = [display_name(user.first_name.as_str()), display_name(user.last_name.as_str())];
        let name = names.join(" ");
        let (name, life) = (name.trim(), (texts.mail.life)(&texts.duration(life)));
        let organisation = origin.displayed_organisation().map(|name| (texts.mail.organisation, name));
        let inviter = origin.displayed_inviter().map(|name| (texts.mail.invited_by, name));
        let origin: Vec<_> = organisation.into_iter().chain(inviter).collect();
        let html = Html { texts, name, origin: &origin, link, life: &life }.render().expect("text renders into memory");
        let text = Text { texts, name, origin: &origin, link, life: &life }.render().expect("text renders into memory");
        Self { subject: texts.mail.subject.to_owned(), html, text: wrapped(&text, link) }
    }
}

/// Breaks lines between words; the link stays whole.
fn wrapped(text: &str, link: &str) -> String {
    let options = textwrap::Options::new(LINE)
        .word_separator(textwrap::WordSeparator::AsciiSpace)
        .word_splitter(WordSplitter::NoHyphenation);
    let lines = text.lines().map(|line| if line == link { line.to_owned() } else { textwrap::fill(line, &options) });
    lines.flat_map(|line| [line, "\n".to_owned()]).collect()
}

#[cfg(test)]
mod tests;
