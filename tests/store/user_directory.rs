//! The bound on the memory for directories, while a request walks over more than fits.

use presence_domain::fuzzy::FuzzyQuery;
use presence_domain::ids::UserId;
use presence_domain::page::{Page, PageRequest};
use presence_domain::user::{PersonName, Role, Status, User};
use presence_domain::user_directory::{ListedUser, UserFilter};
use presence_store::UserStore;
use presence_tests::{TestStack, in_process_client, long_timeouts, test_user};

use super::bulk;

const ORGS: u64 = 50;
const USERS_OF_EACH: u64 = 20;

fn person(org: u64, number: u64) -> User {
    let id = org * 1_000 + number;
    let name = |text: &str| PersonName::parse(text).expect("a name");
    let status = Status::ALL[usize::from(number.is_multiple_of(3))];
    User {
        id: UserId::parse(&id.to_string()).expect("an id"),
        first_name: name(if number.is_multiple_of(2) { "Ana" } else { "Zoë" }),
        last_name: name(&format!("Martin {}", id % 17)),
        ..test_user(&format!("p{id}"), Role::BusinessManager, Some(org), status)
    }
}

fn searches() -> Vec<(UserFilter, PageRequest)> {
    let words = |text| UserFilter { query: FuzzyQuery::parse(text).ok(), ..UserFilter::default() };
    let last_name = UserFilter { last_name: Some("martin 1".to_owned()), ..UserFilter::default() };
    let invited = UserFilter { status: Some(Status::Invited), ..UserFilter::default() };
    let page = |page, size| PageRequest { page, size };
    vec![
        (words("martni 7"), page(1, 30)),
        (words("zoe"), page(5, 100)),
        (last_name, page(3, 7)),
        (invited, page(4, 100)),
        (UserFilter::default(), page(10, 100)),
        (words("nobody"), page(1, 30)),
    ]
}

/// Returns the pages that the searches find.
async fn find_all(store: &UserStore) -> Vec<Page<ListedUser>> {
    let mut pages = Vec::new();
    for (filter, request) in searches() {
        let page = store.search(presence_tests::operator_scope(), None, &filter, request).await;
        pages.push(page.expect("it answers"));
    }
    pages
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_over_all_organisations_stays_within_the_memory_for_directories() {
    let stack = TestStack::start().await;
    let people: Vec<User> = (1..=ORGS).flat_map(|org| (0..USERS_OF_EACH).map(move |n| person(org, n))).collect();
    bulk::people(&stack, &people).await;
    let store = || stack.stores_through(in_process_client(), long_timeouts(), stack.table_prefix()).users;

    let unbounded = store();
    let expected = find_all(&unbounded).await;
    let all = unbounded.most_directory_bytes();
    assert!(all > 150 * people.len(), "{all} bytes");
    for share in [3, 5] {
        let max_bytes = all / share;
        let bounded = store().with_directory_bytes(max_bytes);
        for round in 0..2 {
            assert_eq!(find_all(&bounded).await, expected, "one {share}th, round {round}");
        }
        let most = bounded.most_directory_bytes();
        assert!(most <= max_bytes, "{most} of {max_bytes} bytes, one {share}th");
        assert!(most > max_bytes / 2, "the memory is used: {most} of {max_bytes} bytes");
    }
}
