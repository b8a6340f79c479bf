//! Searches over HTTP during an import.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use presence_tests::Fixtures;
use serde_json::Value;

use super::import_env::{ImportEnv, rows_of};

const ROWS: usize = 45;
/// Least rounds of the readers. A round repeats the same searches, and two rounds see each page number.
const ROUNDS: usize = 2;
/// Imports that must end before the readers stop, so that the searches run during imports on a machine of any speed.
const IMPORTS: usize = 2;
const PER_PAGE: usize = 20;

/// Returns a page: count, number of the last page, ids. Asserts that no review is on it twice.
async fn page(env: &ImportEnv, key: &str, query: &str) -> (u64, u64, Vec<String>) {
    let reply = env.stack.get(&format!("/reviews?{query}"), key).await;
    assert_eq!(reply.status, 200, "{query}: {}", reply.text);
    let page = reply.json();
    let id =
        |review: &Value| review["partner_id"].as_str().expect("an id").to_owned() + &review["business_id"].to_string();
    let ids: Vec<String> = page["reviews"].as_array().expect("a list").iter().map(id).collect();
    assert_eq!(
        ids.iter().collect::<BTreeSet<_>>().len(),
        ids.len(),
        "{query}: a review is there twice: {}",
        reply.text
    );
    (page["count"].as_u64().expect("a count"), page["max_page"].as_u64().expect("a number"), ids)
}

/// Returns the counts that the pages of a search give, and the ids on all pages.
async fn walk(env: &ImportEnv, key: &str, query: &str) -> (BTreeSet<u64>, Vec<String>) {
    let (mut counts, mut all) = (BTreeSet::new(), Vec::new());
    for number in 1.. {
        let (count, max_page, ids) = page(env, key, &format!("{query}&per_page={PER_PAGE}&page={number}")).await;
        counts.insert(count);
        all.extend(ids);
        if number >= max_page {
            break;
        }
    }
    (counts, all)
}

/// Returns the answer of statistics. Asserts that all its numbers have the same sum.
pub(super) async fn statistics(env: &ImportEnv, key: &str, query: &str) -> Value {
    let reply = env.stack.get(&format!("/reviews/stats?{query}"), key).await;
    assert_eq!(reply.status, 200, "{query}: {}", reply.text);
    let body = reply.json();
    let sum = |numbers: &Value| numbers.as_object().expect("an object").values().filter_map(Value::as_u64).sum::<u64>();
    let groups = body["groups"].as_array().expect("groups");
    let of_groups = groups.iter().map(|group| (group["count"].as_u64().expect("a count"), sum(&group["ratings"])));
    let of_groups = of_groups.fold((0, 0), |sums, group| (sums.0 + group.0, sums.1 + group.1));
    let count = body["count"].as_u64().expect("a count");
    let sums = [sum(&body["ratings"]), sum(&body["states"]), sum(&body["partners"]), of_groups.0, of_groups.1];
    assert_eq!(sums, [count; 5], "{query}: {}", reply.text);
    body
}

/// Counts during imports: the organisation without imports always has the same statistics, and the other one never loses a review.
async fn count(env: &ImportEnv, fixtures: &Fixtures, imports: &AtomicUsize) {
    let groups = ["month", "business", "city", "rating"].map(|group_by| format!("group_by={group_by}"));
    let mut quiet = Vec::new();
    for query in &groups {
        quiet.push(statistics(env, &fixtures.manager_2.key, query).await);
    }
    let mut least = 0;
    for round in 0.. {
        if round >= ROUNDS && imports.load(Ordering::Relaxed) >= IMPORTS {
            break;
        }
        for (query, expected) in groups.iter().zip(&quiet) {
            assert_eq!(statistics(env, &fixtures.manager_2.key, query).await, *expected, "{query}");
            let filtered = format!("{query}&update_date__gte=2024-02-29T12:00:00&rating__in=1,3,5");
            statistics(env, &fixtures.provider.key, &filtered).await;
            let count = statistics(env, &fixtures.manager_1.key, query).await["count"].as_u64().unwrap_or_default();
            assert!(least <= count && count <= 2 * ROWS as u64, "{query}: {count} after {least}");
            least = count;
        }
    }
}

/// Imports the editions of organisation 1 until the readers are done, and counts the imports that ended.
async fn import_until(env: &ImportEnv, done: &AtomicBool, imports: &AtomicUsize) {
    let editions = [0, 1, 2].map(|edition| rows_of(&["s1", "s2"], ROWS, edition));
    while !done.load(Ordering::Relaxed) {
        let edition = (imports.load(Ordering::Relaxed) + 1) % editions.len();
        env.import_without_faults("reviews", &editions[edition]).await;
        imports.fetch_add(1, Ordering::Relaxed);
    }
}

/// Searches the organisation without imports page by page, and single pages of the other, until enough imports have ended.
async fn read(env: &ImportEnv, fixtures: &Fixtures, quiet: &[(&str, Vec<String>)], imports: &AtomicUsize) {
    let busy =
        ["", "business_city=lyon", "rating__in=1,3,5", "update_date__gte=2024-02-29T12:00:00", "business__in=s1,s2"];
    for round in 0.. {
        if round >= ROUNDS && imports.load(Ordering::Relaxed) >= IMPORTS {
            break;
        }
        for (query, ids) in quiet {
            let expected = (BTreeSet::from([ids.len() as u64]), ids.clone());
            assert_eq!(walk(env, &fixtures.manager_2.key, query).await, expected, "{query}");
        }
        for query in busy {
            let number = round % 2 + 1;
            for key in [&fixtures.manager_1.key, &fixtures.provider.key] {
                page(env, key, &format!("{query}&per_page={PER_PAGE}&page={number}")).await;
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn statistics_are_those_of_one_moment_while_an_import_runs() {
    let env = ImportEnv::new().await;
    let fixtures = Fixtures::create(&env.stack).await;
    env.import_without_faults("reviews", &rows_of(&["s3"], ROWS, 0)).await;
    let (done, imports) = (AtomicBool::new(false), AtomicUsize::new(0));
    let counting = async {
        count(&env, &fixtures, &imports).await;
        done.store(true, Ordering::Relaxed);
    };
    futures::join!(import_until(&env, &done, &imports), counting);
    assert_eq!(env.audit().await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn import_changes_no_search_of_another_organisation_and_no_page_shows_a_review_twice() {
    let env = ImportEnv::new().await;
    let fixtures = Fixtures::create(&env.stack).await;
    env.import_without_faults("reviews", &rows_of(&["s3"], ROWS, 0)).await;
    let mut quiet = Vec::new();
    for query in
        ["", "state=treated", "business_city=Lyon&order_by=update_date", "update_date__gte=2024-02-29T12:00:00"]
    {
        let (counts, ids) = walk(&env, &fixtures.manager_2.key, query).await;
        assert_eq!(counts, BTreeSet::from([ids.len() as u64]), "{query}: the count equals the reviews on all pages");
        quiet.push((query, ids));
    }
    assert_eq!(quiet[0].1.len(), ROWS);
    let (done, imports) = (AtomicBool::new(false), AtomicUsize::new(0));
    let reading = async {
        read(&env, &fixtures, &quiet, &imports).await;
        done.store(true, Ordering::Relaxed);
    };
    futures::join!(import_until(&env, &done, &imports), reading);
    assert_eq!(env.audit().await, []);
}
