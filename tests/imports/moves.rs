//! Businesses that move to another organisation: they leave the lists of the users of the old one.

use std::sync::Arc;

use presence_ops::Exit;
use presence_runtime::clock::SystemClock;
use presence_tests::{
    ConnectorLayer as _, FaultKind, Fixtures, LagConnector, PauseConnector, Plan, calls_apart, in_process_client,
    long_timeouts,
};
use serde_json::json;

use super::import_env::ImportEnv;

const ORGS: &str = "{\"id\":1,\"name\":\"A\"}\n{\"id\":2,\"name\":\"B\"}";

/// Returns import rows that put these businesses of organisation 1 into an organisation.
fn business_rows(org: u64, numbers: &[u64]) -> String {
    let row =
        |number: &u64| json!({"id": format!("b1-{number}"), "org_id": org, "name": "Shop", "city": "Saint-Étienne"});
    numbers.iter().fold(String::new(), |rows, number| rows + &row(number).to_string() + "\n")
}

/// Returns the ids in the business list of a user.
async fn listed_businesses(env: &ImportEnv, id: &str) -> Vec<String> {
    let user = env.stack.stored(id).await.expect("the user").user;
    user.business_ids.iter().map(|business| business.as_str().to_owned()).collect()
}

/// Gives two users of organisation 1 lists of its businesses.
async fn assign_businesses(env: &ImportEnv, fixtures: &Fixtures) {
    for (id, businesses) in
        [(&fixtures.manager_1.id, vec!["b1-1", "b1-2", "b1-3"]), (&fixtures.admin_1.id, vec!["b1-2"])]
    {
        let reply =
            env.stack.post(&format!("/user/{id}"), &fixtures.provider.key, &json!({"business_ids": businesses})).await;
        assert_eq!(reply.status, 200, "{}", reply.text);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn business_that_moves_leaves_the_lists_of_the_old_organisations_users() {
    let env = ImportEnv::new().await;
    let fixtures = Fixtures::create(&env.stack).await;
    env.import_without_faults("orgs", ORGS).await;
    assign_businesses(&env, &fixtures).await;
    let moved = env.import_with_output("businesses", &business_rows(2, &[2, 3])).await;
    assert_eq!((moved.exit, &moved.json()["users_updated"]), (Exit::Done, &json!(2)), "{}", moved.stdout);
    assert!(moved.stderr.contains("taken out of the lists of 2 users"), "{}", moved.stderr);
    assert_eq!(
        (listed_businesses(&env, &fixtures.manager_1.id).await, listed_businesses(&env, &fixtures.admin_1.id).await),
        (vec!["b1-1".to_owned()], vec![])
    );
    assert_eq!(env.stack.audit().await, []);
    // A search shows the change at once, since users are written as by the API.
    let found = env.stack.get("/user/search?org_id=1&last_name=&per_page=100", &fixtures.provider.key).await;
    assert!(!found.text.contains("b1-2") && found.text.contains("b1-1"), "{}", found.text);
    let again = env.import_with_output("businesses", &business_rows(2, &[2, 3])).await;
    assert_eq!((&again.json()["unchanged"], &again.json()["users_updated"]), (&json!(2), &json!(null)));
}

#[tokio::test(flavor = "multi_thread")]
async fn business_that_moves_leaves_the_lists_of_users_that_the_index_does_not_show_yet() {
    let env = ImportEnv::new().await;
    env.import_without_faults("orgs", ORGS).await;
    let lag = LagConnector::new(0);
    let stores = env.stack.stores_through(lag.over(in_process_client()), long_timeouts(), env.stack.table_prefix());
    let import = async |org, numbers: &[u64]| {
        let clock = Arc::new(SystemClock);
        presence_tests::ops::import(&stores, clock, "businesses", &business_rows(org, numbers)).await.expect(Exit::Done)
    };
    import(1, &[7]).await;
    import(2, &[7]).await;
    lag.set_reads(u64::MAX);
    let fixtures = Fixtures::create(&env.stack).await;
    assign_businesses(&env, &fixtures).await;
    assert_eq!(import(2, &[2, 3]).await.json()["users_updated"], json!(2));
    assert_eq!(listed_businesses(&env, &fixtures.manager_1.id).await, ["b1-1"]);
    assert_eq!(env.stack.audit().await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn business_that_moves_leaves_the_lists_that_got_it_meanwhile_although_the_import_is_stopped() {
    let env = ImportEnv::new().await;
    let fixtures = Fixtures::create(&env.stack).await;
    env.import_without_faults("orgs", ORGS).await;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("rows.jsonl");
    std::fs::write(&file, business_rows(2, &[2]) + "nonsense\n").expect("the folder can be written");
    let words = format!("--json import businesses {} --max-errors 1", file.display());
    let pause = PauseConnector::new();
    let stores = env.stack.stores_through(pause.over(in_process_client()), long_timeouts(), env.stack.table_prefix());
    pause.arm();
    let import = presence_tests::ops::run_ops(&stores, Arc::new(SystemClock), &words, |context| context);
    let assignment = async {
        // The users are read, and the move is not written.
        pause.paused().await;
        assign_businesses(&env, &fixtures).await;
        pause.resume();
    };
    let (stopped, ()) = futures::join!(import, assignment);
    assert_eq!((stopped.exit, &stopped.json()["users_updated"]), (Exit::Failed, &json!(2)), "{}", stopped.stderr);
    assert_eq!(listed_businesses(&env, &fixtures.manager_1.id).await, ["b1-1", "b1-3"]);
    assert_eq!(env.stack.audit().await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn move_that_is_killed_at_any_call_and_run_again_is_complete() {
    let env = ImportEnv::new().await;
    let fixtures = Fixtures::create(&env.stack).await;
    env.import_without_faults("orgs", ORGS).await;
    assign_businesses(&env, &fixtures).await;
    let attempts = env.attempts("businesses", &business_rows(2, &[2, 3])).await;
    for call in (1..=attempts).step_by(calls_apart(5)) {
        env.import_without_faults("businesses", &business_rows(1, &[2, 3])).await;
        assign_businesses(&env, &fixtures).await;
        env.faults.restart(Plan::At { call, kind: FaultKind::RefuseConnection, times: u64::MAX });
        env.import("businesses", &business_rows(2, &[2, 3])).await;
        env.import_without_faults("businesses", &business_rows(2, &[2, 3])).await;
        assert_eq!(listed_businesses(&env, &fixtures.manager_1.id).await, ["b1-1"], "killed at call {call}");
        assert_eq!(env.stack.audit().await, [], "killed at call {call}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn move_beside_updates_of_the_same_users_loses_no_update() {
    let env = ImportEnv::with_long_retries().await;
    let fixtures = Fixtures::create(&env.stack).await;
    env.import_without_faults("orgs", ORGS).await;
    assign_businesses(&env, &fixtures).await;
    let path = format!("/user/{}", fixtures.manager_1.id);
    let updates = async {
        for number in 0..20 {
            let reply = env.stack.post(&path, &fixtures.provider.key, &json!({"phone": number.to_string()})).await;
            assert!([200, 409].contains(&reply.status), "{}", reply.text);
        }
    };
    let file = business_rows(2, &[2, 3]);
    let (moved, ()) = futures::join!(env.import("businesses", &file), updates);
    assert_eq!(moved, Exit::Done);
    assert_eq!(listed_businesses(&env, &fixtures.manager_1.id).await, ["b1-1"]);
    assert_eq!(env.stack.audit().await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn audit_finds_a_listed_business_of_another_organisation() {
    let env = ImportEnv::new().await;
    let fixtures = Fixtures::create(&env.stack).await;
    assign_businesses(&env, &fixtures).await;
    // The business alone is moved. The import never does this.
    env.stack.create_business(2, "b1-2", "Lyon").await;
    let findings = env.stack.audit().await;
    let problems: Vec<_> =
        findings.iter().map(|finding| (finding.subject.as_str(), finding.problem.as_str())).collect();
    let subjects = [&fixtures.manager_1.id, &fixtures.admin_1.id].map(|id| format!("user {id}"));
    let problem = "lists the business b1-2, which is of organisation 2";
    assert_eq!(problems.len(), 2, "{problems:?}");
    assert!(problems.iter().all(|(subject, found)| subjects.contains(&(*subject).to_owned()) && *found == problem));
}
