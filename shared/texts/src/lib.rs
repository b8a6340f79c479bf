//! What people read, in every language: one table of texts for each. A text that is missing does not compile.

mod de;
mod en;
mod es;
mod fr;
mod it;
mod pt;

use jiff::SignedDuration;

use presence_domain::user::Lang;

/// [`SERVICE`], for texts that are put together when compiled.
macro_rules! service {
    () => {
        "Presence"
    };
}
use service;

/// What people know the service as.
pub const SERVICE: &str = service!();

/// The texts of one language. Nothing in them is HTML, and none is made by a user.
#[derive(Debug)]
pub struct Texts {
    /// The language.
    pub lang: Lang,
    /// How people are greeted.
    pub greeting: Greeting,
    /// Durations.
    pub units: Units,
    /// The invitation.
    pub mail: Mail,
    /// The page that the invitation leads to.
    pub page: Page,
}

/// A greeting, with or without a name. The sentence after it begins as this language wants it.
#[derive(Debug)]
pub struct Greeting {
    /// "Hello".
    pub hello: &'static str,
    /// Between greeting and name.
    pub before_name: &'static str,
    /// Ends the greeting.
    pub after_name: &'static str,
}

/// Units of time: of one, and of more.
#[derive(Debug)]
pub struct Units {
    /// 24 hours.
    pub days: [&'static str; 2],
    /// 60 minutes.
    pub hours: [&'static str; 2],
    /// The smallest.
    pub minutes: [&'static str; 2],
}

/// The texts of the invitation.
#[derive(Debug)]
pub struct Mail {
    /// The subject.
    pub subject: &'static str,
    /// What this is about; follows the greeting.
    pub intro: &'static str,
    /// The button.
    pub button: &'static str,
    /// Leads to the link, where there is no button.
    pub open: &'static str,
    /// Leads to the link, below the button.
    pub copy: &'static str,
    /// How long the link works: takes a duration with its unit.
    pub life: fn(&str) -> String,
    /// Whom the link is for.
    pub private: &'static str,
    /// What to do when one did not expect this.
    pub unexpected: &'static str,
}

/// The texts of the page.
#[derive(Debug)]
pub struct Page {
    /// Heading of the form.
    pub title: &'static str,
    /// What the form is for; follows the greeting.
    pub intro: &'static str,
    /// Label of the address.
    pub email: &'static str,
    /// Label of the password.
    pub password: &'static str,
    /// What a password may be: takes the least and the most characters.
    pub hint: fn(usize, usize) -> String,
    /// Label of the second password.
    pub confirmation: &'static str,
    /// The button.
    pub save: &'static str,
    /// Heading over what is wrong.
    pub wrong: &'static str,
    /// The password is too short: takes the least characters.
    pub too_short: fn(usize) -> String,
    /// The password is too long: takes the most characters.
    pub too_long: fn(usize) -> String,
    /// The password has control characters.
    pub control: &'static str,
    /// The two passwords differ.
    pub mismatch: &'static str,
    /// The password was set.
    pub done: Notice,
    /// The link's time is over.
    pub expired: Notice,
    /// The link was used.
    pub used: Notice,
    /// A newer link was sent.
    pub replaced: Notice,
    /// There is no such link.
    pub unknown: Notice,
    /// The form came from another site.
    pub foreign: Notice,
    /// The request is none that the page understands.
    pub rejected: Notice,
    /// The service cannot answer now.
    pub unavailable: Notice,
}

/// A page that only says something.
#[derive(Clone, Copy, Debug)]
pub struct Notice {
    /// Its heading.
    pub title: &'static str,
    /// What it says.
    pub text: &'static str,
}

impl Texts {
    /// The texts of a language.
    #[must_use]
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

    /// A duration in the unit that says it best; a part of the unit is left out, so that no more is promised than is true.
    #[must_use]
    pub fn duration(&self, duration: SignedDuration) -> String {
        /// From so many on, hours are precise enough.
        const HOURS: i64 = 3;
        let (minutes, hours) = (duration.as_mins(), duration.as_hours());
        let (count, unit) = match (hours, minutes) {
            (24.., _) if minutes % (24 * 60) == 0 => (hours / 24, &self.units.days),
            (HOURS.., _) => (hours, &self.units.hours),
            (1.., _) if minutes % 60 == 0 => (hours, &self.units.hours),
            _ => (minutes.max(1), &self.units.minutes),
        };
        // In all six languages one is the only whole number from 1 on that takes the singular.
        format!("{count}\u{a0}{}", unit[usize::from(count != 1)])
    }
}

#[cfg(test)]
mod tests;
