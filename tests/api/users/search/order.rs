//! Order of the users: organisation for a PROVIDER, then last name, first name and id.

use presence_domain::user::Status::{Active, Invited};

use super::SearchedUser;
use crate::api::users::fixture::{Case, get};

/// Users with ids from 1 on.
pub(super) const USERS: [SearchedUser; 8] = [
    ("p1", "zoe", "Bauer", "o1", Active, Some(7)),
    ("p2", "Äda", "bauer", "o2", Invited, Some(7)),
    ("p3", "Bob", "BÄUER", "o3", Active, Some(7)),
    ("p4", "Ann", "Åberg", "o4", Invited, Some(7)),
    ("p5", "Ann", "Ćwik", "o5", Active, Some(7)),
    ("p6", "Twin", "Twin", "o6", Active, Some(7)),
    ("p7", "Nobody", "Aaa", "o7", Active, None),
    ("p8", "Ten", "Aaa", "o8", Active, Some(10)),
];

/// Users with the ids 9 and 10. Compared as text, 10 would come before 6 and 9.
pub(super) const LATER_IDS: [SearchedUser; 2] =
    [("p9", "Twin", "TWIN", "o9", Active, Some(7)), ("p10", "twin", "Twin", "o10", Invited, Some(7))];

fn search(reason: &'static str, caller: &'static str, path: &str, users: &str) -> Case {
    get(reason, path).by(caller).finds(users)
}

pub(super) fn cases() -> Vec<Case> {
    const ORG_1: &str = "admin_1 invited_1 manager_1 other_admin_1 other_manager_1 provider_in_1";
    const ORG_2: &str = "admin_2 invited_2 manager_2";
    const ORG_7: &str = "p4 p2 p3 p1 p5 p6 p9 p10 reader";
    let all = format!("p7 provider {ORG_1} {ORG_2} {ORG_7} p8");
    vec![
        search("last name, first name, id by number: all folded", "reader", "/user/search", ORG_7),
        search("the same among the active", "reader", "/user/search?status=active", "p3 p1 p5 p6 p9 reader"),
        search("the same among the invited", "reader", "/user/search?status=invited", "p4 p2 p10"),
        search("the same of a filter", "reader", "/user/search?last_name=bauer", "p2 p3 p1"),
        search("the same of equally good matches", "reader", "/user/search?query=bauer", "p2 p3 p1"),
        search("the id decides at the end", "reader", "/user/search?query=twin", "p6 p9 p10"),
        search(
            "a PROVIDER: without an organisation first, then organisations by number",
            "provider",
            "/user/search",
            &all,
        ),
        search("a PROVIDER of an organisation: the same", "provider_in_1", "/user/search", &all),
        search("the same of a filter", "provider", "/user/search?last_name=aaa", "p7 p8"),
        search("of one organisation", "provider", "/user/search?org_id=7", ORG_7),
        search("a BUSINESS_MANAGER sees its organisation", "manager_1", "/user/search", ORG_1),
        search("another organisation", "admin_2", "/user/search", ORG_2),
    ]
}
