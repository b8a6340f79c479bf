//! Register of the moves of businesses that are not finished, and of the organisations that they connect.
//!
//! A search over several organisations reads their logs one after the other. A review that moves meanwhile could be in two of these logs,
//! or in none. So the logs of organisations that a move connects are read at one instant. The register tells which these are, and by
//! its numbers whether a move began while the logs were read.

use std::collections::{BTreeMap, BTreeSet};

use presence_domain::ids::{BusinessId, OrgId};

use crate::log_codec::short_hash;

/// Maximum number of unfinished moves. To begin another one, a process finishes one of them first.
pub const MAX_MOVES: usize = 64;
/// Maximum number of organisations that moves connect: as many as one transaction reads at one instant, with nine items each.
pub const MAX_CONNECTED_ORGS: usize = 11;
/// Maximum number of pairs of organisations whose last move is remembered.
const MAX_LINKS: usize = 64;
/// Maximum number of places that businesses left and that are remembered. An index that lags by fewer moves names no wrong place.
const MAX_LEFT_PLACES: usize = 128;

/// Unfinished move of a business.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnfinishedMove {
    /// Organisation of the business.
    pub org_id: OrgId,
    /// Places that the business left, and that may still have reviews of it: organisation and city.
    pub left: BTreeSet<(OrgId, String)>,
}

/// Moves of businesses that are not finished, and the numbers of the last ones that began.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MoveRegister {
    /// Number of moves that ever began, between organisations or cities of one.
    pub begun: u64,
    /// Unfinished moves.
    pub moves: BTreeMap<BusinessId, UnfinishedMove>,
    /// Number of the last move that began between two organisations, the lower one first. Not more than the last ones.
    pub links: BTreeMap<(OrgId, OrgId), u64>,
    /// Highest number of a link that is not remembered any more.
    pub forgotten: u64,
    /// Hashes of the last places that businesses left, in this order. No business is in one of them now.
    pub left_places: Vec<u64>,
}

/// Returns the first 8 bytes of the SHA-256 of a business and a place of it. Stored: it must never change.
fn place_hash(business: &BusinessId, org_id: OrgId, city_key: &str) -> u64 {
    short_hash(&format!("{org_id}#{}#{city_key}", business.as_str()))
}

impl UnfinishedMove {
    /// Returns the organisations that may have reviews of the business.
    #[must_use]
    pub fn orgs(&self) -> BTreeSet<OrgId> {
        self.left.iter().map(|(org_id, _)| *org_id).chain([self.org_id]).collect()
    }
}

impl MoveRegister {
    /// Begins the move of a business from a place, an organisation and a city, to another one. False, and no change, if there are too
    /// many moves.
    #[must_use]
    pub fn begin(&mut self, business: &BusinessId, from: (OrgId, &str), to: (OrgId, &str)) -> bool {
        let before = self.clone();
        let (to, city_key) = to;
        let (left, arrived) = (place_hash(business, from.0, from.1), place_hash(business, to, city_key));
        self.left_places.retain(|place| ![left, arrived].contains(place));
        self.left_places.push(left);
        self.left_places.drain(..self.left_places.len().saturating_sub(MAX_LEFT_PLACES));
        let new = || UnfinishedMove { org_id: to, left: BTreeSet::new() };
        let unfinished = self.moves.entry(business.clone()).or_insert_with(new);
        unfinished.org_id = to;
        unfinished.left.insert((from.0, from.1.to_owned()));
        let orgs = unfinished.orgs();
        let has_room = self.moves.len() <= MAX_MOVES
            && self.groups(self.begun).iter().all(|group| group.len() <= MAX_CONNECTED_ORGS);
        if !has_room {
            *self = before;
            return false;
        }
        self.begun += 1;
        let links = orgs.iter().filter(|other| **other != to).map(|other| ((*other).min(to), (*other).max(to)));
        for link in links {
            self.links.insert(link, self.begun);
        }
        while self.links.len() > MAX_LINKS {
            let oldest = self.links.iter().min_by_key(|(_, number)| **number).map(|(link, number)| (*link, *number));
            let Some((link, number)) = oldest else { break };
            self.links.remove(&link);
            self.forgotten = self.forgotten.max(number);
        }
        true
    }

    /// Returns the businesses that are leaving an organisation, with the cities that they left there.
    pub fn leaving(&self, org_id: OrgId) -> impl Iterator<Item = (&BusinessId, &str)> {
        let places = self.moves.iter().flat_map(|(id, unfinished)| unfinished.left.iter().map(move |left| (id, left)));
        places.filter(move |(_, (left, _))| *left == org_id).map(|(id, (_, city_key))| (id, city_key.as_str()))
    }

