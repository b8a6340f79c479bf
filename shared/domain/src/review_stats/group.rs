//! Properties by which reviews are grouped.

use crate::calendar::{Day, Month};
use crate::ids::BusinessId;
use crate::review::{Partner, Rating, ReviewState};

crate::listed_enum! {
    /// Property by which reviews are grouped.
    pub enum GroupBy {
        /// Day of the effective instant, in UTC.
        Day => "day",
        /// Month of the effective instant, in UTC.
        Month => "month",
        /// Year of the effective instant, in UTC.
        Year => "year",
        /// Business that was reviewed.
        Business => "business",
        /// City of the business, over all organisations.
        City => "city",
        /// Partner that published the review.
        Partner => "partner",
        /// Progress of the review.
        State => "state",
        /// Stars.
        Rating => "rating",
    }
}

/// Value of the property that the reviews of a group have in common. Keys of one property are ordered as an answer lists them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GroupKey {
    /// Day in UTC.
    Day(Day),
    /// Month in UTC.
    Month(Month),
    /// Year in UTC.
    Year(i64),
    /// Business.
    Business(BusinessId),
    /// City.
    City {
        /// Name as a [`city_key`](crate::text::city_key).
        key: String,
        /// Name as the business of the lowest id writes it.
        name: String,
    },
    /// Partner.
    Partner(Partner),
    /// State.
    State(ReviewState),
    /// Stars.
    Rating(Rating),
}

impl std::fmt::Display for GroupKey {
    /// Writes the key of a group in an answer.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Day(day) => day.fmt(f),
            Self::Month(month) => month.fmt(f),
            Self::Year(year) => write!(f, "{year:04}"),
            Self::Business(id) => f.write_str(id.as_str()),
            Self::City { key, .. } => f.write_str(key),
            Self::Partner(partner) => f.write_str(partner.as_str()),
            Self::State(state) => f.write_str(state.as_str()),
            Self::Rating(rating) => rating.get().fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_written_as_answers_show_them() {
        let second = 1_762_172_103; // 2025-11-03T12:15:03
        let day = Day::of(second);
        let business = BusinessId::parse("b1").expect("an id");
        let city = GroupKey::City { key: "saint etienne".to_owned(), name: "Saint-Étienne".to_owned() };
        let rating = Rating::new(4).expect("a rating");
        for (key, shown) in [
            (GroupKey::Day(day), "2025-11-03"),
            (GroupKey::Month(day.month()), "2025-11"),
            (GroupKey::Year(987), "0987"),
            (GroupKey::Business(business), "b1"),
            (city, "saint etienne"),
            (GroupKey::Partner(Partner::Partner9), "partner_9"),
            (GroupKey::State(ReviewState::NotTreated), "not_treated"),
            (GroupKey::Rating(rating), "4"),
        ] {
            assert_eq!(key.to_string(), shown);
        }
    }

    #[test]
    fn keys_of_partners_and_states_ascend_in_their_fixed_order() {
        let partners = Partner::ALL.map(GroupKey::Partner);
        let states = ReviewState::ALL.map(GroupKey::State);
        assert!(partners.is_sorted() && states.is_sorted());
    }
}
