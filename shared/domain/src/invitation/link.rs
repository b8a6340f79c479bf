//! The links that a user was sent.

use jiff::{SignedDuration, Timestamp};

use super::token::ActivationTokenHash;

/// Links that are remembered, so that an old one can say what became of it. More are sent only where the outcome of a
/// dozen sendings is unknown.
const REMEMBERED: usize = 16;

/// What became of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkState {
    /// Can be followed until it expires.
    Live,
    /// A password was chosen: with it, or otherwise.
    Used,
    /// A newer one was sent.
    Replaced,
}

impl LinkState {
    /// Every state.
    pub const ALL: [Self; 3] = [Self::Live, Self::Used, Self::Replaced];

    /// The spelling in storage.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::Used => "used",
            Self::Replaced => "replaced",
        }
    }
}

/// A link, by the digest of its token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvitationLink {
    /// The digest of the token in it.
    pub hash: ActivationTokenHash,
    /// When it stops working.
    pub expires_at: Timestamp,
    /// What became of it.
    pub state: LinkState,
}

/// What following a link leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkStanding {
    /// A password may be chosen.
    Open,
    /// Its time is over.
    Expired,
    /// It, or another, was used.
    Used,
    /// A newer one was sent.
    Replaced,
    /// No such link was sent.
    Unknown,
}

/// The links of a user, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InvitationLinks(Vec<InvitationLink>);

impl InvitationLinks {
    /// Takes stored links.
    #[must_use]
    pub fn new(links: Vec<InvitationLink>) -> Self {
        Self(links)
    }

    /// The links, oldest first.
    #[must_use]
    pub fn as_slice(&self) -> &[InvitationLink] {
        &self.0
    }

    /// Adds one that is about to be sent, and works from now on: nobody knows for certain when a mail arrives. Those sent
    /// before go on working, too.
    pub fn add(&mut self, hash: ActivationTokenHash, now: Timestamp, life: SignedDuration) {
        self.0.push(InvitationLink {
            hash,
            expires_at: now.saturating_add(life).unwrap_or(Timestamp::MAX),
            state: LinkState::Live,
        });
        let forgotten = self.0.len().saturating_sub(REMEMBERED);
        self.0.drain(..forgotten);
    }

    /// One was sent for certain: it replaces those before it.
    pub fn was_sent(&mut self, hash: ActivationTokenHash) {
        let older = self.0.iter_mut().take_while(|link| link.hash != hash);
        for link in older.filter(|link| link.state == LinkState::Live) {
            link.state = LinkState::Replaced;
        }
    }

    /// One was not sent, for certain: nobody has it.
    pub fn was_not_sent(&mut self, hash: ActivationTokenHash) {
        self.0.retain(|link| link.hash != hash);
    }

    /// A password was chosen: no link is needed any more.
    pub fn use_up(&mut self) {
        for link in self.0.iter_mut().filter(|link| link.state == LinkState::Live) {
            link.state = LinkState::Used;
        }
    }

    /// Whether the link is among them.
    #[must_use]
    pub fn contains(&self, hash: ActivationTokenHash) -> bool {
        self.0.iter().any(|link| link.hash == hash)
    }

    /// What following the link leads to.
    #[must_use]
    pub fn standing(&self, hash: ActivationTokenHash, now: Timestamp) -> LinkStanding {
        match self.0.iter().find(|link| link.hash == hash) {
            None => LinkStanding::Unknown,
            Some(link) => match link.state {
                LinkState::Live if now < link.expires_at => LinkStanding::Open,
                LinkState::Live => LinkStanding::Expired,
                LinkState::Used => LinkStanding::Used,
                LinkState::Replaced => LinkStanding::Replaced,
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
        let (mut links, hashes) = (InvitationLinks::default(), (0..count).map(|_| ActivationToken::draw().hash()));
        let hashes: Vec<_> = hashes.collect();
        for hash in &hashes {
            links.add(*hash, at(0), LIFE);
        }
        (links, hashes)
    }

    #[test]
    fn a_link_works_until_it_expires() {
        let (links, hashes) = links(1);
        assert_eq!(links.standing(hashes[0], at(72 * 3600 - 1)), LinkStanding::Open);
        assert_eq!(links.standing(hashes[0], at(72 * 3600)), LinkStanding::Expired);
        assert_eq!(links.standing(ActivationToken::draw().hash(), at(0)), LinkStanding::Unknown);
    }

    #[test]
    fn an_older_link_works_until_a_newer_one_was_sent_for_certain() {
        let (mut links, hashes) = links(3);
        links.was_not_sent(hashes[2]);
        assert_eq!(links.standing(hashes[0], at(1)), LinkStanding::Open);
        links.was_sent(hashes[1]);
        assert_eq!(links.standing(hashes[0], at(1)), LinkStanding::Replaced);
        assert_eq!(links.standing(hashes[1], at(1)), LinkStanding::Open);
        assert_eq!(links.standing(hashes[2], at(1)), LinkStanding::Unknown);
        links.use_up();
        assert_eq!(links.standing(hashes[0], at(1)), LinkStanding::Replaced);
        assert_eq!(links.standing(hashes[1], at(1)), LinkStanding::Used);
    }

    #[test]
    fn no_link_works_once_a_password_was_chosen() {
        let (mut links, hashes) = links(3);
        links.use_up();
        assert!(hashes.iter().all(|hash| links.standing(*hash, at(1)) == LinkStanding::Used));
    }

    #[test]
    fn the_oldest_links_are_forgotten() {
        let (links, hashes) = links(REMEMBERED + 2);
        assert_eq!(links.as_slice().len(), REMEMBERED);
        assert_eq!(links.standing(hashes[1], at(1)), LinkStanding::Unknown);
        assert_eq!(links.standing(hashes[2], at(1)), LinkStanding::Open);
    }
}
