//! Links that a user was sent.

use jiff::{SignedDuration, Timestamp};

use super::token::ActivationTokenHash;

/// Number of links that are remembered, so that the page of an old one can explain it. More are sent only if the outcomes of a
/// dozen attempts are unknown.
const REMEMBERED: usize = 16;

crate::listed_enum! {
    /// Stored state of a link.
    pub enum LinkState {
        /// The link works until it expires.
        Live => "live",
        /// A password was set, with this link or otherwise.
        Used => "used",
        /// A newer link was sent.
        Replaced => "replaced",
    }
}

/// Link, by the digest of its token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvitationLink {
    /// Digest of its token.
    pub hash: ActivationTokenHash,
    /// Instant at which it stops working.
    pub expires_at: Timestamp,
    /// State.
    pub state: LinkState,
}

/// Status of a link at an instant, for the page that it leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkStatus {
    /// A password may be set.
    Open,
    /// The link has expired.
    Expired,
    /// This link, or another of the user, was used.
    Used,
    /// A newer link was sent.
    Replaced,
    /// The user was sent no such link.
    Unknown,
}

/// Links of a user, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InvitationLinks(Vec<InvitationLink>);

impl InvitationLinks {
    /// Wraps stored links, oldest first.
    pub fn new(links: Vec<InvitationLink>) -> Self {
        Self(links)
    }

    /// Returns the links, oldest first.
    pub fn as_slice(&self) -> &[InvitationLink] {
        &self.0
    }

    /// Adds a link that is about to be sent. It works from now on, since nobody knows when the mail arrives. Older links go on
    /// working.
    pub fn add(&mut self, hash: ActivationTokenHash, now: Timestamp, life: SignedDuration) {
        self.0.push(InvitationLink {
            hash,
            expires_at: now.saturating_add(life).unwrap_or(Timestamp::MAX),
            state: LinkState::Live,
        });
        let forgotten = self.0.len().saturating_sub(REMEMBERED);
        self.0.drain(..forgotten);
    }

    /// Marks the links before this one as replaced: it was certainly sent.
    pub fn was_sent(&mut self, hash: ActivationTokenHash) {
        let older = self.0.iter_mut().take_while(|link| link.hash != hash);
        for link in older.filter(|link| link.state == LinkState::Live) {
            link.state = LinkState::Replaced;
        }
    }

    /// Removes a link that was certainly not sent: nobody has it.
    pub fn was_not_sent(&mut self, hash: ActivationTokenHash) {
        self.0.retain(|link| link.hash != hash);
    }

    /// Marks the live links as used: a password was set.
    pub fn use_up(&mut self) {
        for link in self.0.iter_mut().filter(|link| link.state == LinkState::Live) {
            link.state = LinkState::Used;
        }
    }

    /// Removes the live links, except those that `stays` names.
    pub fn remove_unless(&mut self, stays: impl Fn(ActivationTokenHash) -> bool) {
        self.0.retain(|link| link.state != LinkState::Live || stays(link.hash));
    }

    /// True if the user was sent this link, and nothing but time ends it.
    pub fn is_live(&self, hash: ActivationTokenHash) -> bool {
        self.0.iter().any(|link| link.hash == hash && link.state == LinkState::Live)
    }

    /// True if the user was sent this link, and it is remembered.
    pub fn contains(&self, hash: ActivationTokenHash) -> bool {
        self.0.iter().any(|link| link.hash == hash)
    }

    /// Returns the status of a link at an instant.
    pub fn status_at(&self, hash: ActivationTokenHash, now: Timestamp) -> LinkStatus {
        match self.0.iter().find(|link| link.hash == hash) {
            None => LinkStatus::Unknown,
            Some(link) => match link.state {
                LinkState::Live if now < link.expires_at => LinkStatus::Open,
                LinkState::Live => LinkStatus::Expired,
                LinkState::Used => LinkStatus::Used,
                LinkState::Replaced => LinkStatus::Replaced,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::token::ActivationToken;
    use super::*;

    const LIFE: SignedDuration = SignedDuration::from_hours(72);

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).expect("a valid instant")
    }

    fn links(count: usize) -> (InvitationLinks, Vec<ActivationTokenHash>) {
        let (mut links, hashes) = (InvitationLinks::default(), (0..count).map(|_| ActivationToken::generate().hash()));
        let hashes: Vec<_> = hashes.collect();
        for hash in &hashes {
            links.add(*hash, at(0), LIFE);
        }
        (links, hashes)
    }

    #[test]
    fn a_link_works_until_it_expires() {
        let (links, hashes) = links(1);
        assert_eq!(links.status_at(hashes[0], at(72 * 3600 - 1)), LinkStatus::Open);
        assert_eq!(links.status_at(hashes[0], at(72 * 3600)), LinkStatus::Expired);
        assert_eq!(links.status_at(ActivationToken::generate().hash(), at(0)), LinkStatus::Unknown);
    }

    #[test]
    fn an_older_link_works_until_a_newer_one_was_sent_for_certain() {
        let (mut links, hashes) = links(3);
        links.was_not_sent(hashes[2]);
        assert_eq!(links.status_at(hashes[0], at(1)), LinkStatus::Open);
        links.was_sent(hashes[1]);
        assert_eq!(links.status_at(hashes[0], at(1)), LinkStatus::Replaced);
        assert_eq!(links.status_at(hashes[1], at(1)), LinkStatus::Open);
        assert_eq!(links.status_at(hashes[2], at(1)), LinkStatus::Unknown);
        links.use_up();
        assert_eq!(links.status_at(hashes[0], at(1)), LinkStatus::Replaced);
        assert_eq!(links.status_at(hashes[1], at(1)), LinkStatus::Used);
    }

    #[test]
    fn no_link_works_once_a_password_was_set() {
        let (mut links, hashes) = links(3);
        links.use_up();
        assert!(hashes.iter().all(|hash| links.status_at(*hash, at(1)) == LinkStatus::Used));
    }

    #[test]
    fn the_oldest_links_are_forgotten() {
        let (links, hashes) = links(REMEMBERED + 2);
        assert_eq!(links.as_slice().len(), REMEMBERED);
        assert_eq!(links.status_at(hashes[1], at(1)), LinkStatus::Unknown);
        assert_eq!(links.status_at(hashes[2], at(1)), LinkStatus::Open);
    }
}
