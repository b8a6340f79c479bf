//! One invited person, and what may happen to its mail.

use std::sync::Arc;

use jiff::SignedDuration;
use presence::domain::invitation::LinkStanding;
use presence_mailer::handle;
use presence_tests::{Cast, World, address};
use serde_json::{Value, json};

use super::axe::Moment;
use super::office::{Office, Worker, deadline, record, sweep};

/// A world with one invited person, whose mail waits.
pub(super) struct Scene {
    pub(super) world: World,
    pub(super) cast: Cast,
    pub(super) office: Arc<Office>,
    pub(super) worker: Worker,
    pub(super) id: String,
    /// The record of the stream for its mail.
    pub(super) record: Value,
}

impl Scene {
    pub(super) async fn set() -> Self {
        let world = World::start().await;
        let cast = Cast::enter(&world).await;
        let body = json!({ "email": address("guest"), "first_name": "Zoë", "last_name": "Roy", "status": "invited" });
        let created = world.post("/user", &cast.admin_1.key, &body).await;
        let id = created.json()["id"].as_str().expect("an id").to_owned();
        let stored = world.stored(&id).await.expect("the guest");
        let office = Office::new(&world);
        let worker = Worker::new(&world, &office);
        Self { record: record(&stored.mails[0], 1), world, cast, office, worker, id }
    }

    pub(super) async fn invoke(&self, event: &Value, falls_at: Option<(u64, Moment)>) {
        let invoked = handle(&self.worker.outbox, event, deadline());
        if let Some(answer) = self.worker.axe.run(falls_at, invoked).await {
            assert!(answer.is_ok_and(|answer| answer.failures.is_empty()));
        }
    }

    /// The stream hands the record over again and again, or the sweep comes by each minute, until the time is over.
    pub(super) async fn go_on(&self, with_stream: bool, time: SignedDuration) {
        let step = SignedDuration::from_secs(20);
        let mut left = time;
        while left > SignedDuration::ZERO {
            self.world.clock.advance(step.min(left));
            left -= step;
            let event = if with_stream { json!({ "Records": [self.record] }) } else { sweep() };
            self.invoke(&event, None).await;
        }
    }

    pub(super) fn mails(&self) -> usize {
        self.office.taken(&address("guest")).len()
    }

    pub(super) async fn nothing_is_wrong(&self, tale: &str) {
        assert_eq!(self.office.too_soon(), Vec::<String>::new(), "{tale}");
        assert_eq!(self.world.audit().await, [], "{tale}");
        let stored = self.world.stored(&self.id).await.expect("the guest");
        assert_eq!(stored.mails, [], "{tale}");
        let last = self.office.taken(&address("guest")).last().expect("a mail").token;
        let now = presence::clock::Clock::now(self.world.clock.as_ref());
        assert_eq!(stored.user.links.standing(last, now), LinkStanding::Open, "{tale}");
    }
}
