//! Texts that people read, in six languages: the mails, and the page that an invitation leads to.
//!
//! Each language is one value of the struct [`Texts`]. A text that a language lacks does not compile.

mod de;
mod en;
mod es;
mod fr;
mod it;
mod pt;

use jiff::SignedDuration;

use presence_domain::user::Lang;

/// Expands to [`SERVICE`]. `concat!` takes literals only.
macro_rules! service {
    () => {
        "Presence"
    };
}
use service;

/// Name of the service.
pub const SERVICE: &str = service!();

/// Texts of one language. None of them holds HTML or input of users.
#[derive(Debug)]
pub struct Texts {
    /// Language of the texts.
    pub lang: Lang,
    /// Greeting of mails and pages.
    pub greeting: Greeting,
    /// Units of durations.
    pub units: Units,
    /// Texts of the invitation's mail.
    pub mail: MailTexts,
    /// Texts of the mail about a webhook that was disabled.
    pub webhook: WebhookTexts,
    /// Texts of the page that the invitation leads to.
    pub page: PageTexts,
}

/// Parts of a greeting. The name between them may be missing.
#[derive(Debug)]
pub struct Greeting {
    /// Word of greeting, such as "Hello".
    pub hello: &'static str,
    /// Text between the word and the name.
    pub before_name: &'static str,
    /// Punctuation at the end.
    pub after_name: &'static str,
}

/// Units of a duration.
#[derive(Debug)]
pub struct Units {
    /// Unit of 24 hours.
    pub days: Unit,
    /// Unit of 60 minutes.
    pub hours: Unit,
    /// Smallest unit.
    pub minutes: Unit,
}

/// Forms of a unit. In all six languages, one is the only whole number from 1 on that takes the singular.
#[derive(Debug)]
pub struct Unit {
    /// Form for one.
    pub singular: &'static str,
    /// Form for all other numbers.
    pub plural: &'static str,
}

/// Texts of the invitation's mail.
#[derive(Debug)]
pub struct MailTexts {
    /// Subject of the mail.
    pub subject: &'static str,
    /// Reason for the mail, after the greeting.
    pub intro: &'static str,
    /// Label before the name of the organisation.
    pub organisation: &'static str,
    /// Label before the name of the person who invites.
    pub invited_by: &'static str,
    /// Label of the button.
    pub button: &'static str,
    /// Sentence before the link in a mail without a button.
    pub open: &'static str,
    /// Sentence before the link below the button.
    pub copy: &'static str,
    /// Sentence about the lifetime of the link. Takes a duration with its unit.
    pub life: fn(&str) -> String,
    /// Request to keep the link private.
    pub private: &'static str,
    /// Advice to a person who did not expect the mail.
    pub unexpected: &'static str,
}

/// Texts of the mail about a webhook that was disabled.
#[derive(Debug)]
pub struct WebhookTexts {
    /// Subject of the mail.
    pub subject: &'static str,
    /// Event, after the greeting.
    pub intro: &'static str,
    /// Label before the host.
    pub host: &'static str,
    /// Label before the name that people gave to the webhook.
    pub label: &'static str,
    /// Reason.
    pub reason: &'static str,
    /// Sentence before the call that enables it.
    pub enable: &'static str,
    /// Sentence about what is not lost.
    pub kept: &'static str,
}

/// Texts of the page that an invitation leads to.
#[derive(Debug)]
pub struct PageTexts {
    /// Heading of the form.
    pub title: &'static str,
    /// Purpose of the form, after the greeting.
    pub intro: &'static str,
    /// Label of the e-mail address.
    pub email: &'static str,
    /// Label of the password.
    pub password: &'static str,
    /// Rule for passwords. Takes the minimum and the maximum number of characters.
    pub hint: fn(usize, usize) -> String,
    /// Label of the repeated password.
    pub confirmation: &'static str,
    /// Label of the button.
    pub save: &'static str,
    /// Heading of the list of errors.
    pub wrong: &'static str,
    /// Error of a password that is too short. Takes the minimum number of characters.
    pub too_short: fn(usize) -> String,
    /// Error of a password that is too long. Takes the maximum number of characters.
    pub too_long: fn(usize) -> String,
    /// Error of a password with control characters.
    pub control: &'static str,
    /// Error of two passwords that differ.
    pub mismatch: &'static str,
    /// Notice after the password was saved.
    pub done: Notice,
    /// Paragraph of that notice if there is a page to sign in.
    pub ready_to_sign_in: &'static str,
    /// Label of the link to that page.
    pub sign_in: &'static str,
    /// Notice about an expired link.
    pub expired: Notice,
    /// Notice about a used link.
    pub used: Notice,
    /// Notice about a link that a newer mail replaced.
    pub replaced: Notice,
    /// Notice about a link that does not exist.
    pub unknown: Notice,
    /// Notice about a form that another site sent.
    pub foreign: Notice,
    /// Notice about a request that the page does not understand.
    pub rejected: Notice,
    /// Notice about an error of the service.
    pub unavailable: Notice,
}

/// Text of a page without a form.
#[derive(Clone, Copy, Debug)]
pub struct Notice {
    /// Heading of the page.
    pub title: &'static str,
    /// Paragraph below the heading.
    pub text: &'static str,
}

impl Texts {
    /// Returns the texts of a language.
    pub fn of(lang: Lang) -> &'static Self {
        match lang {
            Lang::En => &en::TEXTS,
            Lang::Fr => &fr::TEXTS,
            Lang::Es => &es::TEXTS,
            Lang::It => &it::TEXTS,
            Lang::De => &de::TEXTS,
            Lang::Pt => &pt::TEXTS,
        }
    }

    /// Returns a duration in the unit that fits best. It is rounded down, so that a link never ends before the time that is promised.
    pub fn duration(&self, duration: SignedDuration) -> String {
        /// From this number on, a duration in hours is precise enough.
        const MIN_ROUNDED_HOURS: i64 = 3;
        let (minutes, hours) = (duration.as_mins(), duration.as_hours());
        let (count, unit) = match (hours, minutes) {
            (24.., _) if minutes % (24 * 60) == 0 => (hours / 24, &self.units.days),
            (MIN_ROUNDED_HOURS.., _) => (hours, &self.units.hours),
            (1.., _) if minutes % 60 == 0 => (hours, &self.units.hours),
            _ => (minutes.max(1), &self.units.minutes),
        };
        let unit = if count == 1 { unit.singular } else { unit.plural };
        format!("{count}\u{a0}{unit}")
    }
}

#[cfg(test)]
mod tests;
