//! The bound on the memory for directories, while a request walks over more than fits.

use presence_domain::fuzzy::FuzzyQuery;
use presence_domain::ids::UserId;
use presence_domain::page::PageRequest;
use presence_domain::user::{PersonName, Role, Status, User};
use presence_domain::user_directory::UserFilter;
use presence_store::UserStore;
use presence_tests::{TestStack, in_process_client, long_timeouts, test_user};

use super::bulk;

const ORGS: u64 = 120;
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
        (words("zoe"), page(12, 100)),
        (last_name, page(3, 7)),
        (invited, page(4, 100)),
        (UserFilter::default(), page(24, 100)),
        (words("nobody"), page(1, 30)),
    ]
}

async fn assert_equal(bounded: &UserStore, unbounded: &UserStore, what: &str) {
    for (number, (filter, request)) in searches().into_iter().enumerate() {
        let find = |store: &UserStore| {
            let (store, filter) = (store.clone(), filter.clone());
            async move { store.search(presence_tests::operator_scope(), None, &filter, request).await.expect("it answers") }
        };
        assert_eq!(find(bounded).await, find(unbounded).await, "{what}, search {number}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_over_all_organisations_stays_within_the_memory_for_directories() {
    let stack = TestStack::start().await;
    let people: Vec<User> = (1..=ORGS).flat_map(|org| (0..USERS_OF_EACH).map(move |n| person(org, n))).collect();
    bulk::people(&stack, &people).await;
    let store = || stack.stores_through(in_process_client(), long_timeouts(), stack.table_prefix()).users;

    let unbounded = store();
    assert_equal(&unbounded, &unbounded, "unbounded").await;
    let all = unbounded.most_directory_bytes();
    assert!(all > 150 * people.len(), "{all} bytes");
    for share in [3, 10] {
        let max_bytes = all / share;
        let bounded = store().with_directory_bytes(max_bytes);
        for round in 0..2 {
            assert_equal(&bounded, &unbounded, &format!("one {share}th, round {round}")).await;
        }
        let most = bounded.most_directory_bytes();
        assert!(most <= max_bytes, "{most} of {max_bytes} bytes, one {share}th");
        assert!(most > max_bytes / 2, "the memory is used: {most} of {max_bytes} bytes");
    }
}
