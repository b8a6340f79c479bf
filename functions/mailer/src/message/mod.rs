//! Texts of the mails.

use askama::Template;
use jiff::SignedDuration;
use presence_domain::display::display_name;
use presence_domain::invitation::{DisabledWebhook, InvitationOrigin};
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
    subject: &'a str,
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

#[derive(Template)]
#[template(path = "webhook.html")]
struct WebhookHtml<'a> {
    texts: &'a Texts,
    subject: &'a str,
    name: &'a str,
    /// Lines about the webhook: label and value.
    rows: &'a [(&'a str, String)],
    /// Call that enables it.
    call: &'a str,
}

#[derive(Template)]
#[template(path = "webhook.txt")]
struct WebhookText<'a> {
    texts: &'a Texts,
    name: &'a str,
    rows: &'a [(&'a str, String)],
    call: &'a str,
}

impl Message {
    /// Returns an invitation in the user's language, or in English if none was chosen. It names its origin as far as that is known.
    /// The link works for `life` from now on.
    ///
    /// # Panics
    ///
    /// Never: nothing in the templates can fail.
    pub fn invitation(user: &User, origin: &InvitationOrigin, link: &str, life: SignedDuration) -> Self {
        let texts = Texts::of(user.lang.unwrap_or_default());
        let (name, life) = (&name_of(user), (texts.mail.life)(&texts.duration(life)));
        let organisation = origin.displayed_organisation().map(|name| (texts.mail.organisation, name));
        let inviter = origin.displayed_inviter().map(|name| (texts.mail.invited_by, name));
        let origin: Vec<_> = organisation.into_iter().chain(inviter).collect();
        let subject = texts.mail.subject;
        let html = Html { texts, subject, name, origin: &origin, link, life: &life };
        let html = html.render().expect("text renders into memory");
        let text = Text { texts, name, origin: &origin, link, life: &life }.render().expect("text renders into memory");
        Self { subject: subject.to_owned(), html, text: wrapped(&text, link) }
    }

    /// Returns a notice in the user's language that a webhook was disabled. It has the host of the address only, since the rest may be a
    /// secret.
    ///
    /// # Panics
    ///
    /// Never: nothing in the templates can fail.
    pub fn webhook_disabled(user: &User, origin: &InvitationOrigin, webhook: &DisabledWebhook) -> Self {
        let texts = Texts::of(user.lang.unwrap_or_default());
        let (name, call) = (&name_of(user), &format!("POST /api/v2/webhooks/{}/enable", webhook.id));
        let organisation = origin.displayed_organisation().map(|name| (texts.mail.organisation, name));
        let label = webhook.label.as_deref().map(|label| (texts.webhook.label, display_name(label).trim().to_owned()));
        let host = [(texts.webhook.host, webhook.host.clone())];
        let rows: Vec<_> = organisation.into_iter().chain(host).chain(label).collect();
        let subject = texts.webhook.subject;
        let html = WebhookHtml { texts, subject, name, rows: &rows, call }.render().expect("text renders into memory");
        let text = WebhookText { texts, name, rows: &rows, call }.render().expect("text renders into memory");
        Self { subject: subject.to_owned(), html, text: wrapped(&text, call) }
    }
}

/// Returns the name of a user as mails show it.
fn name_of(user: &User) -> String {
    let names = [display_name(user.first_name.as_str()), display_name(user.last_name.as_str())];
    names.join(" ").trim().to_owned()
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
