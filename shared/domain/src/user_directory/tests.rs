//! Compares a directory that applied changes with a new one of the same users.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use crate::user::{Role, Status};
use crate::work::MAX_WORK;

type Users = BTreeMap<UserId, ListedUser>;

/// Changes that one read delivers: users by number with their new attributes, or `None` for a removal.
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
            query: words.and_then(|words| FuzzyQuery::parse(words).ok()),
            ..UserFilter::default()
        },
    )
}

fn found(directory: &UserDirectory, filter: &UserFilter) -> Vec<ListedUser> {
    directory.search(filter).expect("it is cheap").into_iter().map(|position| directory.user(position)).collect()
}

#[test]
fn only_a_filter_by_status_is_answered_by_counts() {
    let (words, name) = (FuzzyQuery::parse("ana").ok(), Some("ana".to_owned()));
    for (filter, expected) in [
        (UserFilter::default(), true),
        (UserFilter { status: Some(Status::Active), ..UserFilter::default() }, true),
        (UserFilter { last_name: name.clone(), ..UserFilter::default() }, false),
        (UserFilter { email_key: name, ..UserFilter::default() }, false),
        (UserFilter { query: words, ..UserFilter::default() }, false),
    ] {
        assert_eq!(filter.is_by_status_only(), expected, "{filter:?}");
    }
}

#[test]
fn a_last_name_is_not_looked_for_in_too_many_names_that_are_long_when_folded() {
    let users = |name: &str| {
        let user = |number| ListedUser { last_name: name.to_owned(), ..user(number, 1, [0; 4]) };
        UserDirectory::new(&(0..100).map(user).collect::<Vec<_>>())
    };
    let filter = || UserFilter { last_name: Some("x".to_owned()), ..UserFilter::default() };
    let work = |directory: &UserDirectory| {
        let filter = filter();
        assert_eq!(directory.search(&filter), Ok(Vec::new()));
        filter.work.units()
    };
    let (ordinary, long) = (users("Константинопольский"), users(&"\u{3316}".repeat(100)));
    assert!(200 * work(&ordinary) < MAX_WORK, "20,000 users of an ordinary directory");
    assert!((50 * work(&long)..200 * work(&long)).contains(&MAX_WORK), "5,000 are admitted, and 20,000 refused");
    let filter = filter();
    filter.work.exhaust();
    assert!(long.search(&filter).is_err());
    assert_eq!(long.search(&filter.started_again()), Ok(Vec::new()));
}

fn rebuilt(users: &Users) -> UserDirectory {
    UserDirectory::new(&users.values().cloned().collect::<Vec<_>>())
}

/// Reference search: it looks at every user, and sorts all of them.
fn reference_search(users: &Users, filter: &UserFilter) -> Vec<ListedUser> {
    let penalty = |user: &ListedUser| match &filter.query {
        None => Some(0),
        Some(query) => {
            let texts = [&user.first_name, &user.last_name, &user.email].map(|text| fold(text));
            crate::fuzzy::penalty(query, [&texts[0], &texts[1], &texts[2]])
        }
    };
    let admits = |user: &&ListedUser| filter.admits(user.status, &user.last_name, &user.email).expect("it is cheap");
    let admitted = users.values().filter(admits);
    let mut found: Vec<_> =
        admitted.filter_map(|user| Some(((penalty(user)?, user.name_order()), user.clone()))).collect();
    found.sort_by(|(one, _), (other, _)| one.cmp(other));
    found.into_iter().map(|(_, user)| user).collect()
}

