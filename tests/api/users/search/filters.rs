//! Filters, each alone and together.

use presence_domain::user::Status::{Active, Invited};

use super::Found;
use crate::api::users::fixture::{Case, choice, get};

pub(super) const PEOPLE: [Found; 6] = [
    ("ana", "Ana María", "López", "Ana.Lopez+Shop", Active, Some(7)),
    ("ben", "Bjørn", "Łukaszewicz", "ben@bücher.canary-mail.example", Invited, Some(7)),
    ("eva", "Éva", "Martin-Lopez", "eva", Invited, Some(7)),
    ("ike", "Ike", "d'Arc de la Cruz", "ike", Active, Some(7)),
    ("jun", "純", "ＹＡＭＡＤＡ", "jun", Active, Some(7)),
    ("far", "Far", "Lopez", "far", Active, Some(8)),
];

pub(super) fn cases() -> Vec<Case> {
    [whole(), org_ids(), last_names(), emails(), statuses(), together(), refused(), blanks()].concat()
}

fn find(why: &'static str, filter: &str) -> Case {
    get(why, &format!("/user/search?{filter}")).by("reader")
}

/// Seven keys, in the order of the interface, in an envelope of four.
fn whole() -> Vec<Case> {
    let envelope = |users: &str| format!(r#"{{"page":1,"max_page":1,"count":1,"users":[{users}]}}"#);
    let ana = |ids: &str| {
        format!(
            r#"{{"id":"<ana>","status":"active","first_name":"Ana María","last_name":"López",{ids}"phone":"+33 1","email":"Ana.Lopez+Shop@canary-mail.example"}}"#
        )
    };
    let eva = r#"{"id":"<eva>","status":"invited","first_name":"Éva","last_name":"Martin-Lopez","business_ids":[],"phone":null,"email":"eva@canary-mail.example"}"#;
    let shown = envelope(&ana(r#""business_ids":["b7-1"],"#));
    let hidden = envelope(&ana(""));
    let find_ana = |why, more: &str| find(why, &format!("email=ana.lopez%2Bshop@canary-mail.example{more}"));
    let mut cases = vec![
        find_ana("a user with all that a search tells of it", "").gives(200, &shown),
        find_ana("with business_ids on request", "&display_business_ids=True").gives(200, &shown),
        find_ana("1 is true", "&display_business_ids=1").gives(200, &shown),
        find_ana("without business_ids", "&display_business_ids=False").gives(200, &hidden),
        find_ana("false in any case", "&display_business_ids=fALSE").gives(200, &hidden),
        find_ana("0 is false", "&display_business_ids=0").gives(200, &hidden),
        find("null and the empty list", "email=eva@canary-mail.example").gives(200, &envelope(eva)),
        find("nobody", "last_name=nobody").gives(200, r#"{"page":1,"max_page":1,"count":0,"users":[]}"#),
    ];
    let choices = choice("display_business_ids", &["True", "False"]);
    cases.extend(
        ["", "%20", "yes", "2"]
            .map(|value| find_ana("no boolean", &format!("&display_business_ids={value}")).bad(&choices)),
    );
    cases
}

fn org_ids() -> Vec<Case> {
    const RANGE: &str = "must be an integer from 1 to 9007199254740991";
    const OWN_ORG: &str = "this key may only read the users of its own organisation";
    let of = |why, by, value: &str| get(why, &format!("/user/search?org_id={value}")).by(by);
    let bad = |why, value: &str, text: &str| of(why, "reader", value).bad(&format!(r#"{{"org_id":"{text}"}}"#));
    vec![
        of("one's own organisation", "reader", "7").finds("ike ana ben eva jun reader"),
        of("with blanks around", "reader", "%207%20").finds("ike ana ben eva jun reader"),
        of("with a leading zero", "reader", "07").finds("ike ana ben eva jun reader"),
        of("another one", "reader", "8").forbidden(OWN_ORG),
        of("one that nobody is in", "reader", "999").forbidden(OWN_ORG),
        of("another one, by a BUSINESS_MANAGER", "manager_1", "7").forbidden(OWN_ORG),
        of("any, by a PROVIDER", "provider", "8").finds("far"),
        of("any, by a PROVIDER of an organisation", "provider_in_1", "8").finds("far"),
        of("one that nobody is in, by a PROVIDER", "provider", "999").finds(""),
        of("the largest id", "provider", "9007199254740991").finds(""),
        bad("0", "0", RANGE),
        bad("below 0", "-1", RANGE),
        bad("past the largest id", "9007199254740992", RANGE),
        bad("text", "seven", "must be an integer"),
        bad("a float", "7.0", "must be an integer"),
        bad("a list", "7,8", "must be an integer"),
        bad("null is text", "null", "must be an integer"),
        bad("a control character", "7%00", "must be an integer"),
        bad("more digits than any integer", &"9".repeat(60), "is out of range"),
    ]
}

fn last_names() -> Vec<Case> {
    let of = |why, value: &str, people| find(why, &format!("last_name={value}")).finds(people);
    let bad = |why, value: &str, text: &str| {
        find(why, &format!("last_name={value}")).bad(&format!(r#"{{"last_name":"{text}"}}"#))
    };
    let long = "a".repeat(255);
    vec![
        of("the whole name", "López", "ana eva"),
        of("without accents and case", "LOPEZ", "ana eva"),
        of("with accents that the name lacks", "lópèz-", ""),
        of("accents do not matter", "mártïn", "eva"),
        of("a part in the middle", "ope", "ana eva"),
        of("full width", "%EF%BC%AC%EF%BC%AF%EF%BC%B0", "ana eva"),
        of("a name of full width", "yamada", "jun"),
        of("a letter that is not decomposed", "lukasz", "ben"),
        of("such a letter is its plain one", "Ł", "ike ana ben eva"),
        of("signs are characters", "n-l", "eva"),
        of("blanks inside", "arc%20de+la", "ike"),
        of("blanks around are not", "%20%20cruz%20", "ike"),
        of("an apostrophe", "d'a", "ike"),
        of("no first name", "ana", ""),
        of("no wildcard", "*", ""),
        of("no wildcard of SQL either", "%25", ""),
        of("one letter", "z", "ike ana ben eva reader"),
        of("no typing error is forgiven", "lopes", ""),
        of("255 characters", &long, ""),
        bad("256 characters", &format!("{long}a"), "must have at most 255 characters"),
        bad("a control character", "lo%00pez", "must not contain control characters"),
        bad("a line break", "lopez%0A", "must not contain control characters"),
        bad("nothing but an accent", "%CC%81", "has nothing to search for"),
    ]
}

fn emails() -> Vec<Case> {
    let of = |why, value: &str, people| find(why, &format!("email={value}")).finds(people);
    let mut cases = vec![
        of("as typed", "Ana.Lopez%2BShop@canary-mail.example", "ana"),
        of("in any case, trimmed", "%20ANA.LOPEZ%2BSHOP@CANARY-MAIL.EXAMPLE%20", "ana"),
        of("full width", "%EF%BD%81na.lopez%2Bshop@canary-mail.example", "ana"),
        of("without the plus tag it is another one", "ana.lopez@canary-mail.example", ""),
        of("without the dot it is another one", "analopez%2Bshop@canary-mail.example", ""),
        of("a domain of its own script", "ben@bücher.canary-mail.example", "ben"),
        of("the same domain in ASCII", "ben@xn--bcher-kva.canary-mail.example", "ben"),
        of("of another organisation", "far@canary-mail.example", ""),
        of("of nobody", "nobody@canary-mail.example", ""),
        find("of another organisation, by a PROVIDER", "email=far@canary-mail.example").by("provider").finds("far"),
        find("a plus is a blank", "email=Ana.Lopez+Shop@canary-mail.example")
            .bad(r#"{"email":"is not a valid e-mail address"}"#),
        find("a control character", "email=ana%00@canary-mail.example")
            .bad(r#"{"email":"must not contain control characters"}"#),
    ];
    cases.push(find("one that nobody gets today is valid as a filter", "email=zo%C3%AB@canary-mail.example").finds(""));
    cases.extend(["ana", "ana.lopez", "@canary-mail.example", "ana@", "ana%25@"].map(|value| {
        find("no address, nor a part of one", &format!("email={value}"))
            .bad(r#"{"email":"is not a valid e-mail address"}"#)
    }));
    cases
}

fn statuses() -> Vec<Case> {
    let choices = choice("status", &["active", "invited"]);
    let mut cases = vec![
        find("active", "status=active").finds("ike ana jun reader"),
        find("invited", "status=invited").finds("ben eva"),
        find("by a PROVIDER, over all organisations", "status=invited")
            .by("provider")
            .finds("invited_1 invited_2 ben eva"),
    ];
    cases.extend(
        ["Active", "INVITED", "activ", "active,invited", "%20active", "active%00", "1"]
            .map(|value| find("only the exact spelling", &format!("status={value}")).bad(&choices)),
    );
    cases
}

/// Filters are joined by AND.
fn together() -> Vec<Case> {
    let of = |why, filter, people| find(why, filter).finds(people);
    vec![
        of("last_name and status", "last_name=lopez&status=invited", "eva"),
        of("last_name and email", "last_name=lopez&email=eva@canary-mail.example", "eva"),
        of("that do not fit each other", "last_name=cruz&email=eva@canary-mail.example", ""),
        of("email and status", "email=eva@canary-mail.example&status=active", ""),
        of("query and last_name", "query=maria&last_name=lopez", "ana"),
        of("query and status", "query=lopez&status=invited", "eva"),
        of("query and email", "query=lopez&email=eva@canary-mail.example", "eva"),
        of(
            "all of them",
            "org_id=7&last_name=lop&email=eva@canary-mail.example&status=invited&query=eva&page=1",
            "eva",
        ),
        of("all of them but one", "org_id=7&last_name=lop&email=eva@canary-mail.example&status=active&query=eva", ""),
        find("org_id and last_name, by a PROVIDER", "org_id=8&last_name=lopez").by("provider").finds("far"),
        find("last_name, by a PROVIDER", "last_name=lopez").by("provider").finds("ana eva far"),
    ]
}

fn refused() -> Vec<Case> {
    let mut cases = vec![find("all that is wrong at once", "org_id=x&last_name=%00&email=x&status=x&page=x&per_page=0&query=%00&display_business_ids=x&foo=1")
        .bad(concat!(
            r#"{"display_business_ids":{"explanation":"is not one of the choices","choices":["True","False"]},"#,
            r#""email":"is not a valid e-mail address","foo":"is not a parameter of this operation","last_name":"must not contain control characters","#,
            r#""org_id":"must be an integer","page":"must be an integer","per_page":"must be an integer from 1 to 100","query":"must not contain control characters","#,
            r#""status":{"explanation":"is not one of the choices","choices":["active","invited"]}}"#
        ))];
    for name in ["org_id", "last_name", "email", "status", "page", "per_page", "query", "display_business_ids"] {
        cases.push(
            find("a parameter twice", &format!("{name}=1&{name}=1"))
                .bad(&format!(r#"{{"{name}":"is given more than once"}}"#)),
        );
    }
    for name in
        ["last-name", "lastname", "first_name", "role", "phone", "lang", "order_by", "Status", "id", "q", "limit"]
    {
        cases.push(
            find("a mistyped filter never returns everything", &format!("{name}=1"))
                .bad(&format!(r#"{{"{name}":"is not a parameter of this operation"}}"#)),
        );
    }
    cases
}

/// A blank parameter counts as not given.
fn blanks() -> Vec<Case> {
    let mut cases = Vec::new();
    for name in ["org_id", "last_name", "email", "status", "page", "per_page", "query"] {
        for value in ["", "=", "=%20", "=+", "=%E3%80%80"] {
            cases.push(find("a blank parameter", &format!("{name}{value}")).finds("ike ana ben eva jun reader"));
        }
    }
    for name in ["last_name", "email", "query"] {
        let error = format!(r#"{{"{name}":"must not contain control characters"}}"#);
        cases.push(find("a tab is no blank", &format!("{name}=%09")).bad(&error));
    }
    cases
}
