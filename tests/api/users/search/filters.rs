//! Filters: each of them alone, then several together.

use presence_domain::user::Status::{Active, Invited};

use super::SearchedUser;
use crate::api::users::fixture::{Case, get};

pub(super) const USERS: [SearchedUser; 6] = [
    ("ana", "Ana María", "López", "Ana.Lopez+Shop", Active, Some(7)),
    ("ben", "Bjørn", "Łukaszewicz", "ben@bücher.canary-mail.example", Invited, Some(7)),
    ("eva", "Éva", "Martin-Lopez", "eva", Invited, Some(7)),
    ("ike", "Ike", "d'Arc de la Cruz", "ike", Active, Some(7)),
    ("jun", "純", "ＹＡＭＡＤＡ", "jun", Active, Some(7)),
    ("far", "Far", "Lopez", "far", Active, Some(8)),
];

pub(super) fn cases() -> Vec<Case> {
    [whole_users(), org_ids(), last_names(), emails(), statuses(), together(), every_error(), blanks()].concat()
}

fn find(reason: &'static str, filter: &str) -> Case {
    get(reason, &format!("/user/search?{filter}")).by("reader")
}

/// Returns a search by one parameter that finds these users.
fn finds(reason: &'static str, parameter: &str, value: &str, users: &str) -> Case {
    find(reason, &format!("{parameter}={value}")).finds(users)
}

fn search_in_org(reason: &'static str, caller: &'static str, org_id: &str) -> Case {
    get(reason, &format!("/user/search?org_id={org_id}")).by(caller)
}

fn find_ana(reason: &'static str, more_parameters: &str) -> Case {
    find(reason, &format!("email=ana.lopez%2Bshop@canary-mail.example{more_parameters}"))
}

/// Returns `ana` as a search shows her.
fn ana(business_ids: &str) -> String {
    format!(
        r#"{{"id":"<ana>","status":"active","first_name":"Ana María","last_name":"López",{business_ids}"phone":"+33 1","email":"Ana.Lopez+Shop@canary-mail.example"}}"#
    )
}

