//! Pages of a search.

use presence_domain::fuzzy::{FuzzyQuery, penalty};
use presence_domain::ids::OrgId;
use presence_domain::text::fold;
use presence_domain::user::{Role, Status, User};
use presence_tests::{TestStack, rng};

use super::users::{create, in_order, walk};

/// Organisations with their numbers of users; `None` for users without one. The user of organisation 30 is deleted.
const ORG_SIZES: [(Option<u64>, usize); 5] = [(None, 7), (Some(2), 33), (Some(10), 1), (Some(9), 30), (Some(30), 1)];

#[tokio::test(flavor = "multi_thread")]
async fn pages_show_each_user_exactly_once_in_order() {
    let mut rng = rng("pages");
    let stack = TestStack::start().await;
    let provider = stack.create_user("provider", Role::Provider, None, Status::Active).await;
    let mut users = vec![stack.stored(&provider.id).await.expect("just written").user];
    for (org, count) in ORG_SIZES {
        users.extend(create(&stack, org, count, &mut rng).await);
    }
    let gone = users.pop().expect("the one of organisation 30");
    assert_eq!(stack.delete(&format!("/user/{}", gone.id), &provider.key).await.status, 200);

    let key = &provider.key;
    for per_page in [1, 2, 7, 30, 71, 72, 100] {
        assert_eq!(walk(&stack, key, "", per_page).await, in_order(users.clone()), "{per_page} a page");
    }
    let in_org = |number| users.iter().filter(move |user| user.org_id == OrgId::new(number)).cloned();
    for (org, per_page) in [(2, 11), (9, 30), (10, 1), (30, 5)] {
        assert_eq!(walk(&stack, key, &format!("&org_id={org}"), per_page).await, in_order(in_org(org)), "org {org}");
    }
    for status in Status::ALL {
        let expected = in_order(users.iter().filter(|user| user.status == status).cloned());
        let filter = format!("&status={}", status.as_str());
        assert_eq!(walk(&stack, key, &filter, 3).await, expected, "{filter}");
    }
    for (part, encoded) in [("martin", "MARTIN"), ("o", "%C3%98"), ("王", "%E7%8E%8B")] {
        let has_part = |user: &&User| fold(user.last_name.as_str()).contains(part);
        let expected = in_order(users.iter().filter(has_part).cloned());
        assert!(!expected.is_empty(), "{part} is among the names");
        assert_eq!(walk(&stack, key, &format!("&last_name={encoded}"), 4).await, expected, "last name {part}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn search_for_words_lists_the_best_match_first_and_each_user_once() {
    let mut rng = rng("words");
    let stack = TestStack::start().await;
    let provider = stack.create_user("provider", Role::Provider, None, Status::Active).await;
    let mut users = vec![stack.stored(&provider.id).await.expect("just written").user];
    for (org, count) in ORG_SIZES {
        users.extend(create(&stack, org, count, &mut rng).await);
    }
    for words in ["martin", "martni luc", "strasse", "ada 1st", "example", "nobody-has-this"] {
        let expected = best_first(&users, words);
        let filter = format!("&query={}", words.replace(' ', "+"));
        for per_page in [1, 10, 100] {
            assert_eq!(walk(&stack, &provider.key, &filter, per_page).await, expected, "{words}");
        }
    }
}

/// Returns the expected ids: by organisation, then by penalty, then by name.
fn best_first(users: &[User], words: &str) -> Vec<String> {
    let query = FuzzyQuery::parse(words).expect("words");
    let order = in_order(users.to_vec());
    let found = users.iter().filter_map(|user| {
        let texts = [user.first_name.as_str(), user.last_name.as_str(), user.email.as_str()].map(fold);
        let penalty = penalty(&query, [&texts[0], &texts[1], &texts[2]])?;
        let id = user.id.to_string();
        let place = order.iter().position(|other| *other == id);
        Some((user.org_id.map_or(0, OrgId::get), penalty, place, id))
    });
    let mut found: Vec<_> = found.collect();
    found.sort_unstable();
    found.into_iter().map(|(_, _, _, id)| id).collect()
}
