//! Businesses that move to another organisation leave the lists of the old one's users.

use presence_ops::Exit;
use presence_tests::{Cast, FaultKind, Plan};
use serde_json::json;

use super::dock::Dock;

const ORGS: &str = "{\"id\":1,\"name\":\"A\"}\n{\"id\":2,\"name\":\"B\"}";

/// Rows that put the first businesses of organisation 1 there or elsewhere.
fn shops(org: u64, numbers: &[u64]) -> String {
    let row =
        |number: &u64| json!({"id": format!("b1-{number}"), "org_id": org, "name": "Shop", "city": "Saint-Étienne"});
    numbers.iter().fold(String::new(), |rows, number| rows + &row(number).to_string() + "\n")
}

async fn listed(dock: &Dock, id: &str) -> Vec<String> {
    let user = dock.world.stored(id).await.expect("the user").user;
    user.business_ids.iter().map(|business| business.as_str().to_owned()).collect()
}

/// Gives users of organisation 1 lists of its businesses.
async fn give(dock: &Dock, cast: &Cast) {
    for (id, businesses) in [(&cast.manager_1.id, vec!["b1-1", "b1-2", "b1-3"]), (&cast.admin_1.id, vec!["b1-2"])] {
        let reply =
            dock.world.post(&format!("/user/{id}"), &cast.provider.key, &json!({"business_ids": businesses})).await;
        assert_eq!(reply.status, 200, "{}", reply.text);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_business_that_moves_leaves_the_lists_of_the_old_organisations_users() {
    let dock = Dock::new().await;
    let cast = Cast::enter(&dock.world).await;
    dock.import_calmly("orgs", ORGS).await;
    give(&dock, &cast).await;
    let moved = dock.import_aloud("businesses", &shops(2, &[2, 3])).await;
    assert_eq!((moved.exit, &moved.summary()["users_updated"]), (Exit::Done, &json!(2)), "{}", moved.stdout);
    assert!(moved.stderr.contains("taken out of the lists of 2 users"), "{}", moved.stderr);
    assert_eq!(
        (listed(&dock, &cast.manager_1.id).await, listed(&dock, &cast.admin_1.id).await),
        (vec!["b1-1".to_owned()], vec![])
    );
    assert_eq!(dock.world.audit().await, []);
    // A search shows it at once: the users were written as every user is.
    let found = dock.world.get("/user/search?org_id=1&last_name=&per_page=100", &cast.provider.key).await;
    assert!(!found.text.contains("b1-2") && found.text.contains("b1-1"), "{}", found.text);
    let again = dock.import_aloud("businesses", &shops(2, &[2, 3])).await;
    assert_eq!((&again.summary()["unchanged"], &again.summary()["users_updated"]), (&json!(2), &json!(null)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_move_that_is_killed_anywhere_and_run_again_leaves_nothing_behind() {
    let dock = Dock::new().await;
    let cast = Cast::enter(&dock.world).await;
    dock.import_calmly("orgs", ORGS).await;
    give(&dock, &cast).await;
    let attempts = dock.attempts("businesses", &shops(2, &[2, 3])).await;
    for call in 1..=attempts {
        dock.import_calmly("businesses", &shops(1, &[2, 3])).await;
        give(&dock, &cast).await;
        dock.faults.restart(Plan::At { call, kind: FaultKind::RefuseConnection, times: u64::MAX });
        dock.import("businesses", &shops(2, &[2, 3])).await;
        dock.import_calmly("businesses", &shops(2, &[2, 3])).await;
        assert_eq!(listed(&dock, &cast.manager_1.id).await, ["b1-1"], "killed at call {call}");
        assert_eq!(dock.world.audit().await, [], "killed at call {call}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_move_beside_updates_of_the_same_users_loses_none_of_them() {
    let dock = Dock::lasting().await;
    let cast = Cast::enter(&dock.world).await;
    dock.import_calmly("orgs", ORGS).await;
    give(&dock, &cast).await;
    let path = format!("/user/{}", cast.manager_1.id);
    let updates = async {
        for number in 0..20 {
            let reply = dock.world.post(&path, &cast.provider.key, &json!({"phone": number.to_string()})).await;
            assert!([200, 409].contains(&reply.status), "{}", reply.text);
        }
    };
    let file = shops(2, &[2, 3]);
    let (moved, ()) = futures::join!(dock.import("businesses", &file), updates);
    assert_eq!(moved, Exit::Done);
    assert_eq!(listed(&dock, &cast.manager_1.id).await, ["b1-1"]);
    assert_eq!(dock.world.audit().await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_audit_finds_a_business_in_a_list_that_is_unknown_or_of_another_organisation() {
    let dock = Dock::new().await;
    let cast = Cast::enter(&dock.world).await;
    give(&dock, &cast).await;
    // What the import never does: the business alone.
    dock.world.business(2, "b1-2", "Lyon").await;
    let findings = dock.world.audit().await;
    let problems: Vec<_> =
        findings.iter().map(|finding| (finding.subject.as_str(), finding.problem.as_str())).collect();
    let subjects = [&cast.manager_1.id, &cast.admin_1.id].map(|id| format!("user {id}"));
    let problem = "lists the business b1-2, which is of organisation 2";
    assert_eq!(problems.len(), 2, "{problems:?}");
    assert!(problems.iter().all(|(subject, found)| subjects.contains(&(*subject).to_owned()) && *found == problem));
}
