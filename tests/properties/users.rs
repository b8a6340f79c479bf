//! Users with difficult names, and the expected order of them.

use fastrand::Rng;
use presence_domain::ids::{OrgId, UserId};
use presence_domain::text::sort_key;
use presence_domain::user::{PersonName, Role, Status, User};
use presence_tests::{Reply, TestStack, test_user};
use serde_json::Value;

/// Names that are prefixes of one another, differ in case, accents, width or blanks only, or are of other scripts.
const NAMES: [&str; 34] = [
    "Martin",
    "martin",
    "MARTIN",
    "Mártin",
    "Ｍａｒｔｉｎ",
    "Martin Luc",
    "Martin  Luc",
    "Martin-Luc",
    "Martin'",
    "Martine",
    "Mart",
    "Marti n",
    "M",
    "Zoë",
    "Zoe",
    "Ζωή",
    "Øre",
    "Ore",
    "Łódź",
    "Straße",
    "Strasse",
    "王",
    "王小明",
    "王 小明",
    "김",
    "김민준",
    "ガイド",
    "ｶﾞｲﾄﾞ",
    "Ёлка",
    "हिन्दी",
    "𝒜da",
    "Ada",
    "1st",
    "~",
];
/// Character that makes a name longer than its sort key. Such names differ after the end of the key.
const LONG: &str = "\u{fdfa}";

/// Writes random users into an organisation, or into none, past the API.
pub(super) async fn create(stack: &TestStack, org: Option<u64>, count: usize, rng: &mut Rng) -> Vec<User> {
    let mut users = Vec::new();
    for _ in 0..count {
        let user = user(org, rng);
        stack.put_user(&user).await;
        users.push(user);
    }
    users
}

fn user(org: Option<u64>, rng: &mut Rng) -> User {
    let id = UserId::random();
    let status = *rng.choice(&Status::ALL).expect("two");
    let role = if org.is_some() { Role::BusinessManager } else { Role::Provider };
    let (first_name, last_name) = (name(rng), name(rng));
    User { id, first_name, last_name, ..test_user(&format!("p{id}"), role, org, status) }
}

fn name(rng: &mut Rng) -> PersonName {
    let part = |rng: &mut Rng| (*rng.choice(&NAMES).expect("many")).to_owned();
    let text = match rng.u8(0..8) {
        0 => format!("{} {}", part(rng), part(rng)),
        1 => format!("{}{}", part(rng), rng.alphabetic()),
        2 => format!("{}{}", LONG.repeat(90), part(rng)).chars().take(PersonName::MAX_CHARS).collect(),
        _ => part(rng),
    };
    PersonName::parse(&text).expect("a name")
}

/// Returns the ids in the order of answers: by organisation (none first), folded last name, folded first name, id.
pub(super) fn in_order(users: impl IntoIterator<Item = User>) -> Vec<String> {
    let mut users: Vec<User> = users.into_iter().collect();
    users.sort_by_cached_key(|user| {
        let names = (sort_key(user.last_name.as_str()), sort_key(user.first_name.as_str()));
        (user.org_id.map_or(0, OrgId::get), names, user.id.get())
    });
    users.into_iter().map(|user| user.id.to_string()).collect()
}

/// Returns the ids on a page.
pub(super) fn ids(reply: &Reply) -> Vec<String> {
    assert_eq!(reply.status, 200, "{}", reply.text);
    let body = reply.json();
    let users = body["users"].as_array().expect("a list").iter();
    users.map(|user| user["id"].as_str().expect("an id").to_owned()).collect()
}

/// Returns the ids on all pages, in order. Asserts the count, the last page and the size of each page.
pub(super) async fn walk(stack: &TestStack, key: &str, filter: &str, per_page: usize) -> Vec<String> {
    let mut walked = Vec::new();
    let mut page = 1;
    loop {
        let path = format!("/user/search?per_page={per_page}&page={page}&display_business_ids=False{filter}");
        let reply = stack.get(&path, key).await;
        let (found, body) = (ids(&reply), reply.json());
        let number = |name: &str| body[name].as_u64().and_then(|n| usize::try_from(n).ok()).expect("a number");
        let (count, max_page) = (number("count"), number("max_page"));
        assert_eq!(max_page, count.div_ceil(per_page).max(1), "{path}");
        assert_eq!(body["page"], Value::from(page), "{path}");
        let left = count.saturating_sub(walked.len());
        assert_eq!(found.len(), left.min(per_page), "{path}: a page is full unless it is the last");
        walked.extend(found);
        if page > max_page {
            assert_eq!(walked.len(), count, "the page past the end is empty: {path}");
            return walked;
        }
        page += 1;
    }
}
