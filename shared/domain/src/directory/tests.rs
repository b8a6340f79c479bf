//! A directory that followed changes, held against one made afresh of the same users.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use crate::user::{Role, Status};

type Users = BTreeMap<UserId, ListedUser>;

/// One write, or more than one in one read: users in their new form, or gone.
type Step = Vec<(u64, Option<[usize; 4]>)>;

const FIRST: [&str; 7] = ["Ana", "ana", "Anä", "Ana Maria", "Jean-Pierre", "王", "Z"];
const LAST: [&str; 9] = ["Martin", "Martin Luc", "mártin", "Martine", "Mart", "Łódź", "Dupont", "dupond", "王"];
const EMAILS: [&str; 5] =
    ["a@x.example", "Dupont@y.example", "martin.ana@x.example", "ß@straße.example", "zz@zz.example"];

fn id(number: u64) -> UserId {
    UserId::parse(&(number + 1).to_string()).expect("an id")
}

fn user(number: u64, version: u64, [first, last, email, rest]: [usize; 4]) -> ListedUser {
    ListedUser {
        id: id(number),
        version,
        status: Status::ALL[rest % 2],
        role: Role::ALL[rest / 2 % 3],
        first_name: FIRST[first % FIRST.len()].to_owned(),
        last_name: LAST[last % LAST.len()].to_owned(),
        email: EMAILS[email % EMAILS.len()].to_owned(),
        phone: rest.is_multiple_of(5).then(|| format!("+33 {rest}")),
    }
}

fn any_steps() -> impl Strategy<Value = (Step, Vec<Step>)> {
    let form = || [0..7_usize, 0..9, 0..5, 0..30];
    let one = move || (0..20_u64, proptest::option::weighted(0.8, form()));
    (vec(one(), 0..25), vec(vec(one(), 1..4), 0..12))
}

fn apply(users: &mut Users, step: &Step, version: u64) -> Vec<(UserId, Option<ListedUser>)> {
    let mut changes = BTreeMap::new();
    for (number, form) in step {
        changes.insert(id(*number), form.map(|form| user(*number, version, form)));
    }
    for (id, user) in &changes {
        match user {
            Some(user) => users.insert(*id, user.clone()),
            None => users.remove(id),
        };
    }
    changes.into_iter().collect()
}

fn any_filter() -> impl Strategy<Value = UserFilter> {
    let words =
        proptest::option::of(select(vec!["martin", "martni", "ana", "dupont x", "jean-p", "exampel", "王", "zz"]));
    let last_name = proptest::option::weighted(0.3, select(vec!["mart", "lodz", "王", ""]));
    let email =
        proptest::option::weighted(0.2, select(vec!["a@x.example", "dupont@y.example", "ss@xn--strae-oqa.example"]));
    (words, last_name, email, proptest::option::of(select(Status::ALL.to_vec()))).prop_map(
        |(words, last_name, email, status)| UserFilter {
            status,
            last_name: last_name.map(str::to_owned),
            email_key: email.map(str::to_owned),
            query: words.and_then(FuzzyQuery::parse),
        },
    )
}

fn found(directory: &Directory, filter: &UserFilter) -> Vec<ListedUser> {
    directory.search(filter).into_iter().map(|place| directory.user(place)).collect()
}

fn afresh(users: &Users) -> Directory {
    Directory::new(&users.values().cloned().collect::<Vec<_>>())
}

/// The rule spelled out: everybody is looked at, and all are sorted.
fn found_plainly(users: &Users, filter: &UserFilter) -> Vec<ListedUser> {
    let penalty = |user: &ListedUser| match &filter.query {
        None => Some(0),
        Some(query) => {
            let texts = [&user.first_name, &user.last_name, &user.email].map(|text| fold(text));
            crate::fuzzy::penalty(query, [&texts[0], &texts[1], &texts[2]])
        }
    };
    let admitted = users.values().filter(|user| filter.admits(user.status, &user.last_name, &user.email));
    let mut found: Vec<_> =
        admitted.filter_map(|user| Some(((penalty(user)?, user.name_order()), user.clone()))).collect();
    found.sort_by(|(one, _), (other, _)| one.cmp(other));
    found.into_iter().map(|(_, user)| user).collect()
}