    /// True if a business left a place with one of the last moves, and did not come back.
    #[must_use]
    pub fn has_left(&self, business: &BusinessId, org_id: OrgId, city_key: &str) -> bool {
        self.left_places.contains(&place_hash(business, org_id, city_key))
    }

    /// Ends the move of a business.
    pub fn end(&mut self, business: &BusinessId) {
        self.moves.remove(business);
    }

    /// Returns the groups of organisations that unfinished moves connect, and moves that began after a number, which may have ended.
    /// Each has two organisations or more. They ascend.
    #[must_use]
    pub fn groups(&self, since: u64) -> Vec<BTreeSet<OrgId>> {
        let recent = self.links.iter().filter(|(_, number)| **number > since);
        let recent = recent.map(|((one, other), _)| BTreeSet::from([*one, *other]));
        let mut groups: Vec<BTreeSet<OrgId>> = Vec::new();
        for orgs in self.moves.values().map(UnfinishedMove::orgs).chain(recent) {
            let (connected, others): (Vec<_>, Vec<_>) = groups.into_iter().partition(|group| !group.is_disjoint(&orgs));
            groups = others;
            groups.push(connected.into_iter().flatten().chain(orgs).collect());
        }
        groups.retain(|group| group.len() > 1);
        groups.sort_unstable();
        groups
    }

