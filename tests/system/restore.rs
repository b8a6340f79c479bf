//! Restore beside the clients: tables are copied at an instant, and an operator restores them while the service runs, with a program that
//! dies now and then. The judge looks for a user, key or link that can do more than before.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use fastrand::Rng;
use jiff::Timestamp;
use presence_domain::ids::UserId;
use presence_ops::Exit;
use presence_store::restore::restored_tables;
use presence_store::{Database, Stores};
use presence_tests::connectors::NetworkFault;
use presence_tests::ops::run_ops;
use presence_tests::{ConnectorLayer as _, OpsOutput, PointInTimeConnector, in_process_client, operator_scope};
use tokio::time::{Instant, timeout};

use super::processes::{Api, Life, PAGE, Request};
use super::simulation::{Simulation, stores};
use crate::restore::histories::{gains_of_user, is_key_within};

/// Prefix of the restored tables.
const PREFIX: &str = "restored-";
/// Longest life of the operator's program, in milliseconds.
const LONGEST_LIFE: u64 = 120_000;

/// Operator, with a copy of the tables.
pub(crate) struct Operator {
    simulation: Arc<Simulation>,
    rng: Rng,
    recovery: PointInTimeConnector,
    /// Instant of the copy.
    at: Timestamp,
}

/// Copies the tables at a random instant, and restores them until the time is over.
pub(crate) async fn restore(simulation: Arc<Simulation>, time: Duration) -> Operator {
    let (end, mut rng) = (Instant::now() + time, simulation.fork_rng());
    tokio::time::sleep(time.mul_f64(rng.f64() * 0.8)).await;
    let recovery = PointInTimeConnector::new(simulation.stack.local.database_url());
    recovery.hurry();
    let at = Timestamp::from_second(simulation.now().as_second()).expect("an instant");
    let tables: Vec<_> = restored_tables().map(|table| simulation.truth().database.name(table)).collect();
    let copying = recovery.clone();
    simulation.in_real_time(async move { copying.take_copy(at, &tables).await });
    let mut operator = Operator { simulation, rng, recovery, at };
    while Instant::now() < end {
        tokio::time::sleep(Duration::from_millis(operator.rng.u64(..LONGEST_LIFE / 4))).await;
        let is_killed = operator.simulation.network.has(NetworkFault::Kill) && operator.rng.bool();
        let life = if is_killed { operator.rng.u64(..LONGEST_LIFE) } else { LONGEST_LIFE };
        let _ = timeout(Duration::from_millis(life), Box::pin(operator.run())).await;
    }
    operator
}

impl Operator {
    async fn run(&self) -> OpsOutput {
        let simulation = &self.simulation;
        let stores = stores(&simulation.stack, simulation.network.over(self.recovery.over(in_process_client())));
        let words = format!("restore plan --at {} --prefix {PREFIX} --execute --yes", self.at);
        let run = run_ops(&stores, simulation.clock(0), &words, |context| context);
        simulation.pauses.interrupt(&simulation.network, run).await
    }

    fn found(&self, finding: String) {
        self.simulation.history().found(finding);
    }

    /// Restores to the end, and judges that nobody got back what was taken away. Returns the restored tables.
    pub(crate) async fn judge_end(&self) -> Stores {
        let output = self.run().await;
        if output.exit != Exit::Done {
            self.found(format!("the restore ends with {:?}: {}", output.exit, output.stderr));
        }
        let restored = Stores::new(self.simulation.truth().database.with_prefix(PREFIX));
        let ids: BTreeSet<_> = self.simulation.history().changes.iter().map(|(_, id, _)| id.clone()).collect();
        for id in ids {
            let id = UserId::parse(&id).expect("an id");
            self.judge_user(id, &restored).await;
        }
        self.judge_links(&restored.database).await;
        restored
    }

    /// Restores to the end, switches to the restored tables, and sends the mails that the restore held.
    pub(crate) async fn switch(&self) {
        let restored = self.judge_end().await;
        let output = run_ops(&restored, self.simulation.clock(0), "outbox retry --all", |context| context).await;
        if output.exit != Exit::Done {
            self.found(format!("held mails cannot be sent: {}", output.stderr));
        }
        self.simulation.switch_to(restored).await;
    }

    /// Sends the replies again that waited at the instant of the copy.
    pub(crate) async fn resend_replies(&self) {
        let stores = self.simulation.stores();
        let output = run_ops(&stores, self.simulation.clock(0), "replies resend --all", |context| context).await;
        if output.exit != Exit::Done {
            self.found(format!("replies cannot be sent again: {}", output.stderr));
        }
    }

    async fn judge_user(&self, id: UserId, restored: &Stores) {
        let Some(user) = restored.users.get(operator_scope(), id).await.expect("an answer") else { return };
        let truth = self.simulation.truth();
        let before = truth.users.get(operator_scope(), id).await.expect("an answer");
        let gains = gains_of_user(&user, before.as_ref());
        if !gains.is_empty() {
            self.found(format!("the restore gives {gains:?} to {user:?}, which was {before:?}"));
        }
        for key in restored.users.list_keys(id).await.expect("an answer").unwrap_or_default() {
            let before = truth.users.get_key(key.id()).await.ok();
            if !is_key_within(&key, before.as_ref(), self.simulation.now()) {
                self.found(format!("the restore gives back {key:?}, which was {before:?}"));
            }
        }
    }

    /// Looks for links that work with the restored tables, and did not before.
    async fn judge_links(&self, restored: &Database) {
        let simulation = &self.simulation;
        let life = || Life::start(&simulation.network, &simulation.pauses, true);
        let start = async |database| Api::start(database, simulation.clock(0), life()).await;
        let (before, after) = (start(&simulation.truth().database).await, start(restored).await);
        let links: BTreeSet<_> = simulation.links().iter().cloned().collect();
        for link in links {
            let path = format!("{PAGE}?{link}");
            let request = Request::get(path, "");
            let statuses = (before.answer(&request).await.0, after.answer(&request).await.0);
            if statuses.1 == 200 && statuses.0 != 200 {
                self.found(format!("a link works again after the restore: {statuses:?}"));
            }
            if statuses.0 == 500 || statuses.1 == 500 {
                self.found(format!("the page of a link fails: {statuses:?}"));
            }
        }
    }
}
