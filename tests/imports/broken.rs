//! Whatever breaks, an import that is run again ends in the tables of one run in one go.

use std::collections::BTreeMap;
use std::time::Duration;

use presence_ops::Exit;
use presence_tests::{FaultKind, Plan, dice};

use super::dock::{Dock, rows};

/// Enough for several transactions of each month.
const ROWS: usize = 240;
/// Points at which an import is cut off.
const POINTS: usize = 12;
/// How long a finished transaction goes on holding its items.
const WINDOW: Duration = Duration::from_millis(5);

/// What two editions of the rows end in when nothing breaks.
async fn undisturbed() -> BTreeMap<String, String> {
    let dock = Dock::new().await;
    dock.import_calmly("reviews", &rows(ROWS, 1)).await;
    dock.content().await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_import_cut_off_anywhere_and_run_again_equals_one_in_one_go() {
    let expected = undisturbed().await;
    let mut dice = dice("imports cut off");
    let dock = Dock::new().await;
    dock.import_calmly("reviews", &rows(ROWS, 0)).await;
    dock.faults.restart(Plan::None);
    assert_eq!(dock.import("reviews", &rows(ROWS, 1)).await, Exit::Done);
    let attempts = dock.faults.attempts();
    for point in 0..POINTS {
        // From this attempt on nobody answers: as for a process that was killed, before it asked or before it heard.
        let kind = [FaultKind::RefuseConnection, FaultKind::LoseReply][point % 2];
        dock.import_calmly("reviews", &rows(ROWS, 0)).await;
        let call = dice.u64(1..=attempts);
        dock.faults.restart(Plan::At { call, kind, times: u64::MAX });
        dock.import("reviews", &rows(ROWS, 1)).await;
        assert_eq!(dock.audit().await, [], "{kind:?} from attempt {call} on");
        dock.import_calmly("reviews", &rows(ROWS, 1)).await;
        assert_eq!(dock.audit().await, [], "{kind:?} from attempt {call} on, and then again");
        assert_eq!(dock.content().await, expected, "{kind:?} from attempt {call} on");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn single_faults_anywhere_leave_exact_tallies() {
    let expected = undisturbed().await;
    let dock = Dock::new().await;
    let kinds = vec![
        FaultKind::Throttle,
        FaultKind::ServerError,
        FaultKind::LoseReply,
        FaultKind::CutBody,
        FaultKind::TransactionConflict,
    ];
    for seed in 0..4 {
        for edition in [0, 1] {
            dock.faults.restart(Plan::Seeded { seed, percent: 15, kinds: kinds.clone() });
            dock.import("reviews", &rows(ROWS, edition)).await;
            assert_eq!(dock.audit().await, [], "seed {seed}, edition {edition}");
        }
    }
    dock.import_calmly("reviews", &rows(ROWS, 1)).await;
    assert_eq!(dock.content().await, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_imports_at_once_whose_transactions_conflict_end_in_exact_tallies() {
    let expected = undisturbed().await;
    let dock = Dock::new().await;
    dock.import_calmly("reviews", &rows(ROWS, 0)).await;
    dock.faults.restart(Plan::OverlapConflicts { window: WINDOW });
    let file = rows(ROWS, 1);
    let exits = futures::join!(dock.import("reviews", &file), dock.import("reviews", &file));
    assert_eq!(exits, (Exit::Done, Exit::Done));
    assert_eq!(dock.audit().await, []);
    assert_eq!(dock.content().await, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_business_that_moves_takes_its_reviews_with_it_wherever_the_import_is_cut_off() {
    let moved = r#"{"id":"s2","org_id":2,"name":"Shop s2","city":"Saint-Étienne"}"#;
    let home = r#"{"id":"s2","org_id":1,"name":"Shop s2","city":"Lyon"}"#;
    let dock = Dock::new().await;
    dock.import_calmly("orgs", "{\"id\":1,\"name\":\"A\"}\n{\"id\":2,\"name\":\"B\"}").await;
    dock.import_calmly("reviews", &rows(ROWS, 1)).await;
    dock.import_calmly("businesses", moved).await;
    let attempts = dock.faults.attempts();
    let expected = dock.content().await;
    for call in 1..=attempts {
        dock.import_calmly("businesses", home).await;
        dock.faults.restart(Plan::At { call, kind: FaultKind::RefuseConnection, times: u64::MAX });
        dock.import("businesses", moved).await;
        dock.import_calmly("businesses", moved).await;
        assert_eq!(dock.audit().await, [], "cut off at attempt {call}");
        assert_eq!(dock.content().await, expected, "cut off at attempt {call}");
    }
}