    /// True if logs are the state of one instant that were read between the state of `before` and this one. Each of the groups was
    /// read at one instant, and all other logs one after the other.
    #[must_use]
    pub fn proves_cut(&self, before: &Self, read_together: &[BTreeSet<OrgId>], searched: &BTreeSet<OrgId>) -> bool {
        if self.begun == before.begun {
            return true;
        }
        let is_harmless = |group: BTreeSet<OrgId>| {
            let concerned: BTreeSet<OrgId> = group.intersection(searched).copied().collect();
            concerned.len() < 2 || read_together.iter().any(|together| concerned.is_subset(together))
        };
        self.forgotten <= before.begun && self.groups(before.begun).into_iter().all(is_harmless)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn org(number: u64) -> OrgId {
        OrgId::new(number).expect("an id")
    }

    fn orgs(numbers: &[u64]) -> BTreeSet<OrgId> {
        numbers.iter().map(|number| org(*number)).collect()
    }

    fn business(number: u64) -> BusinessId {
        BusinessId::parse(&format!("b{number}")).expect("an id")
    }

    /// Returns a register in which each of the moves began: business, from, to.
    fn begun(moves: &[(u64, u64, u64)]) -> MoveRegister {
        let mut register = MoveRegister::default();
        for (number, from, to) in moves {
            assert!(register.begin(&business(*number), (org(*from), "lyon"), (org(*to), "lyon")));
        }
        register
    }

    #[test]
    fn moves_connect_organisations_until_they_end() {
        let mut register = begun(&[(1, 1, 2), (2, 3, 4), (3, 2, 5)]);
        assert_eq!(register.groups(register.begun), [orgs(&[1, 2, 5]), orgs(&[3, 4])]);
        register.end(&business(3));
        assert_eq!(register.groups(register.begun), [orgs(&[1, 2]), orgs(&[3, 4])]);
        assert_eq!(register.groups(0), [orgs(&[1, 2, 5]), orgs(&[3, 4])], "all that ever began");
        let mut in_one_org = MoveRegister::default();
        assert!(in_one_org.begin(&business(1), (org(1), "lyon"), (org(1), "nice")));
        assert_eq!((in_one_org.begun, in_one_org.groups(0)), (1, vec![]), "a city is no other organisation");
    }

    #[test]
    fn a_move_that_is_corrected_keeps_all_places_that_it_left() {
        let register = begun(&[(1, 1, 2), (1, 2, 3), (1, 3, 1)]);
        let left = register.moves[&business(1)].left.iter().map(|(org_id, _)| *org_id).collect::<BTreeSet<_>>();
        assert_eq!((register.moves[&business(1)].org_id, left), (org(1), orgs(&[1, 2, 3])));
        assert_eq!(register.groups(register.begun), [orgs(&[1, 2, 3])]);
    }

    #[test]
    fn logs_are_a_cut_unless_a_move_began_between_two_that_were_read_apart() {
        type Case<'a> = (&'a [(u64, u64, u64)], &'a [(u64, u64, u64)], &'a [&'a [u64]], &'a [u64], bool);
        let cases: [Case<'_>; 9] = [
            (&[], &[], &[], &[1, 2, 3], true),
            (&[(1, 1, 2)], &[], &[&[1, 2]], &[1, 2, 3], true),
            (&[], &[(1, 1, 2)], &[], &[1, 2, 3], false),
            (&[], &[(1, 1, 2)], &[], &[1, 3], true),
            (&[(1, 1, 2)], &[(2, 2, 1)], &[&[1, 2]], &[1, 2, 3], true),
            (&[(1, 1, 2)], &[(2, 2, 3)], &[&[1, 2]], &[1, 2, 3], false),
            // From 1 to 3 through an organisation that is not searched.
            (&[], &[(1, 1, 9), (1, 9, 3)], &[], &[1, 3], false),
            (&[], &[(1, 1, 9), (2, 8, 3)], &[], &[1, 3], true),
            (&[(1, 1, 9)], &[(1, 9, 3)], &[&[1, 9, 3]], &[1, 3], true),
        ];
        for (before, meanwhile, together, searched, is_cut) in cases {
            let after = begun(&[before, meanwhile].concat());
            let together: Vec<BTreeSet<OrgId>> = together.iter().map(|group| orgs(group)).collect();
            let proven = after.proves_cut(&begun(before), &together, &orgs(searched));
            assert_eq!(proven, is_cut, "{before:?} {meanwhile:?} {together:?} {searched:?}");
        }
    }

    #[test]
    fn moves_that_end_meanwhile_change_nothing_and_forgotten_ones_prove_nothing() {
        let before = begun(&[(1, 1, 2)]);
        let mut after = before.clone();
        after.end(&business(1));
        assert!(after.proves_cut(&before, &before.groups(before.begun), &orgs(&[1, 2])));
        for number in 0..=MAX_LINKS as u64 {
            assert!(after.begin(&business(2), (org(100), "lyon"), (org(101 + number), "lyon")));
            after.end(&business(2));
        }
        assert_eq!((after.links.len(), after.forgotten), (MAX_LINKS, 2), "the first two links are gone");
        assert!(!after.proves_cut(&before, &[], &orgs(&[1, 2])));
    }

    #[test]
    fn the_last_places_that_businesses_left_are_remembered() {
        let mut register = MoveRegister::default();
        let mut go = |number: u64, from: (u64, &str), to: (u64, &str)| {
            let id = business(number);
            assert!(register.begin(&id, (org(from.0), from.1), (org(to.0), to.1)));
            register.end(&id);
            let places = [(1, "lyon"), (1, "nice"), (2, "lyon")];
            places.map(|(org_id, city)| register.has_left(&business(1), org(org_id), city))
        };
        assert_eq!(go(1, (1, "lyon"), (1, "nice")), [true, false, false]);
        assert_eq!(go(1, (1, "nice"), (2, "lyon")), [true, true, false]);
        assert_eq!(go(1, (2, "lyon"), (1, "lyon")), [false, true, true], "it came back");
        for number in 2..MAX_LEFT_PLACES as u64 {
            assert_eq!(go(number, (1, "lyon"), (1, "nice")), [false, true, true]);
        }
        assert_eq!(go(1_000, (1, "lyon"), (1, "nice")), [false, false, true], "the first one is forgotten");
    }

    #[test]
    fn moves_and_the_organisations_that_they_connect_are_bounded() {
        let mut register = MoveRegister::default();
        for number in 0..MAX_MOVES as u64 {
            assert!(register.begin(&business(number), (org(1), "lyon"), (org(2), "lyon")));
        }
        let full = register.clone();
        assert!(!register.begin(&business(1_000), (org(1), "lyon"), (org(2), "lyon")));
        assert!(
            register.begin(&business(3), (org(2), "lyon"), (org(1), "lyon")),
            "a move that began already may be corrected"
        );
        assert_eq!(register.moves.len(), full.moves.len());
        let mut star = MoveRegister::default();
        for number in 2..=MAX_CONNECTED_ORGS as u64 {
            assert!(star.begin(&business(number), (org(1), "lyon"), (org(number), "lyon")));
        }
        let before = star.clone();
        assert!(!star.begin(&business(100), (org(1), "lyon"), (org(100), "lyon")));
        assert_eq!(star, before);
        assert!(star.begin(&business(100), (org(200), "lyon"), (org(201), "lyon")), "other organisations have room");
    }
}
