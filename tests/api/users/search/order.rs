//! Last name, first name, id; and organisations for a PROVIDER.

use presence_domain::user::Status::{Active, Invited};

use super::Found;
use crate::api::users::fixture::{Case, get};

/// Their ids count from 1.
pub(super) const PEOPLE: [Found; 8] = [
    ("p1", "zoe", "Bauer", "o1", Active, Some(7)),
    ("p2", "Äda", "bauer", "o2", Invited, Some(7)),
    ("p3", "Bob", "BÄUER", "o3", Active, Some(7)),
    ("p4", "Ann", "Åberg", "o4", Invited, Some(7)),
    ("p5", "Ann", "Ćwik", "o5", Active, Some(7)),
    ("p6", "Twin", "Twin", "o6", Active, Some(7)),
    ("p7", "Nobody", "Aaa", "o7", Active, None),
    ("p8", "Ten", "Aaa", "o8", Active, Some(10)),
];

/// From 9 on: as text, 10 comes before 6 and 9.
pub(super) const LATER_IDS: [Found; 2] =
    [("p9", "Twin", "TWIN", "o9", Active, Some(7)), ("p10", "twin", "Twin", "o10", Invited, Some(7))];

pub(super) fn cases() -> Vec<Case> {
    const ORG_1: &str = "admin_1 invited_1 manager_1 other_admin_1 other_manager_1 provider_in_1";
    const ORG_2: &str = "admin_2 invited_2 manager_2";
    const ORG_7: &str = "p4 p2 p3 p1 p5 p6 p9 p10 reader";
    let of = |why, by, path, people: &str| get(why, path).by(by).finds(people);
    let all = format!("p7 provider {ORG_1} {ORG_2} {ORG_7} p8");
    vec![
        of("last name, first name, id by number: all folded", "reader", "/user/search", ORG_7),
        of("the same among the active", "reader", "/user/search?status=active", "p3 p1 p5 p6 p9 reader"),
        of("the same among the invited", "reader", "/user/search?status=invited", "p4 p2 p10"),
        of("the same of a filter", "reader", "/user/search?last_name=bauer", "p2 p3 p1"),
        of("the same of equally good matches", "reader", "/user/search?query=bauer", "p2 p3 p1"),
        of("the id decides at the end", "reader", "/user/search?query=twin", "p6 p9 p10"),
        of("a PROVIDER: without an organisation first, then organisations by number", "provider", "/user/search", &all),
        of("a PROVIDER of an organisation: the same", "provider_in_1", "/user/search", &all),
        of("the same of a filter", "provider", "/user/search?last_name=aaa", "p7 p8"),
        of("of one organisation", "provider", "/user/search?org_id=7", ORG_7),
        of("a BUSINESS_MANAGER sees its organisation", "manager_1", "/user/search", ORG_1),
        of("another organisation", "admin_2", "/user/search", ORG_2),
    ]
}