proptest! {
    #[test]
    fn a_directory_that_applied_changes_answers_as_one_made_rebuilt(
        (first, steps) in any_steps(), filters in vec(any_filter(), 1..4), merge_after in 0..20_usize,
    ) {
        let mut users = Users::new();
        apply(&mut users, &first, 1);
        let mut directory = rebuilt(&users);
        for (number, step) in (0..).zip(&steps) {
            let changes = apply(&mut users, step, number as u64 + 2);
            directory = directory.with_users(changes);
            if number == merge_after {
                directory = directory.merged();
            }
            let fresh = rebuilt(&users);
            prop_assert_eq!(directory.head(), fresh.head());
            for filter in &filters {
                let expected = reference_search(&users, filter);
                prop_assert_eq!(&found(&directory, filter), &expected);
                prop_assert_eq!(&found(&fresh, filter), &expected);
            }
            for number in 0..20 {
                prop_assert_eq!(directory.version_of(id(number)), users.get(&id(number)).map(|user| user.version));
            }
        }
    }

    #[test]
    fn user_that_the_index_shows_twice_counts_once_in_its_newest_version((first, _) in any_steps(), again in 0..20_u64) {
        let mut users = Users::new();
        apply(&mut users, &first, 1);
        let mut builder = UserDirectoryBuilder::with_capacity(users.len());
        for user in users.values() {
            builder.push(&DirectoryUser::from(user), &user.name_order());
        }
        for (version, name) in [(3, 3), (2, 2)] {
            let moved = user(again, version, [name, 1, 2, 3]);
            builder.push(&DirectoryUser::from(&moved), &moved.name_order());
            users.entry(moved.id).and_modify(|user| if user.version < moved.version { *user = moved.clone() }).or_insert(moved);
        }
        let directory = builder.finish();
        prop_assert_eq!(found(&directory, &UserFilter::default()), reference_search(&users, &UserFilter::default()));
        prop_assert_eq!(directory.head(), rebuilt(&users).head());
    }
}

#[test]
fn older_version_of_a_user_never_replaces_a_newer_one() {
    let newer = user(1, 5, [1, 1, 1, 1]);
    let directory = UserDirectory::new(&[]).with_users([(newer.id, Some(newer.clone()))]);
    let after = directory.with_users([(newer.id, Some(user(1, 4, [2, 2, 2, 2])))]);
    assert_eq!(found(&after, &UserFilter::default()), [newer]);
    assert_eq!(after.head(), directory.head());
}

#[test]
fn directory_needs_a_merge_when_many_users_have_changed() {
    let people: Vec<ListedUser> = (0..5_000).map(|number| user(number, 1, [1, 2, 3, 4])).collect();
    let mut directory = UserDirectory::new(&people);
    let changed = |number| (id(number), Some(user(number, 2, [3, 3, 3, 3])));
    directory = directory.with_users((0..1_180).map(changed));
    assert!(!directory.needs_merge());
    directory = directory.with_users((1_180..1_181).map(changed));
    assert!(directory.needs_merge());
    let merged = directory.merged();
    assert!(!merged.needs_merge());
    let everybody = UserFilter::default();
    assert_eq!(found(&merged, &everybody), found(&directory, &everybody));
    let gone = merged.with_users((0..1_181).map(|number| (id(number), None)));
    assert!(gone.needs_merge(), "removed users take memory too");
}

#[test]
fn changes_that_a_directory_has_are_not_pending() {
    let present = user(1, 5, [0; 4]);
    let directory = UserDirectory::new(std::slice::from_ref(&present));
    let change = |number, version, is_removal| ChangeEntry { user_id: id(number), version, is_removal };
    let nothing_applied = std::collections::HashMap::new();
    let pending = |entries: &[ChangeEntry]| directory.pending_changes(entries, &nothing_applied);
    assert!(pending(&[change(1, 5, false), change(1, 4, false), change(1, 4, true), change(2, 3, true)]).is_empty());
    assert_eq!(pending(&[change(1, 4, true), change(1, 6, false)]).to_read, [change(1, 6, false)]);
    assert_eq!(
        pending(&[change(1, 6, true), change(1, 7, false)]).to_read,
        [change(1, 7, false)],
        "the user came back"
    );
    assert_eq!(pending(&[change(1, 7, true), change(1, 6, false)]).removals, [change(1, 7, true)], "in any order");
    assert_eq!(pending(&[change(2, 1, false)]).to_read, [change(2, 1, false)]);
    let applied = std::collections::HashMap::from([(id(2), 1)]);
    assert!(directory.pending_changes(&[change(2, 1, false)], &applied).is_empty());
    assert_eq!(directory.pending_changes(&[change(2, 2, false)], &applied).to_read, [change(2, 2, false)]);
}
