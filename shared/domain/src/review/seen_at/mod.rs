//! Order of what partners say about one review: which row wins.

use std::cmp::Ordering;
use std::fmt;

use jiff::{SignedDuration, Timestamp};

use super::Review;

/// Instant at which a partner said what a row says, with what orders rows of the same instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeenAt {
    /// Instant in microseconds since 1970.
    pub at: i64,
    /// Place of the row; `None` for a row of an operator's file, whose order the file gives.
    pub place: Option<RowPlace>,
    /// Effect that the row had.
    pub effect: RowEffect,
}

/// Effect of the row that wrote a stamp. A row that comes a second time has its first outcome again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RowEffect {
    /// It made the review.
    Created,
    /// It changed the review, or has not been written.
    #[default]
    Updated,
    /// It found its content stored already, and changed the stamp only.
    Confirmed,
}

/// Place of a row among all objects that arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RowPlace {
    /// Time of the object, in microseconds since 1970.
    pub object_at: i64,
    /// Number of the line in the object, from 1. In a message of another sender, the low bits; above them are those of its sequence number.
    pub line: u64,
}

/// Number of bits of a line in a message. A message has 1 MiB at most.
const MESSAGE_LINE_BITS: u32 = 20;
/// Number of the low bits of a sequence number that are kept. Only messages of one millisecond are compared by them.
const SEQUENCE_BITS: u32 = u64::BITS - MESSAGE_LINE_BITS;

impl RowPlace {
    /// Returns the place of a row in a message of another sender. The queue tells its time in milliseconds. The sequence number decides
    /// between messages of one millisecond: each message of a group has a greater one than the message before it.
    pub fn in_message(object_at: i64, sequence: u128, line: u64) -> Self {
        let low_bits = |number: u128, bits: u32| u64::try_from(number & ((1 << bits) - 1)).unwrap_or_default();
        let line = line.min((1 << MESSAGE_LINE_BITS) - 1);
        Self { object_at, line: (low_bits(sequence, SEQUENCE_BITS) << MESSAGE_LINE_BITS) | line }
    }

    /// Place behind all objects, of an operator's row that overruled what had arrived.
    pub const LAST: Self = Self { object_at: i64::MAX, line: u64::MAX };
}

/// Longest time by which a row may be ahead of the clock of its reader. Clocks of partners differ, and the day of a time zone may
/// begin 14 hours before that of UTC.
pub(super) const MAX_TIME_AHEAD: SignedDuration = SignedDuration::from_hours(24);

impl SeenAt {
    /// True if the instant is more than 24 hours after the present one. Such a stamp would win over every row until then.
    pub fn is_in_future(&self, now: Timestamp) -> bool {
        i128::from(self.at) > i128::from(now.as_microsecond()) + MAX_TIME_AHEAD.as_micros()
    }

    /// Returns the instant in whole seconds since 1970.
    pub fn second(self) -> i64 {
        self.at.div_euclid(1_000_000)
    }

    /// Returns the stamp of a row that says when it was seen.
    pub fn at(at: i64) -> Self {
        Self { at, place: None, effect: RowEffect::Updated }
    }

    /// Returns the stamp of an operator's row with this instant.
    #[must_use]
    pub fn without_place(self) -> Self {
        Self::at(self.at)
    }

    /// Reads a stamp in the form that [`SeenAt`] is shown in; `None` for another form.
    pub fn parse(text: &str) -> Option<Self> {
        let (rest, effect) = match (text.strip_suffix('='), text.strip_suffix('+')) {
            (Some(rest), _) => (rest, RowEffect::Confirmed),
            (_, Some(rest)) => (rest, RowEffect::Created),
            (None, None) => (text, RowEffect::Updated),
        };
        let (times, line) = rest.split_once('#').map_or((rest, None), |(times, line)| (times, Some(line)));
        let (at, object_at) = times.split_once('@').map_or((times, times), |(at, object_at)| (at, object_at));
        let line: Option<u64> = line.map(str::parse).transpose().ok()?;
        let object_at = object_at.parse().ok()?;
        Some(Self { at: at.parse().ok()?, place: line.map(|line| RowPlace { object_at, line }), effect })
    }

    /// Returns the stamp behind every object of its instant, if an object wrote it.
    fn with_last_place(self) -> Self {
        Self { place: self.place.map(|_| RowPlace::LAST), effect: RowEffect::Updated, ..self }
    }

    /// Compares two stamps by instant, then by place. `None` if they have the same instant, and a place is missing.
    fn compare(self, other: Self) -> Option<Ordering> {
        match (self.at.cmp(&other.at), self.place, other.place) {
            (Ordering::Equal, Some(place), Some(other)) => Some(place.cmp(&other)),
            (Ordering::Equal, ..) => None,
            (order, ..) => Some(order),
        }
    }
}

