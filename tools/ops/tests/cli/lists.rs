//! Lists: `ops users list`, `orgs list`, `businesses list`; and `ops reviews show`.

use serde_json::{Value, json};

use crate::cli_env::CliEnv;
use crate::rows::{ORGS, business_row};

/// Runs `ops --json`, and returns the lines of stdout.
fn lines(env: &CliEnv, arguments: &str) -> Vec<Value> {
    let run = env.run(&format!("{arguments} --json")).expect_exit(0);
    run.stdout.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

#[test]
fn users_are_listed_by_organisation_status_and_role() {
    let env = CliEnv::new();
    let provider = env.create_user("zoe@example.org", "--role PROVIDER");
    let admin = env.create_user("ann@example.org", "--role ORG_ADMIN --org-id 42");
    let invited = env.create_user("bob@example.org", "--role ORG_ADMIN --org-id 42 --status invited");
    let manager = env.create_user("cyd@example.org", "--role BUSINESS_MANAGER --org-id 7");
    let ids = |arguments: &str| -> Vec<String> {
        let users = lines(&env, &format!("users list {arguments}")).into_iter();
        let mut ids: Vec<_> = users.map(|user| user["id"].as_str().expect("an id").to_owned()).collect();
        ids.sort_unstable();
        ids
    };
    let sorted = |ids: &[&String]| {
        let mut ids: Vec<String> = ids.iter().map(|id| (*id).clone()).collect();
        ids.sort_unstable();
        ids
    };
    assert_eq!(ids(""), sorted(&[&provider, &admin, &invited, &manager]));
    assert_eq!(ids("--org 42"), sorted(&[&admin, &invited]));
    assert_eq!(ids("--org 42 --status invited"), std::slice::from_ref(&invited));
    assert_eq!(ids("--role ORG_ADMIN --status active"), std::slice::from_ref(&admin));
    assert_eq!(ids("--org 8"), Vec::<String>::new());
    let expected = json!({"id": manager, "email": "cyd@example.org", "org_id": 7, "status": "active",
        "role": "BUSINESS_MANAGER", "first_name": "Zoe", "last_name": "Martin"});
    assert_eq!(lines(&env, "users list --org 7"), [expected]);
    env.run("users list --status waiting").expect_exit(2);

    let table = env.run("users list").expect_exit(0);
    let rows: Vec<_> = table.stdout.lines().collect();
    assert!(rows[0].starts_with("ID ") && rows[0].ends_with("NAME"), "{}", table.stdout);
    assert!(rows[1].starts_with(&provider), "the users of no organisation come first: {}", table.stdout);
    assert_eq!((rows.len(), table.stderr.as_str()), (5, "users: 4\n"));
    let none = env.run("users list --org 8").expect_exit(0);
    assert_eq!((none.stdout.as_str(), none.stderr.as_str()), ("", "users: 0\n"));
}

#[test]
fn shown_user_has_its_keys_mail_and_links_and_no_secret() {
    let env = CliEnv::new();
    let id = env.create_user("zoe@example.org", "--role PROVIDER --lang fr --phone +33-4");
    let key = env.run(&format!("key issue --user {id} --label laptop --json")).expect_exit(0).json();
    let shown = env.run(&format!("users show {id} --json")).expect_exit(0).json();
    assert_eq!(shown["keys"][0]["id"], key["id"]);
    assert_eq!((&shown["keys"][0]["state"], &shown["keys"][0]["label"]), (&json!("live"), &json!("laptop")));
    let expected = json!({"email": "zoe@example.org", "lang": "fr", "phone": "+33-4", "status": "active", "org_id": null,
        "role": "PROVIDER", "business_ids": [], "has_password": false, "mail": null, "links": [], "address_mark": null});
    for (name, value) in expected.as_object().expect("an object") {
        assert_eq!(&shown[name], value, "{name}");
    }
    assert!(!shown.to_string().contains(key["key"].as_str().expect("a key")));

    let invited = env.create_user("ann@example.org", "--role PROVIDER --status invited");
    let shown = env.run(&format!("users show {invited} --json")).expect_exit(0).json();
    assert_eq!((&shown["mail"]["state"], &shown["mail"]["attempts"]), (&json!("pending"), &json!(0)));
    assert!(shown["invited_at"].is_string());
    let text = env.run(&format!("users show {invited}")).expect_exit(0).stdout;
    assert!(text.contains("email: ann@example.org\n") && text.contains("org_id: -\n"), "{text}");
    for unknown in ["7", "x"] {
        assert_eq!(
            env.run(&format!("users show {unknown}")).expect_exit(3).stderr,
            format!("error: there is no user {unknown}\n")
        );
    }
}

#[test]
fn organisations_and_businesses_are_listed_as_they_are_imported() {
    let env = CliEnv::new();
    env.run_with_stdin("import orgs -", ORGS.as_bytes()).expect_exit(0);
    let shops = [("b1", 42, "Saint-Étienne"), ("b2", 42, "Lyon"), ("b3", 43, "Lyon"), ("b4", 42, "Lyonnais")];
    let rows: String = shops.iter().map(|(id, org, city)| business_row(id, *org, city)).collect();
    env.run_with_stdin("import businesses -", rows.as_bytes()).expect_exit(0);
    let mut orgs = lines(&env, "orgs list");
    orgs.sort_unstable_by_key(|org| org["id"].as_u64());
    let imported: Vec<Value> = ORGS.lines().map(|line| serde_json::from_str(line).expect("a row")).collect();
    assert_eq!(orgs, imported);
    let ids = |arguments: &str| -> Vec<String> {
        let businesses = lines(&env, &format!("businesses list {arguments}")).into_iter();
        businesses.map(|business| business["id"].as_str().expect("an id").to_owned()).collect()
    };
    assert_eq!(ids("--org 42"), ["b2", "b4", "b1"], "by city");
    assert_eq!(ids("--org 42 --city LYON"), ["b2"]);
    assert_eq!(ids("--org 42 --city saint.etienne"), Vec::<String>::new());
    assert_eq!(ids("--org 42 --city saint-etienne"), ["b1"]);
    assert_eq!(
        lines(&env, "businesses list --org 43")[0],
        serde_json::from_str::<Value>(&business_row("b3", 43, "Lyon")).expect("a row")
    );
    let table = env.run("businesses list --org 42").expect_exit(0);
    assert_eq!((table.stdout.lines().count(), table.stderr.as_str()), (4, "businesses: 3\n"));
    env.run("businesses list").expect_exit(2);
}

#[test]
fn table_of_any_length_has_one_header() {
    let env = CliEnv::new();
    let rows: Vec<_> = (1..=1_001).map(|id| json!({"id": id, "name": format!("Org {id}")}).to_string()).collect();
    let rows = rows.join("\n");
    env.run_with_stdin("import orgs -", rows.as_bytes()).expect_exit(0);
    let table = env.run("orgs list").expect_exit(0);
    assert_eq!((table.stdout.lines().count(), table.stderr.as_str()), (1_002, "orgs: 1001\n"));
    assert_eq!(table.stdout.matches("NAME").count(), 1);
}

#[test]
fn review_is_shown_as_it_is_imported() {
    let env = CliEnv::new();
    env.run_with_stdin("import orgs -", ORGS.as_bytes()).expect_exit(0);
    env.run_with_stdin("import businesses -", business_row("b1", 42, "Lyon").as_bytes()).expect_exit(0);
    let row = json!({"business_id": "b1", "partner": "partner_8", "partner_id": "Ab12", "key": "k", "author_name": "Zoë",
        "date": "2024-03-01T09:30:00+00:00", "update_date": null, "delete_date": null, "rating": 5, "title": null,
        "content": "Très bon accueil", "reply_comment": null, "state": "not_treated", "link": null});
    env.run_with_stdin("import reviews -", row.to_string().as_bytes()).expect_exit(0);
    let items = env.scan("presence-reviews");
    let id = items.iter().find_map(|item| item["pk"].as_s().ok()?.strip_prefix("R#")).expect("the review");
    let mut shown = env.run(&format!("reviews show {id} --json")).expect_exit(0).json();
    let fields = shown.as_object_mut().expect("an object");
    let own = ["id", "org_id", "version"].map(|name| fields.remove(name).expect("a field"));
    assert_eq!(own, [json!(id), json!(42), json!(1)]);
    assert_eq!(shown, row);
    let text = env.run(&format!("reviews show {id}")).expect_exit(0).stdout;
    assert!(text.contains("author_name: Zoë\n") && text.contains("title: -\n"), "{text}");
    for unknown in ["zzzzzzzzzzzz", "x"] {
        env.run(&format!("reviews show {unknown}")).expect_exit(3);
    }
}