fn page_of(user: &str) -> String {
    format!(r#"{{"page":1,"max_page":1,"count":1,"users":[{user}]}}"#)
}

/// Returns the cases that show every field of a user, in the order of the interface.
fn whole_users() -> Vec<Case> {
    let eva = r#"{"id":"<eva>","status":"invited","first_name":"Éva","last_name":"Martin-Lopez","business_ids":[],"phone":null,"email":"eva@canary-mail.example"}"#;
    let shown = page_of(&ana(r#""business_ids":["b7-1"],"#));
    let hidden = page_of(&ana(""));
    vec![
        find_ana("a user with all that a search tells of it", "").answers(200, &shown),
        find_ana("with business_ids on request", "&display_business_ids=True").answers(200, &shown),
        find_ana("1 is true", "&display_business_ids=1").answers(200, &shown),
        find_ana("without business_ids", "&display_business_ids=False").answers(200, &hidden),
        find_ana("false in any case", "&display_business_ids=fALSE").answers(200, &hidden),
        find_ana("0 is false", "&display_business_ids=0").answers(200, &hidden),
        find("null and the empty list", "email=eva@canary-mail.example").answers(200, &page_of(eva)),
        find("nobody", "last_name=nobody").answers(200, r#"{"page":1,"max_page":1,"count":0,"users":[]}"#),
    ]
}

fn org_ids() -> Vec<Case> {
    const NO_OTHER: &str = "an ORG_ADMIN may not read users of another organisation";
    vec![
        search_in_org("one's own organisation", "reader", "7").finds("ike ana ben eva jun reader"),
        search_in_org("with blanks around", "reader", "%207%20").finds("ike ana ben eva jun reader"),
        search_in_org("with a leading zero", "reader", "07").finds("ike ana ben eva jun reader"),
        search_in_org("another one", "reader", "8").forbidden(NO_OTHER),
        search_in_org("one that nobody is in", "reader", "999").forbidden(NO_OTHER),
        search_in_org("another one, by a BUSINESS_MANAGER", "manager_1", "7")
            .forbidden("a BUSINESS_MANAGER may not read users of another organisation"),
        search_in_org("any, by a PROVIDER", "provider", "8").finds("far"),
        search_in_org("any, by a PROVIDER of an organisation", "provider_in_1", "8").finds("far"),
        search_in_org("one that nobody is in, by a PROVIDER", "provider", "999").finds(""),
        search_in_org("the largest id", "provider", "9007199254740991").finds(""),
    ]
}

fn last_names() -> Vec<Case> {
    vec![
        finds("the whole name", "last_name", "López", "ana eva"),
        finds("without accents and case", "last_name", "LOPEZ", "ana eva"),
        finds("with accents that the name lacks", "last_name", "lópèz-", ""),
        finds("accents do not matter", "last_name", "mártïn", "eva"),
        finds("a part in the middle", "last_name", "ope", "ana eva"),
        finds("full width", "last_name", "%EF%BC%AC%EF%BC%AF%EF%BC%B0", "ana eva"),
        finds("a name of full width", "last_name", "yamada", "jun"),
        finds("a letter that is not decomposed", "last_name", "lukasz", "ben"),
        finds("such a letter is its plain one", "last_name", "Ł", "ike ana ben eva"),
        finds("signs are characters", "last_name", "n-l", "eva"),
        finds("blanks inside", "last_name", "arc%20de+la", "ike"),
        finds("blanks around are not", "last_name", "%20%20cruz%20", "ike"),
        finds("an apostrophe", "last_name", "d'a", "ike"),
        finds("no first name", "last_name", "ana", ""),
        finds("no wildcard", "last_name", "*", ""),
        finds("no wildcard of SQL either", "last_name", "%25", ""),
        finds("one letter", "last_name", "z", "ike ana ben eva reader"),
        finds("no typing error is forgiven", "last_name", "lopes", ""),
    ]
}

fn emails() -> Vec<Case> {
    vec![
        finds("as typed", "email", "Ana.Lopez%2BShop@canary-mail.example", "ana"),
        finds("in any case, trimmed", "email", "%20ANA.LOPEZ%2BSHOP@CANARY-MAIL.EXAMPLE%20", "ana"),
        finds("full width", "email", "%EF%BD%81na.lopez%2Bshop@canary-mail.example", "ana"),
        finds("without the plus tag it is another one", "email", "ana.lopez@canary-mail.example", ""),
        finds("without the dot it is another one", "email", "analopez%2Bshop@canary-mail.example", ""),
        finds("a domain of its own script", "email", "ben@bücher.canary-mail.example", "ben"),
        finds("the same domain in ASCII", "email", "ben@xn--bcher-kva.canary-mail.example", "ben"),
        finds("of another organisation", "email", "far@canary-mail.example", ""),
        finds("of nobody", "email", "nobody@canary-mail.example", ""),
        find("of another organisation, by a PROVIDER", "email=far@canary-mail.example").by("provider").finds("far"),
        find("one that nobody gets today is valid as a filter", "email=zo%C3%AB@canary-mail.example").finds(""),
    ]
}

fn statuses() -> Vec<Case> {
    vec![
        find("active", "status=active").finds("ike ana jun reader"),
        find("invited", "status=invited").finds("ben eva"),
        find("by a PROVIDER, over all organisations", "status=invited")
            .by("provider")
            .finds("invited_1 invited_2 ben eva"),
    ]
}

/// Returns the cases of several filters at once: a user must match all of them.
fn together() -> Vec<Case> {
    vec![
        find("last_name and status", "last_name=lopez&status=invited").finds("eva"),
        find("last_name and email", "last_name=lopez&email=eva@canary-mail.example").finds("eva"),
        find("that do not fit each other", "last_name=cruz&email=eva@canary-mail.example").finds(""),
        find("email and status", "email=eva@canary-mail.example&status=active").finds(""),
        find("query and last_name", "query=maria&last_name=lopez").finds("ana"),
        find("query and status", "query=lopez&status=invited").finds("eva"),
        find("query and email", "query=lopez&email=eva@canary-mail.example").finds("eva"),
        find("all of them", "org_id=7&last_name=lop&email=eva@canary-mail.example&status=invited&query=eva&page=1")
            .finds("eva"),
        find("all of them but one", "org_id=7&last_name=lop&email=eva@canary-mail.example&status=active&query=eva")
            .finds(""),
        find("org_id and last_name, by a PROVIDER", "org_id=8&last_name=lopez").by("provider").finds("far"),
        find("last_name, by a PROVIDER", "last_name=lopez").by("provider").finds("ana eva far"),
    ]
}

fn every_error() -> Vec<Case> {
    vec![find("all that is wrong at once", "org_id=x&last_name=%00&email=x&status=x&page=x&per_page=0&query=%00&display_business_ids=x&foo=1")
        .bad_fields(concat!(
            r#"{"display_business_ids":{"explanation":"is not one of the choices","choices":["True","False"]},"#,
            r#""email":"is not a valid e-mail address","foo":"is not a parameter of this operation","last_name":"must not contain control characters","#,
            r#""org_id":"must be an integer","page":"must be an integer","per_page":"must be an integer from 1 to 100","query":"must not contain control characters","#,
            r#""status":{"explanation":"is not one of the choices","choices":["active","invited"]}}"#
        ))]
}

/// Returns the cases of blank parameters: they count as not given.
fn blanks() -> Vec<Case> {
    let mut cases = Vec::new();
    for name in ["org_id", "last_name", "email", "status", "page", "per_page", "query"] {
        for value in ["", "=", "=%20", "=+", "=%E3%80%80"] {
            cases.push(find("a blank parameter", &format!("{name}{value}")).finds("ike ana ben eva jun reader"));
        }
    }
    cases
}