impl fmt::Display for SeenAt {
    /// Shows the stored form: the instant, `@` and the time of the object if that is another one, and `#` and the line. At the end is `+`
    /// for a row that made the review, or `=` for one that confirmed it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.at)?;
        if let Some(RowPlace { object_at, line }) = self.place {
            if object_at != self.at {
                write!(f, "@{object_at}")?;
            }
            write!(f, "#{line}")?;
        }
        f.write_str(match self.effect {
            RowEffect::Created => "+",
            RowEffect::Updated => "",
            RowEffect::Confirmed => "=",
        })
    }
}

/// Outcome of a row, as reports count it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RowOutcome {
    /// The row made a new review.
    Created,
    /// The row changed a review.
    Updated,
    /// The row changed nothing that anybody sees.
    Unchanged,
}

/// Review after a row, and the outcome of the row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AcceptedRow {
    /// Review to be stored. Id and version are those of the stored one, if there is one.
    pub review: Review,
    /// Outcome to be counted.
    pub outcome: RowOutcome,
}

impl Review {
    /// Decides which row wins: returns the review after a row, given what is stored.
    ///
    /// A row that is older than what is stored changes nothing. One of the same instant and place wins if its content is greater, so
    /// that the order of arrival decides nothing. A row without a stamp wins always, and keeps the stored instant. The place of the
    /// business is no word of the partner: it is always the row's, and has no part in the outcome. State and reply that were changed here
    /// follow rules of their own: a row that wins may say nothing about them.
    pub fn accept(stored: Option<&Self>, row: &Self) -> AcceptedRow {
        let Some(stored) = stored else {
            let seen_at = row.seen_at.map(|seen| SeenAt { effect: RowEffect::Created, ..seen });
            return AcceptedRow { review: Self { seen_at, ..row.clone() }, outcome: RowOutcome::Created };
        };
        let order = match (row.seen_at, stored.seen_at) {
            (Some(row), Some(stored)) => row.compare(stored),
            _ => None,
        };
        let located = Self { org_id: row.org_id, city_key: row.city_key.clone(), ..stored.clone() };
        let met = stored.met_by(row);
        let is_same = located.content_eq(&met);
        if order == Some(Ordering::Equal) && is_same {
            return AcceptedRow { review: located, outcome: stored.first_outcome() };
        }
        let wins = match order {
            None | Some(Ordering::Greater) => true,
            Some(Ordering::Equal) => met.content_key() > stored.content_key(),
            Some(Ordering::Less) => false,
        };
        if !wins {
            return AcceptedRow { review: located, outcome: RowOutcome::Unchanged };
        }
        if is_same {
            let review = Self { seen_at: stored.confirmed_by(row), ..located };
            return AcceptedRow { review, outcome: RowOutcome::Unchanged };
        }
        let review = Self { seen_at: stored.overruled_by(row), ..met };
        AcceptedRow { review, outcome: RowOutcome::Updated }
    }

    /// Returns the outcome of the row that wrote this stamp, which comes a second time: its first outcome.
    fn first_outcome(&self) -> RowOutcome {
        match self.seen_at.map(|seen| seen.effect) {
            Some(RowEffect::Created) => RowOutcome::Created,
            Some(RowEffect::Updated) => RowOutcome::Updated,
            Some(RowEffect::Confirmed) | None => RowOutcome::Unchanged,
        }
    }

    /// Returns the stamp after a row with the same content. A stamp without a place tells nothing new at its own instant.
    fn confirmed_by(&self, row: &Self) -> Option<SeenAt> {
        match (self.seen_at, row.seen_at) {
            (stored, None) => stored,
            (Some(stored), Some(row)) if stored.at == row.at && row.place.is_none() => Some(stored),
            (_, Some(row)) => Some(SeenAt { effect: RowEffect::Confirmed, ..row }),
        }
    }

    /// Returns the stamp after a row with another content. An operator's row stands behind every object of the stored instant, so
    /// that no object that comes again takes it back.
    fn overruled_by(&self, row: &Self) -> Option<SeenAt> {
        match (self.seen_at, row.seen_at) {
            (Some(stored), None) => Some(stored.with_last_place()),
            (Some(stored), Some(row)) if stored.at == row.at && row.place.is_none() => Some(stored.with_last_place()),
            (_, row) => row,
        }
    }

    /// Returns what orders two contents of one instant and place.
    fn content_key(&self) -> impl Ord + '_ {
        let texts =
            [&self.author_name, &self.title, &self.content, &self.reply_comment, &self.link].map(Option::as_deref);
        (self.update_date, self.date, self.delete_date, self.state, self.rating, texts, self.key.as_str())
    }
}

#[cfg(test)]
mod tests;