proptest! {
    #[test]
    fn a_directory_that_followed_changes_answers_as_one_made_afresh(
        (first, steps) in any_steps(), filters in vec(any_filter(), 1..4), merge_after in 0..20_usize,
    ) {
        let mut users = Users::new();
        apply(&mut users, &first, 1);
        let mut directory = afresh(&users);
        for (number, step) in (0..).zip(&steps) {
            let changes = apply(&mut users, step, number as u64 + 2);
            directory = directory.with(changes);
            if number == merge_after {
                directory = directory.merged();
            }
            let fresh = afresh(&users);
            prop_assert_eq!(directory.roster(), fresh.roster());
            for filter in &filters {
                let expected = found_plainly(&users, filter);
                prop_assert_eq!(&found(&directory, filter), &expected);
                prop_assert_eq!(&found(&fresh, filter), &expected);
            }
            for number in 0..20 {
                prop_assert_eq!(directory.version_of(id(number)), users.get(&id(number)).map(|user| user.version));
            }
        }
    }

    #[test]
    fn what_an_index_shows_twice_counts_once_in_its_newest_version((first, _) in any_steps(), again in 0..20_u64) {
        let mut users = Users::new();
        apply(&mut users, &first, 1);
        let mut builder = DirectoryBuilder::with_capacity(users.len());
        for user in users.values() {
            builder.push(&NewRow::from(user), &user.name_order());
        }
        for (version, name) in [(3, 3), (2, 2)] {
            let moved = user(again, version, [name, 1, 2, 3]);
            builder.push(&NewRow::from(&moved), &moved.name_order());
            users.entry(moved.id).and_modify(|user| if user.version < moved.version { *user = moved.clone() }).or_insert(moved);
        }
        let directory = builder.finish();
        prop_assert_eq!(found(&directory, &UserFilter::default()), found_plainly(&users, &UserFilter::default()));
        prop_assert_eq!(directory.roster(), afresh(&users).roster());
    }
}

#[test]
fn an_older_user_never_takes_the_place_of_a_newer_one() {
    let newer = user(1, 5, [1, 1, 1, 1]);
    let directory = Directory::new(&[]).with([(newer.id, Some(newer.clone()))]);
    let after = directory.with([(newer.id, Some(user(1, 4, [2, 2, 2, 2])))]);
    assert_eq!(found(&after, &UserFilter::default()), [newer]);
    assert_eq!(after.roster(), directory.roster());
}

#[test]
fn a_directory_is_merged_before_changed_users_are_many() {
    let people: Vec<ListedUser> = (0..5_000).map(|number| user(number, 1, [1, 2, 3, 4])).collect();
    let mut directory = Directory::new(&people);
    let changed = |number| (id(number), Some(user(number, 2, [3, 3, 3, 3])));
    directory = directory.with((0..1_180).map(changed));
    assert!(!directory.is_to_be_merged());
    directory = directory.with((1_180..1_181).map(changed));
    assert!(directory.is_to_be_merged());
    let merged = directory.merged();
    assert!(!merged.is_to_be_merged());
    let everybody = UserFilter::default();
    assert_eq!(found(&merged, &everybody), found(&directory, &everybody));
    let gone = merged.with((0..1_181).map(|number| (id(number), None)));
    assert!(gone.is_to_be_merged(), "those who are gone take memory too");
}

#[test]
fn changes_that_are_known_are_no_news() {
    let here = user(1, 5, [0; 4]);
    let directory = Directory::new(std::slice::from_ref(&here));
    let change = |number, version, is_gone| Change { user_id: id(number), version, is_gone };
    let nothing_followed = std::collections::HashMap::new();
    let news = |changes: &[Change]| directory.news(changes, &nothing_followed);
    assert!(news(&[change(1, 5, false), change(1, 4, false), change(1, 4, true), change(2, 3, true)]).is_empty());
    assert_eq!(news(&[change(1, 4, true), change(1, 6, false)]).to_read, [change(1, 6, false)]);
    assert_eq!(news(&[change(1, 6, true), change(1, 7, false)]).to_read, [change(1, 7, false)], "it came back");
    assert_eq!(news(&[change(1, 7, true), change(1, 6, false)]).gone, [change(1, 7, true)], "in any order");
    assert_eq!(news(&[change(2, 1, false)]).to_read, [change(2, 1, false)]);
    let followed = std::collections::HashMap::from([(id(2), 1)]);
    assert!(directory.news(&[change(2, 1, false)], &followed).is_empty());
    assert_eq!(directory.news(&[change(2, 2, false)], &followed).to_read, [change(2, 2, false)]);
}
