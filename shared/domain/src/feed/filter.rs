//! Filter of events by their kinds.

use crate::error::FieldError;
use crate::event::EventKind;

crate::listed_enum! {
    /// Kinds of events about one sort of thing.
    pub enum EventGroup {
        /// Users.
        Users => "user.*",
        /// Invitations of users.
        Invitations => "invitation.*",
        /// Reviews.
        Reviews => "review.*",
        /// Replies to reviews.
        Replies => "reply.*",
        /// Keys of users.
        Keys => "key.*",
        /// Webhooks.
        Webhooks => "webhook.*",
    }
}

/// Kind of events, or a group of kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventPattern {
    /// One kind.
    One(EventKind),
    /// All kinds of a group.
    All(EventGroup),
}

/// Filter of events: those that one of the patterns admits, or all if there is none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventFilter(pub Vec<EventPattern>);

impl EventPattern {
    /// Reads the name of a kind or of a group.
    pub fn parse(text: &str) -> Result<Self, FieldError> {
        let group = || EventGroup::parse(text).map(Self::All);
        EventKind::parse(text).map(Self::One).or_else(group).ok_or_else(|| {
            let groups = EventGroup::ALL.into_iter().map(EventGroup::as_str);
            FieldError::choice(groups.chain(EventKind::ALL.into_iter().map(EventKind::as_str)))
        })
    }

    /// Returns the spelling.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::One(kind) => kind.as_str(),
            Self::All(group) => group.as_str(),
        }
    }

    fn admits(self, kind: EventKind) -> bool {
        match self {
            Self::One(one) => one == kind,
            Self::All(group) => kind.as_str().starts_with(group.as_str().trim_end_matches('*')),
        }
    }
}

impl EventFilter {
    /// True if the filter lets events of this kind through.
    pub fn admits(&self, kind: EventKind) -> bool {
        self.0.is_empty() || self.0.iter().any(|pattern| pattern.admits(kind))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_in_one_group_and_every_group_has_kinds() {
        for kind in EventKind::ALL {
            let groups = EventGroup::ALL.into_iter().filter(|group| EventPattern::All(*group).admits(kind));
            assert_eq!(groups.count(), 1, "{kind:?}");
        }
        for group in EventGroup::ALL {
            assert!(EventKind::ALL.into_iter().any(|kind| EventPattern::All(group).admits(kind)), "{group:?}");
        }
    }

    #[test]
    fn a_filter_admits_what_it_names_and_an_empty_one_everything() {
        let filter = |names: &[&str]| {
            EventFilter(names.iter().map(|name| EventPattern::parse(name).expect("a pattern")).collect())
        };
        for (names, kind, is_admitted) in [
            (&[][..], EventKind::KeyIssued, true),
            (&["review.*"], EventKind::ReviewDeleted, true),
            (&["review.*"], EventKind::ReplyPublished, false),
            (&["user.created", "key.*"], EventKind::KeyIssued, true),
            (&["user.created", "key.*"], EventKind::UserUpdated, false),
        ] {
            assert_eq!(filter(names).admits(kind), is_admitted, "{names:?} {kind:?}");
        }
        for text in ["", "*", "review", "review.", "Review.*", "user.moved"] {
            assert!(EventPattern::parse(text).is_err(), "{text}");
        }
    }
}
