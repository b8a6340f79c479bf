//! Judge of what is asked after the end: the auditor looks at everything, and each process of the API shows what is stored.

use std::collections::BTreeMap;
use std::sync::Arc;

use http::Method;
use presence_store::{AuditRun, AuditSettings, LeftoverFolds};
use presence_tests::reviews::{business_id, matching};
use serde_json::{Value, json};

use super::background::{AUDIT_TIME, DAY, DAYS, invoke};
use super::clients::Client;
use super::processes::Api;
use super::review_searches::{fields_of, is_seen, stats_of, stored_fields, stored_stats};
use super::reviews::{move_business, moving_business};
use super::simulation::Simulation;

/// Numbers of clients that see everything, and each organisation alone.
const READERS: [usize; 3] = [0, 1, 3];
/// Businesses of the set-up.
const BUSINESSES: [&str; 6] = ["b1-1", "b1-2", "b1-3", "b2-1", "b2-2", "b2-3"];

/// Judges that the auditor has left nothing to do, and that it finds nothing wrong on another day.
pub(crate) async fn judge_audit(simulation: &Simulation) {
    let reviews = &simulation.truth().reviews;
    let folds = invoke(simulation, "the last fold", AUDIT_TIME, |_| reviews.fold_leftovers(|| true)).await;
    let moves = invoke(simulation, "the last end of moves", AUDIT_TIME, |_| reviews.finish_moves(|| true)).await;
    if !matches!((&folds, moves), (Some(LeftoverFolds { changes: 0, failed: 0, .. }), Some(0))) {
        simulation.history().found(format!("the auditor has left {folds:?} and {moves:?} moves"));
    }
    let (clock, settings) = (simulation.clock(DAY * (DAYS + 1)), AuditSettings::new(f64::INFINITY, true));
    let audit = |deadline| presence_auditor::handle(reviews, clock.as_ref(), settings, deadline);
    let run = invoke(simulation, "the last audit", AUDIT_TIME, audit).await;
    let count = simulation.history().state().reviews.len();
    if !matches!(run, Some(AuditRun { wrong: 0, round_is_done: true, reviews, .. }) if reviews == count) {
        simulation.history().found(format!("the last audit of {count} reviews is {run:?}"));
    }
}

/// Judges what each process of the API shows, then moves a business, and judges again what they have in memory.
pub(crate) async fn judge_answers(simulation: &Arc<Simulation>) {
    judge_processes(simulation).await;
    let moving = moving_business();
    let owners = simulation.truth().businesses.get_owners(std::slice::from_ref(&moving)).await.expect("an answer");
    move_business(simulation, 3 - owners[&moving].get()).await;
    judge_processes(simulation).await;
}

async fn judge_processes(simulation: &Arc<Simulation>) {
    for api in simulation.living_apis(&mut simulation.fork_rng()).await {
        for number in READERS {
            Client::new(simulation, number).judge_end(&api).await;
        }
    }
}

impl Client {
    /// Judges the answers of a process, now that nothing changes any more.
    async fn judge_end(&mut self, api: &Api) {
        let since = self.moment();
        let users = self.read(api, "/user/search?per_page=100").await;
        self.judge_found(since, None, &users);
        let counts = self.read(api, "/user/stats").await;
        self.judge_counts(since, &counts);
        let stored = self.simulation.history().state().reviews.clone();
        let reviews = matching(stored.values().map(Arc::as_ref), true, |review| is_seen(review, self.org));
        let page = self.read(api, "/reviews?per_page=100").await;
        let shown: Vec<_> = page["reviews"].as_array().into_iter().flatten().map(fields_of).collect();
        let stored: Vec<_> = reviews.iter().map(|review| stored_fields(review)).collect();
        self.compare("/reviews", &json!([page["count"], shown]), &json!([stored.len(), stored]));
        let stats = self.read(api, "/reviews/stats").await;
        self.compare("/reviews/stats", &stats_of(&stats), &stored_stats(&reviews));
        let businesses = self.read(api, "/business/search?per_page=100").await;
        let shown = businesses["businesses"].as_array().into_iter().flatten();
        let shown: BTreeMap<_, _> = shown.map(|one| (one["id"].as_str().unwrap_or_default(), &one["org_id"])).collect();
        self.compare("/business/search", &json!([businesses["count"], shown]), &self.stored_businesses().await);
    }

    async fn read(&mut self, api: &Api, path: &str) -> Value {
        let request = self.request(Method::GET, path.to_owned(), Value::Null);
        let (status, body) = api.answer(&request).await;
        if status != 200 {
            self.simulation.history().found(format!("{path} is answered with {status} {body} in the end"));
        }
        body
    }

    fn compare(&self, path: &str, shown: &Value, stored: &Value) {
        if shown != stored {
            let finding = format!("{path} of {:?} shows {shown} in the end instead of {stored}", self.org);
            self.simulation.history().found(finding);
        }
    }

    /// Returns the number of the businesses that this client sees, and the organisation of each.
    async fn stored_businesses(&self) -> Value {
        let ids = BUSINESSES.map(business_id);
        let owners = self.simulation.truth().businesses.get_owners(&ids).await.expect("an answer");
        let owners = owners.into_iter().map(|(id, org)| (id.as_str().to_owned(), org.get()));
        let seen: BTreeMap<_, _> = owners.filter(|(_, owner)| self.org.is_none_or(|org| org == *owner)).collect();
        json!([seen.len(), seen])
    }
}
